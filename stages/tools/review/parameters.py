"""The parameters that changed: a choice that brings many values with it is one line.

Derived values are left out; they follow from the others.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import yaml
from hydra.errors import HydraException
from omegaconf.errors import OmegaConfBaseException

from stages.config import composition
from stages.tools import markup
from stages.tools.review.sides import Sides, read_mapping

OPEN_VALUES = 3  # a group with more changed values is one line
LEFT_OUT = ("about", "derived")
_NONE = object()
Composer = Callable[[str], dict[str, Any]]


@dataclass(frozen=True)
class Change:
    """A value before and after, or a whole group that one side does not have."""

    path: tuple[str, ...]
    old: Any
    new: Any

    @property
    def name(self) -> str:
        """As in an override."""
        return ".".join(self.path)

    @property
    def group(self) -> tuple[str, ...]:
        """What it belongs to: an entry of a registry (optimizers.bbo) or a block (sensitivity)."""
        return self.path[: max(1, min(2, len(self.path) - 1))]

    def sides(self) -> tuple[str, str]:
        """Both values as cells of a table."""
        return _shown(self.old), _shown(self.new)


@dataclass(frozen=True)
class Changes:
    """All changes, and how many of them follow from the profile alone."""

    listed: list[Change]
    n_of_profile: int

    @property
    def causes(self) -> list[Change]:
        """Those that a result may depend on."""
        return [change for change in self.listed if change.path[0] != "runtime"]


def composed(profile: str) -> dict[str, Any]:
    """What conf/ composes to with this profile; nothing if it is not one of conf's."""
    try:
        values = yaml.safe_load(composition.compose_conf([f"profile={profile}"]))
    except (ValueError, HydraException, OmegaConfBaseException):
        return {}
    return dict(values)


def compare(sides: Sides, compose: Composer = composed) -> Changes:
    """params.yaml here against the base's."""
    there, here = sides.both("params.yaml")
    old = read_mapping(f"params.yaml of {sides.base}", there)
    new = read_mapping("params.yaml", here)
    found = list(_changes(old, new))
    was, now = old.get("profile"), new.get("profile")
    if was == now or not (isinstance(was, str) and isinstance(now, str)):
        return Changes(found, 0)
    expected = list(_changes(compose(was), compose(now)))
    own = [change for change in found if change.path == ("profile",) or change not in expected]
    return Changes(own, len(found) - len(own))


def section(changes: Changes, base: str) -> str:
    """One row for each value or group."""
    if not changes.listed:
        return "No parameter changed."
    rows, folded = [], []
    for group, members in groupby(changes.listed, key=lambda change: change.group):
        own = list(members)
        many = len(own) > OPEN_VALUES and len(group) < len(own[0].path)
        if many:
            rows.append((markup.code(".".join(group)), "", f"{len(own)} values changed"))
            folded += own
        else:
            rows += [_row(change, changes) for change in own]
    header = ("parameter", markup.text(base), "this branch")
    blocks = [markup.table(header, rows, f"Parameters changed: {len(rows)}")]
    if folded:
        details = [(markup.code(change.name), *change.sides()) for change in folded]
        blocks.append(markup.folded("The values in those groups", markup.grid(header, details)))
    return "\n\n".join(blocks)


def _row(change: Change, changes: Changes) -> tuple[str, str, str]:
    old, new = change.sides()
    if change.path == ("profile",) and changes.n_of_profile:
        new += f", which sets {markup.count(changes.n_of_profile, 'other value')}"
    return markup.code(change.name), old, new


def _shown(value: Any) -> str:
    if value is _NONE:
        return ""
    if isinstance(value, Mapping):
        return markup.count(sum(1 for _ in _leaves(value)), "value")
    return markup.values(value)


def _changes(old: Any, new: Any, path: tuple[str, ...] = ()) -> Iterator[Change]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key in sorted({*old, *new}, key=str):
            if path or key not in LEFT_OUT:
                yield from _changes(old.get(key, _NONE), new.get(key, _NONE), (*path, str(key)))
    elif old != new:
        yield Change(path, old, new)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _leaves(inner)
    else:
        yield value
