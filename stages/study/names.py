"""Models and optimizers as the paper writes them."""

_OPTIMIZERS = {"bp_exact": "BP (exact)", "adam": "Adam", "bbo_adam": "BBO+Adam"}


def model_name(slug: str) -> str:
    """The model as the paper writes it."""
    return slug.replace("_", " ").upper()


def optimizer_name(slug: str) -> str:
    """The optimizer as the paper writes it."""
    return _OPTIMIZERS.get(slug, slug.replace("_", " ").upper())


def pair_name(model: str, optimizer: str) -> str:
    """Model and optimizer as the paper writes them together: MODN+BBO."""
    return f"{model_name(model)}+{optimizer_name(optimizer)}"


def listed(names: list[str], most: int = 4) -> str:
    """The names in one line, the first few of them if there are many."""
    return ", ".join(names if len(names) <= most else [*names[:most], f"and {len(names) - most} more"])
