"""Models and optimizers as people write them: by the titles in conf/."""

from collections.abc import Mapping

_MODELS: dict[str, str] = {}
_OPTIMIZERS: dict[str, str] = {}


def use(titles: Mapping[str, Mapping[str, str]]) -> None:
    """From now on, name models and optimizers by these titles: `derived.titles` of the parameters."""
    for names, kind in ((_MODELS, "models"), (_OPTIMIZERS, "optimizers")):
        names.clear()
        names.update(titles[kind])


def default_title(name: str) -> str:
    """The title of what has none in conf/: BBO for bbo."""
    return name.replace("_", " ").upper()


def model_name(name: str) -> str:
    """The title of a model."""
    return _MODELS.get(name, default_title(name))


def optimizer_name(name: str) -> str:
    """The title of an optimizer."""
    return _OPTIMIZERS.get(name, default_title(name))


def pair_name(model: str, optimizer: str) -> str:
    """Model and optimizer as the paper writes them together: MODN+BBO."""
    return f"{model_name(model)}+{optimizer_name(optimizer)}"


def listed(names: list[str], most: int = 4) -> str:
    """The names in one line, the first few of them if there are many."""
    return ", ".join(names if len(names) <= most else [*names[:most], f"and {len(names) - most} more"])
