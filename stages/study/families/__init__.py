"""Families of models: what the study has to know of MODN, DNM and the MLP to train and judge them.

Each family is one module of this package, named as `family` in conf/models/*.yaml, with a class under
`@register`. It is imported when it is asked for, so that a training depends on its own family alone.
"""

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from modn import methods, optimizers
from modn.constraints import Constraint, check
from modn.methods import Method, Training

if TYPE_CHECKING:
    from stages.study.cells import Cell

Arrays = dict[str, np.ndarray]
Block = Mapping[str, Any]  # a file of conf/models or conf/optimizers

COMMON = ("title", "family")  # what every block of conf/models has


class Classifier(Protocol):
    """A trained model."""

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """The probability of each class (N, C)."""


class Family(ABC):
    """One family; `allowed` has its own parameters in conf/models, `defaults` those that may be left out."""

    name: ClassVar[str]
    allowed: ClassVar[Mapping[str, Constraint]] = {}
    defaults: ClassVar[Mapping[str, Any]] = {}
    tuned: ClassVar[tuple[str, ...]] = ("dendrites", "alpha_s", "alpha_t")  # what `tune` searches

    def parameters(self, model: Block) -> dict[str, Any]:
        """The family's own parameters of a model, by name."""
        return {**self.defaults, **{name: value for name, value in model.items() if name not in COMMON}}

    def check(self, key: str, model: Block) -> None:
        """Raise a ValueError unless the family's own parameters are allowed; `key` is the model's."""
        own = self.parameters(model)
        for name in own:
            if name not in self.allowed:
                allowed = ", ".join(sorted([*COMMON, *self.allowed]))
                raise ValueError(f"there is no key '{key}.{name}'; allowed: {allowed}")
        for name, constraint in self.allowed.items():
            check(f"{key}.{name}", own.get(name), constraint)

    def suits(self, n_classes: int) -> bool:
        """Whether the family can tell so many classes apart."""
        return True

    def multiple_of(self, model: Block, n_classes: int) -> int:
        """What the model's number of dendrites has to be a multiple of."""
        return 1

    def check_dendrites(self, key: str, model: Block, n_dendrites: int, n_classes: int) -> None:
        """Raise a ValueError with the key if the model cannot have so many dendrites for so many classes."""
        multiple = self.multiple_of(model, n_classes)
        if n_dendrites % multiple:
            share = f"{model['title']} gives each of {n_classes} classes the same number"
            raise ValueError(f"{key} is {n_dendrites}; allowed: multiples of {multiple}, since {share}")

    def method(self, model: Block, optimizer: Block, cap: int | None = None) -> Method:
        """How an optimizer trains the model; `cap`: the most iterations of any kind but on the parameters."""
        return method_of(optimizer)

    def evaluations(self, model: Block, method: Method, budget: int) -> int:
        """How many individuals one run evaluates."""
        return method.work(None, budget).evaluations

    @abstractmethod
    def train(
        self,
        cell: "Cell",
        method: Method,
        budget: int,
        X: np.ndarray,
        y: np.ndarray,
        rng: np.random.Generator,
    ) -> Arrays:
        """What is stored of one run: at least those of `stored`."""

    @abstractmethod
    def model(self, cell: "Cell", arrays: Arrays, n_features: int) -> Classifier:
        """The trained model; `arrays` are those of one run."""

    def facts(self, model: Any, arrays: Arrays, X: np.ndarray, y: np.ndarray) -> dict[str, float]:
        """The loss on the training part, and what `filter_facts` says."""
        return {"loss": float(arrays["curve"][-1]), **self.filter_facts(arrays)}

    def filter_facts(self, arrays: Arrays) -> dict[str, float]:
        """Dendrites that feed no class, and several; the share of P that differs from the partition."""
        return {"inoperative": 0, "communal": 0, "moved": 0.0}


_REGISTRY: dict[str, Family] = {}


def register(cls: type[Family]) -> type[Family]:
    """Class decorator: make a family known by its name."""
    module = cls.__module__.rpartition(".")[2]
    if cls.name != module:
        raise ValueError(f"the family {cls.name!r} is in {module}.py; allowed: {cls.name}.py")
    _REGISTRY[cls.name] = cls()
    return cls


def names() -> list[str]:
    """The families' names, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def get(name: str) -> Family:
    """The family of a name."""
    if name not in names():
        raise ValueError(f"family is {name!r}; allowed: {', '.join(names())}")
    importlib.import_module(f"{__name__}.{name}")
    return _REGISTRY[name]


def method_of(optimizer: Block, filter: str | None = None, **scheme: int) -> Method:
    """The method of a file of conf/optimizers; `filter` and `scheme` as in `methods.make`.

    One file serves all families: what only models with a filter use is left out for the others.
    """
    known = methods.parameters(optimizer["algorithm"], filter is not None)
    return methods.make(optimizer["algorithm"], filter, **scheme, **_options(optimizer, known))


def modules_of(optimizer: Block) -> tuple[str, str]:
    """The modules of modn.optimizers that an algorithm is in; of a pair, both."""
    parts = [optimizers.parameters_class(part) for part in optimizer["algorithm"].split(methods.JOINED)]
    modules = [part.__module__.rpartition(".")[2] for part in parts]
    return modules[0], modules[-1]


def _options(optimizer: Block, known: Mapping[str, Any]) -> dict[str, Any]:
    """The known ones, of both parts of a pair."""
    return {
        name: _options(value, known[name]) if isinstance(value, Mapping) else value
        for name, value in optimizer.items()
        if name in known
    }


def stored(training: Training) -> Arrays:
    """What is stored of every training, whatever its family."""
    return {
        "parameters": training.parameters,
        "curve": training.curve,
        "evaluations": np.array(training.evaluations),
    }
