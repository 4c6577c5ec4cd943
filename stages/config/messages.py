"""What Hydra, OmegaConf and the YAML reader have to say, in one line and in plain words."""

import difflib
import functools
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import yaml
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.errors import (
    ConfigCompositionException,
    HydraException,
    MissingConfigException,
    OverrideParseException,
)
from omegaconf import DictConfig
from omegaconf.errors import OmegaConfBaseException

from stages.config.yaml_text import check_override, one_line

REMEDY = "`make params` composes params.yaml"


@contextmanager
def plain_errors(source: str) -> Iterator[None]:
    """Turn whatever the YAML reader, OmegaConf and Hydra raise into one ValueError."""
    try:
        yield
    except (MissingConfigException, FileNotFoundError):
        raise ValueError(f"{source} is missing; {REMEDY}") from None
    except (yaml.YAMLError, UnicodeDecodeError, OSError) as error:
        raise ValueError(f"{source} cannot be read: {one_line(str(error))}") from None
    except (HydraException, OmegaConfBaseException) as error:
        text = re.sub(r"\w+ raised while (resolving interpolation|composing config):\s*", "", str(error))
        text = re.sub(r"\n\s*((object|reference)_type=.*|full_key: (?=\n|$))", "", text)
        text = one_line(re.sub(r"\n\s*full_key: (\S+)", r" (key: \1)", text))
        raise ValueError(text or type(error.__cause__ or error).__name__) from None


def explain_refusals() -> None:
    """Make Hydra's loader name what would be allowed when it refuses an override.

    Hydra offers no hook for this, and under DVC the message it raises is the one the user reads.
    """
    load = ConfigLoaderImpl.load_configuration
    if hasattr(load, "__wrapped__"):
        return

    @functools.wraps(load)
    def load_configuration(
        self: ConfigLoaderImpl, config_name: str, overrides: list[str], *args: Any, **kwargs: Any
    ) -> DictConfig:
        for override in overrides:
            check_override(override)
            if _key(override).split(".")[0] == "derived":
                raise ConfigCompositionException(
                    f"{override}: derived follows from the other parameters; allowed: to change those"
                )
        try:
            return load(self, config_name, overrides, *args, **kwargs)
        except OverrideParseException as error:
            what = f"{error.override!r} is not in Hydra's syntax, such as alpha_s=5"
            raise ConfigCompositionException(f"{what} ({one_line(str(error))})") from None
        except (HydraException, OmegaConfBaseException, TypeError) as error:  # TypeError: datasets=[1]
            if not overrides:
                raise
            choices = [override for override in overrides if self.get_group_options(_key(override))]
            others = [override for override in overrides if override not in choices]
            chosen = functools.cache(lambda: load(self, config_name, choices, *args, **kwargs))
            reasons = (_refusal(one, chosen, self.get_group_options) for one in [*choices, *others])
            cause = str(error.__cause__ or "").partition("\n")[0]
            fallback = f"{str(error).partition(chr(10))[0]}: {cause}" if cause else str(error)
            raise ConfigCompositionException(next(filter(None, reasons), fallback)) from None

    ConfigLoaderImpl.load_configuration = load_configuration  # type: ignore[method-assign, assignment]


def _key(override: str) -> str:
    return override.lstrip("+~").partition("=")[0]


def _refusal(
    override: str, config: Callable[[], DictConfig], group_options: Callable[[str], list[str]]
) -> str | None:
    """Why Hydra refuses this override: an unknown choice or key; None: another reason."""
    key, value = _key(override), override.partition("=")[2]
    options = group_options(key)
    if options:
        if re.search(r"\[\s*[\[{]|,\s*[\[{]", value):
            return f"{key} is {value}; allowed: a list of names, such as [{', '.join(options[:2])}]"
        chosen = [] if value == "[]" else [name.strip() for name in value.strip("[]").split(",")]
        unknown = [name for name in chosen if name not in options]
        return f"{key} has no {unknown[0]!r}; allowed: {', '.join(options)}" if unknown else None
    node: Any = config()
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
