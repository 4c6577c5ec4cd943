"""UCI's answers: asked for over HTTPS from its own host alone, whatever an answer says."""

import io
import json
from email.message import Message
from http.client import IncompleteRead
from urllib.error import URLError
from urllib.request import HTTPHandler, HTTPSHandler, Request
from urllib.response import addinfourl

import pytest

from stages.study import uci

TABLE = b"id,length,colour,kind\n1,2.5,red,a\n2,,blue,b\n"
VARIABLES = [
    {"name": name, "role": role}
    for name, role in {"id": "ID", "length": "Feature", "colour": "Feature", "kind": "Target"}.items()
]
ADDRESS = f"{uci.HOST}static/public/7/data.csv"


class Web:
    """What each address answers with: bytes, another address (a redirection), or an error."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answers: dict[str, object] = {ADDRESS: TABLE}
        self.describe()

    def describe(self, **changes: object) -> None:
        data = {"data_url": ADDRESS, "variables": VARIABLES} | changes
        self.answers[f"{uci.HOST}api/dataset?id=7"] = json.dumps({"status": 200, "data": data}).encode()

    def open(self, handler: object, request: Request) -> addinfourl:
        self.asked.append(request.full_url)
        answer = self.answers[request.full_url]
        if isinstance(answer, Exception):
            raise answer
        headers, code = Message(), 200
        if isinstance(answer, str):
            headers["Location"], code, answer = answer, 302, b""
        assert isinstance(answer, bytes)
        response = addinfourl(io.BytesIO(answer), headers, request.full_url, code)
        response.msg = "OK"  # type: ignore[attr-defined]
        return response


@pytest.fixture
def web(monkeypatch: pytest.MonkeyPatch) -> Web:
    web = Web()
    monkeypatch.setattr(HTTPSHandler, "https_open", lambda handler, request: web.open(handler, request))
    monkeypatch.setattr(HTTPHandler, "http_open", lambda handler, request: web.open(handler, request))
    return web


def test_features_and_targets_are_those_of_the_description(web: Web) -> None:
    features, targets = uci.serve(7)
    assert list(features) == ["length", "colour"]
    assert features["length"].tolist()[0] == 2.5 and features["length"].isna().tolist() == [False, True]
    assert targets["kind"].tolist() == ["a", "b"]
    assert web.asked == [f"{uci.HOST}api/dataset?id=7", ADDRESS]


ELSEWHERE = [
    "http://archive.ics.uci.edu/static/public/7/data.csv",
    "https://archive.ics.uci.edu.example.org/data.csv",
    "https://example.org/data.csv",
    "file:///etc/passwd",
    "/etc/passwd",
    "ftp://archive.ics.uci.edu/data.csv",
]


@pytest.mark.parametrize("address", ELSEWHERE)
def test_no_other_address_is_asked_though_the_description_names_it(web: Web, address: str) -> None:
    web.answers[address] = TABLE
    web.describe(data_url=address)
    with pytest.raises(ValueError, match=f"{address} is not below {uci.HOST}"):
        uci.serve(7)
    assert web.asked == [f"{uci.HOST}api/dataset?id=7"]


@pytest.mark.parametrize("address", ELSEWHERE[:3])
def test_no_redirection_leads_elsewhere(web: Web, address: str) -> None:
    web.answers |= {address: TABLE, ADDRESS: address}
    with pytest.raises(ValueError, match=f"{address} is not below {uci.HOST}"):
        uci.serve(7)
    assert address not in web.asked


def test_a_redirection_within_the_host_is_followed(web: Web) -> None:
    web.answers |= {f"{uci.HOST}new.csv": TABLE, ADDRESS: f"{uci.HOST}new.csv"}
    assert uci.serve(7)[1]["kind"].tolist() == ["a", "b"]


def test_an_answer_too_large_to_be_a_table_is_not_read_to_its_end(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uci, "LARGEST", 400)
    web.answers[ADDRESS] = TABLE * 10
    with pytest.raises(ValueError, match="has more than 400 bytes"):
        uci.serve(7)


@pytest.mark.parametrize(
    ("description", "table"),
    [
        (b"<html>maintenance</html>", TABLE),
        (b"[]", TABLE),
        (b"{}", TABLE),
        (b'{"data": null}', TABLE),
        (json.dumps({"data": {"data_url": None, "variables": VARIABLES}}).encode(), TABLE),
        (json.dumps({"data": {"data_url": ADDRESS, "variables": [{"name": "x"}]}}).encode(), TABLE),
        (json.dumps({"data": {"data_url": ADDRESS, "variables": VARIABLES[:3]}}).encode(), TABLE),
        (json.dumps({"data": {"data_url": ADDRESS, "variables": VARIABLES}}).encode(), b""),
        (json.dumps({"data": {"data_url": ADDRESS, "variables": VARIABLES}}).encode(), b"a,b\n1,2\n"),
        (json.dumps({"data": {"data_url": ADDRESS, "variables": VARIABLES}}).encode(), b"\xff\xfe\x00"),
    ],
)
def test_an_answer_of_another_kind_is_an_error_in_words(web: Web, description: bytes, table: bytes) -> None:
    web.answers = {f"{uci.HOST}api/dataset?id=7": description, ADDRESS: table}
    with pytest.raises(ValueError, match=r"\S"):
        uci.serve(7)


@pytest.mark.parametrize("error", [URLError("no network"), TimeoutError("timed out"), IncompleteRead(b"")])
def test_no_answer_is_an_error_that_fetch_explains(web: Web, error: Exception) -> None:
    web.answers[ADDRESS] = error
    with pytest.raises((OSError, ValueError), match=r"no network|timed out|breaks off"):
        uci.serve(7)
