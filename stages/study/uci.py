"""A dataset as the UCI repository serves it now: over HTTPS, from its own host only."""

import io
import json
from http.client import HTTPException
from typing import Any
from urllib.request import HTTPRedirectHandler, Request, build_opener

import pandas as pd

HOST = "https://archive.ics.uci.edu/"
TIMEOUT = 30  # seconds without an answer
LARGEST = 50_000_000  # bytes of an answer; the datasets of the paper have up to 80 kB


def serve(uci_id: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The features and the targets of a dataset, by UCI's number for it."""
    try:
        description = json.loads(_get(f"{HOST}api/dataset?id={uci_id}"))["data"]
        table = pd.read_csv(io.BytesIO(_get(description["data_url"])))
        roles = [(variable["name"], variable["role"]) for variable in description["variables"]]
        features, targets = (
            table[[name for name, its in roles if its == role]] for role in ("Feature", "Target")
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"its answer is not what it used to be ({error!r})") from None
    if targets.shape[1] == 0:
        raise ValueError("it names no target")
    return features, targets


class _OwnHostOnly(HTTPRedirectHandler):
    """Redirections must stay on the host, too."""

    def redirect_request(self, req: Request, *args: Any) -> Request | None:
        _check(args[-1])
        return super().redirect_request(req, *args)


def _get(address: str) -> bytes:
    _check(address)
    try:
        with build_opener(_OwnHostOnly()).open(address, timeout=TIMEOUT) as answer:
            content: bytes = answer.read(LARGEST + 1)
    except HTTPException as error:
        raise ValueError(f"{address} breaks off ({error!r})") from None
    if len(content) > LARGEST:
        raise ValueError(f"{address} has more than {LARGEST} bytes")
    return content


def _check(address: str) -> None:
    if not address.startswith(HOST):
        raise ValueError(f"{address} is not below {HOST}")
