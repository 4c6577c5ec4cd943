"""Which parameters are in force, in a line: the profile, and what differs from its defaults."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from stages.config.schema import Parameters

WAY = "`dvc exp run -S key=value` changes a parameter, `make params` returns to the defaults"
# Of which some are chosen
GROUPS = (
    *("datasets", "models", "optimizers", "baselines", "predictors", "extra.datasets", "targets.datasets"),
)
VAGUE = ("derived.sha256", "derived.pairs")  # stale whenever anything is
LISTED = 6  # differences in a line
WIDTH = 60  # of a value in it

Values = dict[str, Any]


def values_of(parameters: Parameters) -> Values:
    """All that a user can set, as plain values."""
    plain = {key: value for key, value in asdict(parameters).items() if key not in ("about", "derived")}
    values: Values = json.loads(json.dumps(plain))
    return values


def line(values: Values, defaults: Values | None, home: str | None) -> str:
    """The profile, what differs from its defaults, and the way back to the profile `home`, if it is given."""
    profile = values["profile"]
    found = [f"profile {profile}", *([] if defaults is None else listed(values, defaults))]
    if home is not None and (len(found) > 1 or profile != home):
        found[-1] += "; `make params` returns to the defaults" + f" of {home}" * (profile != home)
    return ", ".join(found)


def listed(values: Values, defaults: Values) -> list[str]:
    """What differs from the defaults, shortened to fit a line."""
    found = list(_differences("", values, defaults))
    return found if len(found) <= LISTED else [*found[:LISTED], f"and {len(found) - LISTED} more"]


def refusal(written: Values, derived: Values, differences: list[str]) -> str:
    """The message about a params.yaml whose `derived` does not follow from the rest."""
    stale = dict(_stale("derived", written, derived))
    reasons = [f"{key} {what}" for key, what in sorted(stale.items(), key=lambda item: item[0] in VAGUE)][:1]
    if "derived.sha256" in stale and differences:  # the values themselves were edited
        reasons = [*(reasons if len(stale) > 1 else []), f"the file has {', '.join(differences)}"]
    return f"params.yaml is composed, not edited by hand: {'; '.join(reasons)}; {WAY}"


def _stale(key: str, written: Any, follows: Any) -> Iterator[tuple[str, str]]:
    if isinstance(written, Mapping) and isinstance(follows, Mapping):
        for name in [*follows, *(name for name in written if name not in follows)]:
            inner = f"{key}.{name}"
            if name not in written:
                yield inner, "is missing"
            elif name not in follows:
                yield inner, "does not follow from the rest"
            else:
                yield from _stale(inner, written[name], follows[name])
    elif written != follows:
        yield key, f"is {_text(written)}, but {_text(follows)} follows from the rest"


def _differences(key: str, value: Any, default: Any) -> Iterator[str]:
    if isinstance(value, Mapping) and isinstance(default, Mapping):
        chosen = key in GROUPS and list(value) != list(default)
        if chosen:
            yield f"{key}={_text(list(value))} (default {_text(list(default))})"
        for name in {**default, **value}:
            if not chosen or (name in value and name in default):
                inner = f"{key}.{name}" if key else name
                yield from _differences(inner, value.get(name), default.get(name))
    elif value != default:
        yield f"{key}={_text(value)} (default {_text(default)})"


def _text(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, float):
        return f"{value:g}"
    text = f"[{','.join(map(_text, value))}]" if isinstance(value, list) else str(value)
    if len(text) <= WIDTH:
        return text
    return f"{len(value)} of them" if isinstance(value, list) else f"{text[:WIDTH]}..."
