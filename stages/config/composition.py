"""The parameters of a stage or a tool: composed from conf/, or read from params.yaml.

Hydra, the checks and what they import take most of a second. So they are loaded only where they are needed,
and a params.yaml that they have accepted is read without them as long as neither conf/ nor a source changes.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

from stages.config import in_force
from stages.config.kept import Kept
from stages.config.schema import Parameters, typed

ROOT = Path(__file__).resolve().parents[2]
CODE = ROOT  # where the sources are, wherever the parameters are


def register() -> None:
    """Make the schema and the resolver known to Hydra, if it is loaded; else whatever loads it does so."""
    if "hydra" in sys.modules:
        _hydra_conf()


def compose_conf(overrides: list[str]) -> str:
    """The text of params.yaml that conf/ and the overrides compose to."""
    text: str = _hydra_conf().compose_conf(ROOT, overrides)
    return text


def compose_plan(overrides: list[str]) -> Parameters:
    """The checked parameters of a run with these overrides; nothing is written."""
    parameters: Parameters = _hydra_conf().compose_plan(ROOT, overrides)
    return parameters


def compose_stage(overrides: list[str]) -> Parameters:
    """The checked parameters of params.yaml, with overrides.

    DVC knows the values in params.yaml, and no others: a file that leaves one to a default of the schema, or
    whose `derived` is stale, is refused.
    """
    if overrides:
        return _composed_stage(overrides)
    accepted = Kept(ROOT, "accepted", lambda: [ROOT / "params.yaml", *_conf(), *_code()])
    if (values := accepted.read()) is not None:
        return typed(Parameters, values)
    parameters = _composed_stage([])
    with suppress(TypeError):  # what JSON does not have
        values = json.loads(json.dumps(asdict(parameters)))
        if typed(Parameters, values) == parameters:
            accepted.write(values)
    return parameters


def _composed_stage(overrides: list[str]) -> Parameters:
    parameters: Parameters = _hydra_conf().compose_stage(ROOT, overrides, _defaults)
    return parameters


def describe(parameters: Parameters, way_back: bool = True) -> str:
    """One line: which parameters are in force, and how to return to the defaults."""
    usual = _defaults(None)
    named = usual if usual and usual["profile"] == parameters.profile else _defaults(parameters.profile)
    home = usual["profile"] if usual and way_back else None
    return in_force.line(in_force.values_of(parameters), named, home)


def _defaults(profile: str | None) -> in_force.Values | None:
    """The values of a profile without overrides; None: conf/ does not compose to any."""
    kept = Kept(ROOT, "defaults", lambda: [*_conf(), *Path(__file__).parent.glob("*.py")], profile or "")
    values: in_force.Values | None = kept.read()
    if values is None:
        try:
            values = in_force.values_of(compose_plan([f"profile={profile}"] if profile else []))
        except ValueError:
            return None
        kept.write(values)
    return values


def _hydra_conf() -> ModuleType:
    """The module that composes, with Hydra loaded and ready."""
    from stages.config import hydra_conf

    hydra_conf.register()
    return hydra_conf


def _conf() -> Iterator[Path]:
    return (ROOT / "conf").rglob("*.yaml")


def _code() -> Iterator[Path]:
    """All that could judge the parameters otherwise."""
    for package in ("modn", "stages"):
        yield from (CODE / package).rglob("*.py")
    yield CODE / "requirements.lock"
