"""How Hydra composes the parameters, and how they are checked, for our entrypoints and for DVC alike.

DVC composes conf/ in a process of its own and imports this module through conf/_plugins. A resolver computes
`derived` and checks all other values: a value that is not allowed ends the composition before any file is
written.
"""

import typing
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from hydra import compose as hydra_compose
from hydra import initialize_config_dir
from hydra.core.config_store import ConfigStore
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import ConfigKeyError

from stages.config import in_force
from stages.config.checks import check_parameters
from stages.config.derived import derive
from stages.config.messages import REMEDY, explain_refusals, plain_errors
from stages.config.schema import Parameters
from stages.config.yaml_text import check_file

Defaults = Callable[[str | None], in_force.Values | None]  # of a profile, as far as conf/ composes to any

_checked: dict[str, Parameters] = {}  # the last values that were checked, as text, and what they are


def register() -> None:
    """Make the schema and the resolver known to Hydra, and its messages complete."""
    ConfigStore.instance().store(name="schema", node=Parameters)
    OmegaConf.register_new_resolver("derive", _resolve_derived, replace=True)
    OmegaConf.clear_resolver("oc.env")  # no result may depend on a variable that no file names
    explain_refusals()


def compose_conf(root: Path, overrides: list[str]) -> str:
    """The text of params.yaml that conf/ and the overrides compose to."""
    return OmegaConf.to_yaml(_compose_conf(root, overrides))


def compose_plan(root: Path, overrides: list[str]) -> Parameters:
    """The checked parameters of a run with these overrides; nothing is written."""
    return checked(_compose_conf(root, overrides))


def _compose_conf(root: Path, overrides: list[str]) -> DictConfig:
    for path in sorted((root / "conf").rglob("*.yaml")):
        check_file(path, str(path.relative_to(root)))
    with plain_errors("conf"), initialize_config_dir(str(root / "conf"), version_base=None):
        config = hydra_compose("config", overrides)
        OmegaConf.resolve(config)
    return config


def compose_stage(root: Path, overrides: list[str], defaults: Defaults) -> Parameters:
    """The checked parameters of params.yaml, with overrides; a file that was edited by hand is refused."""
    with plain_errors("params.yaml"):
        check_file(root / "params.yaml", "params.yaml")
        written = OmegaConf.load(root / "params.yaml")
        if not isinstance(written, DictConfig):
            raise ValueError(f"params.yaml holds no parameters by name; {REMEDY}")
        parameters = checked(written)
        _refuse_edited(parameters, defaults)
        if overrides:
            ConfigStore.instance().store(name="stage", node={"defaults": ["schema", "params", "_self_"]})
            with initialize_config_dir(str(root), version_base=None):
                parameters = checked(hydra_compose("stage", overrides))
            parameters.derived = derive(parameters)
    return parameters


def _refuse_edited(parameters: Parameters, defaults: Defaults) -> None:
    derived = derive(parameters)
    if parameters.derived != derived:
        values, usual = in_force.values_of(parameters), defaults(parameters.profile)
        differences = [] if usual is None else in_force.listed(values, usual)
        raise ValueError(in_force.refusal(parameters.derived, derived, differences))


def _missing(kind: Any, values: Any, key: str) -> Iterator[str]:
    """The keys of the schema that a configuration leaves out."""
    if not isinstance(values, Mapping):
        return  # of another type, which `checked` refuses
    if typing.get_origin(kind) is dict:
        kinds = dict.fromkeys(values, typing.get_args(kind)[1])
    else:
        kind = next(filter(is_dataclass, typing.get_args(kind)), kind)
        kinds = typing.get_type_hints(kind) if is_dataclass(kind) else {}
    for name, inner in kinds.items():
        if name not in values:
            yield f"{key}{name}"
        else:
            yield from _missing(inner, values[name], f"{key}{name}.")


def _resolve_derived(*, _root_: DictConfig) -> dict[str, Any]:
    everything_else = [str(key) for key in _root_ if key != "derived"]
    return derive(checked(OmegaConf.masked_copy(_root_, everything_else)))


def checked(config: DictConfig) -> Parameters:
    """The parameters of a configuration, typed and within their ranges."""
    # As plain values: what Hydra has typed already may hold keys that were forced in with "+".
    plain = OmegaConf.to_container(config, resolve=True)
    assert isinstance(plain, dict)
    derived = plain.pop("derived") if isinstance(plain.get("derived"), dict) else {}
    values = repr(plain)
    if values not in _checked:  # one composition asks three times, for a tenth of a second each
        parameters = checked_values(plain)
        _checked.clear()
        _checked[values] = parameters
    return replace(deepcopy(_checked[values]), derived=derived)


def checked_values(plain: dict[Any, Any]) -> Parameters:
    """The same of plain values."""
    missing = [key for key in _missing(Parameters, plain, "") if key != "derived"]
    if missing:
        raise ValueError(f"{missing[0]} is missing; allowed: all keys of the schema; {REMEDY}")
    try:
        parameters = OmegaConf.to_object(OmegaConf.unsafe_merge(OmegaConf.structured(Parameters), plain))
    except ConfigKeyError as error:
        assert error.object_type is not None  # the dataclass without that key
        allowed = ", ".join(sorted(f.name for f in fields(error.object_type)))
        raise ValueError(f"there is no key {error.full_key!r}; allowed: {allowed}") from None
    assert isinstance(parameters, Parameters)
    check_parameters(parameters)
    return parameters
