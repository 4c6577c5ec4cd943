"""How Hydra composes the parameters: registered with it here, for our entrypoints and for DVC alike.

DVC composes conf/ in a process of its own and imports this module through conf/_plugins. What follows from
the parameters (`derived`) is computed by a resolver, which is also where their ranges are checked: so a value
that is not allowed ends the composition, before any file is written.
"""

import difflib
import functools
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import yaml
from hydra import compose as hydra_compose
from hydra import initialize_config_dir
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.config_store import ConfigStore
from hydra.errors import ConfigCompositionException, HydraException, MissingConfigException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import ConfigKeyError, OmegaConfBaseException

from modn import optimizers
from stages.config.schema import Dataset, Parameters, check

ROOT = Path(__file__).resolve().parents[2]


def register() -> None:
    """Make the schema and the resolver known to Hydra, and its messages complete."""
    ConfigStore.instance().store(name="schema", node=Parameters)
    OmegaConf.register_new_resolver("derive", _resolve_derived, replace=True)
    if not hasattr(ConfigLoaderImpl.load_configuration, "__wrapped__"):
        explaining = _explaining(ConfigLoaderImpl.load_configuration)
        ConfigLoaderImpl.load_configuration = explaining  # type: ignore[method-assign]


def derive(parameters: Parameters) -> dict[str, Any]:
    """Views of the parameters that stages depend on, one value at a time."""
    p = parameters
    sensitivity = {p.sensitivity.model: [p.sensitivity.optimizer]}
    return {
        "pairs": {
            "comparison": _pairs(p, p.comparison),
            "tuned": _pairs(p, p.tuned),
            "sensitivity": _pairs(p, sensitivity),
        },
        "budgets": {name: dataset.iterations for name, dataset in p.datasets.items()},
        "test_sizes": {name: dataset.test_size for name, dataset in p.datasets.items()},
        "own_values": {name: _own_values(p, dataset) for name, dataset in p.datasets.items()},
        "sensitivity_datasets": [name for name in p.sensitivity.datasets if name in p.datasets],
    }


def _own_values(parameters: Parameters, dataset: Dataset) -> dict[str, Any]:
    """The dataset's tuned values; where it has none, the common ones."""
    if dataset.tuned is not None:
        return {**asdict(dataset.tuned), "dendrites_per_class": None}
    names = ("dendrites", "alpha_s", "alpha_t", "dendrites_per_class")
    return {name: getattr(parameters, name) for name in names}


def _pairs(parameters: Parameters, study: dict[str, list[str]]) -> dict[str, dict[str, str]]:
    """A study's pairs by the name of their stage."""
    return {
        f"{model}-{optimizer}": {
            "model": model,
            "optimizer": optimizer,
            **_modules(parameters.optimizers[optimizer]["algorithm"]),
        }
        for model, chosen in study.items()
        for optimizer in chosen
    }


def _modules(algorithm: str) -> dict[str, str]:
    """The file below modn/optimizers that an algorithm is in, and that of the one it extends."""
    algorithm_class = optimizers.parameters_class(algorithm)
    modules = {"module": algorithm_class, "extends": algorithm_class.__base__}
    return {name: cls.__module__.rpartition(".")[2] for name, cls in modules.items()}


def compose_conf(overrides: list[str]) -> str:
    """The text of params.yaml that conf/ and the overrides compose to."""
    return OmegaConf.to_yaml(_compose_conf(overrides))


def compose_plan(overrides: list[str]) -> Parameters:
    """The checked parameters that a run would have, were conf/ and the overrides composed for it."""
    return checked(_compose_conf(overrides))


def _compose_conf(overrides: list[str]) -> DictConfig:
    with plain_errors("conf"), initialize_config_dir(str(ROOT / "conf"), version_base=None):
        config = hydra_compose("config", overrides)
        OmegaConf.resolve(config)
    return config


def compose_stage(overrides: list[str]) -> Parameters:
    """The checked parameters of params.yaml, with overrides."""
    ConfigStore.instance().store(name="stage", node={"defaults": ["schema", "params", "_self_"]})
    with plain_errors("params.yaml"), initialize_config_dir(str(ROOT), version_base=None):
        parameters = checked(hydra_compose("stage", overrides))
    parameters.derived = derive(parameters)
    return parameters


@contextmanager
def plain_errors(source: str) -> Iterator[None]:
    """Whatever the YAML reader, OmegaConf and Hydra raise becomes one ValueError in plain words."""
    try:
        yield
    except MissingConfigException:
        raise ValueError(f"{source} is missing or incomplete; `make params` composes params.yaml") from None
    except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
        raise ValueError(f"{source} cannot be read: {error}") from None
    except (HydraException, OmegaConfBaseException) as error:
        text = re.sub(r"\w+ raised while (resolving interpolation|composing config):\s*", "", str(error))
        text = re.sub(r"\n\s*((object|reference)_type=.*|full_key: (?=\n|$))", "", text)
        raise ValueError(re.sub(r"\n\s*full_key: (\S+)", r" (key: \1)", text)) from None


def _resolve_derived(*, _root_: DictConfig) -> dict[str, Any]:
    everything_else = [str(key) for key in _root_ if key != "derived"]
    return derive(checked(OmegaConf.masked_copy(_root_, everything_else)))


def checked(config: DictConfig) -> Parameters:
    """The parameters of a configuration, typed and within their ranges."""
    # as plain values: what Hydra has typed already may hold keys that were forced in with "+"
    plain = OmegaConf.to_container(config, resolve=True)
    assert isinstance(plain, dict)
    try:
        parameters = OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(Parameters), plain))
    except ConfigKeyError as error:
        assert error.object_type is not None  # the dataclass without that key
        allowed = ", ".join(sorted(f.name for f in fields(error.object_type)))
        raise ValueError(f"there is no key {error.full_key!r}; allowed: {allowed}") from None
    assert isinstance(parameters, Parameters)
    check(parameters)
    return parameters


def _explaining(load: Any) -> Any:
    """Wrap Hydra's loader so that a refused override names what would be allowed.

    Hydra offers no hook for this, and under DVC the message it raises is the one the user reads.
    """

    @functools.wraps(load)
    def load_configuration(
        self: ConfigLoaderImpl, config_name: str, overrides: list[str], *args: Any, **kwargs: Any
    ) -> DictConfig:
        for override in overrides:
            if override.lstrip("+~").partition("=")[0].split(".")[0] == "derived":
                raise ConfigCompositionException(
                    f"{override}: derived follows from the other parameters; allowed: to change those"
                )
        try:
            return load(self, config_name, overrides, *args, **kwargs)
        except (HydraException, OmegaConfBaseException) as error:
            if not overrides:
                raise
            unchanged = load(self, config_name, [], *args, **kwargs)
            reasons = [_refusal(override, unchanged, self.get_group_options) for override in overrides]
            cause = str(error.__cause__ or "").partition("\n")[0]
            fallback = f"{str(error).partition(chr(10))[0]}: {cause}" if cause else str(error)
            raise ConfigCompositionException(next(filter(None, reasons), fallback)) from None

    return load_configuration


def _refusal(override: str, config: DictConfig, group_options: Callable[[str], list[str]]) -> str | None:
    """Why Hydra refuses this override: an unknown choice or key; None: another reason."""
    key, _, value = override.lstrip("+~").partition("=")
    options = group_options(key)
    if options:
        chosen = [name.strip() for name in value.strip("[]").split(",")]
        unknown = [name for name in chosen if name not in options]
        return f"{key} has no {unknown[0]!r}; allowed: {', '.join(options)}" if unknown else None
    node: Any = config
    for depth, name in enumerate(key.split(".")):
        if not isinstance(node, DictConfig) or name not in node:
            known = sorted(str(k) for k in node if k != "hydra") if isinstance(node, DictConfig) else []
            above = ".".join(key.split(".")[:depth])
            closest = difflib.get_close_matches(name, known, 1)
            hint = f" (did you mean {closest[0]}?)" if closest else ""
            where = f"in {above}" if above else "at the top level"
            return (
                f"{override}: there is no key {name!r} {where}{hint}; allowed: {', '.join(known) or 'none'}"
            )
        node = node[name]
    return None
