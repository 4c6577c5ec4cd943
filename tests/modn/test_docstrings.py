"""The examples in docstrings."""

import doctest
import inspect
import pkgutil
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import modn


def with_examples() -> list[str]:
    """The modules whose docstrings hold examples."""
    folder = Path(modn.__file__).parent
    files = [path for path in folder.rglob("*.py") if ">>> " in path.read_text(encoding="utf-8")]
    names = [".".join(("modn", *path.relative_to(folder).with_suffix("").parts)) for path in files]
    return sorted(name.removesuffix(".__init__") for name in names)


def public() -> dict[str, Any]:
    """The modules, classes and functions that `__all__` of the package and of its modules name."""
    found = pkgutil.walk_packages(modn.__path__, "modn.")
    modules = [
        modn,
        *(import_module(module.name) for module in found if not module.name.endswith("__main__")),
    ]
    things = {
        f"{module.__name__}.{name}": getattr(module, name)
        for module in modules
        for name in getattr(module, "__all__", [])
    }
    kinds = (inspect.ismodule, inspect.isclass, inspect.isroutine)
    return {name: thing for name, thing in things.items() if any(kind(thing) for kind in kinds)}


def test_every_public_name_has_an_example() -> None:
    names = public()
    assert len(names) > 70 and {"modn.MODNClassifier", "modn.explain.rules", "modn.plots.save"} <= set(names)
    documented = {name: inspect.getdoc(thing) or "" for name, thing in names.items()}
    assert [name for name, text in documented.items() if not doctest.DocTestParser().get_examples(text)] == []


def test_every_method_of_a_public_class_is_documented() -> None:
    """The inherited ones as well, if they are ours; an override may leave the words to its base class."""
    found = {}
    for name, thing in public().items():
        for member, value in inspect.getmembers_static(thing) if inspect.isclass(thing) else []:
            function = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
            ours = inspect.isfunction(function) and function.__module__.startswith("modn")
            if ours and not member.startswith("_"):
                found[f"{name}.{member}"] = inspect.getdoc(getattr(thing, member))
    assert len(found) > 100 and [name for name, text in found.items() if not text] == []


def test_the_examples_of_public_names_are_run() -> None:
    """By the test below, which goes through modules: where something is defined, not where it is named."""
    homes = {getattr(thing, "__module__", None) or thing.__name__ for thing in public().values()}
    assert homes <= set(with_examples())


def test_public_modules_say_what_is_public() -> None:
    for name in modn.__all__:
        if inspect.ismodule(getattr(modn, name)):
            assert getattr(modn, name).__all__, name


@pytest.mark.parametrize("module", with_examples())
def test_examples_in_docstrings(module: str) -> None:
    failed, attempted = doctest.testmod(import_module(module))
    assert attempted > 0 and failed == 0
