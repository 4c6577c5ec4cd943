"""dvc.yaml: a stage depends on every source file and every parameter that its results depend on.

The sources are found in the code by stages.io.sources, which test_sources.py checks against what is executed.
A stage depends on all modules of a registry, which are imported by name; but a training only on its own
family and optimizers, and a fit on its own estimator. The package stages.config is left out: it yields the
parameters, which DVC tracks one by one.
"""

import functools
import inspect
import json
import shutil
import sys
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from copies import ROOT, Place, changed, composed, load, pairs

from modn import methods, optimizers, plots
from stages.arena import arena
from stages.config.derived import derive
from stages.config.schema import TASKS, Parameters
from stages.evaluate import evaluate
from stages.fetch import fetch
from stages.fit import GROUPS, fit
from stages.io import sources
from stages.plot import plot
from stages.resplit import resplit
from stages.split import split
from stages.study import baselines, families
from stages.tools import sources as sources_stage
from stages.train import train
from stages.tune import tune

PARAMS = load((ROOT / "params.yaml").read_text())
SOURCES = "data/sources/"  # how the files begin that hold hashes


@dataclass(frozen=True)
class Stage:
    """A stage of dvc.yaml, or one of those of a `foreach`."""

    name: str
    command: list[str]
    deps: list[str]
    params: list[str]

    @property
    def module(self) -> str:
        return self.command[2]

    @property
    def arguments(self) -> dict[str, str]:
        return dict(argument.split("=") for argument in self.command[3:])

    @property
    def hashed(self) -> set[str]:
        """The sources on which it depends by their hashes."""
        return {file for dep in self.deps if dep.startswith(SOURCES) for file in hashed()[dep]}

    def depends_on(self, file: str) -> bool:
        """By itself, or by its hash."""
        return file in self.hashed or any(Path(file).is_relative_to(dep) for dep in self.deps)


def stages(params: dict[str, Any]) -> Iterator[Stage]:
    for name, described in yaml.safe_load((ROOT / "dvc.yaml").read_text())["stages"].items():
        if "foreach" not in described:
            yield Stage(name, *filled(described, {"profile": params["profile"]}))
            continue
        items = params
        for key in described["foreach"].strip("${}").split("."):
            items = items[key]
        for key, item in items.items():
            values = {"key": key, **{f"item.{field}": value for field, value in item.items()}}
            yield Stage(f"{name}@{key}", *filled(described["do"], values))


def filled(described: dict[str, Any], values: dict[str, str]) -> tuple[list[str], list[str], list[str]]:
    def fill(text: str) -> str:
        for name, value in values.items():
            text = text.replace(f"${{{name}}}", value)
        return text

    deps, params = ([fill(text) for text in described.get(kind, [])] for kind in ("deps", "params"))
    return fill(described["cmd"]).split(), deps, params


@functools.cache
def hashed() -> dict[str, set[str]]:
    """The sources in each file of data/sources."""
    return {
        f"data/sources/{name}.json": {file.relative_to(ROOT).as_posix() for file in imported}
        for name, imported in sources_stage.closures()
    }


STAGES = {stage.name: stage for stage in stages(PARAMS)}
if not PARAMS["derived"]["searches"]:  # the default profile does not tune
    TUNED = changed(deepcopy(PARAMS), "tuned.values=both")
    TUNING = {"profile": TUNED.profile, "derived": derive(TUNED)}
    STAGES |= {
        stage.name: stage for stage in stages(TUNING) if stage.name.startswith(("tune@", "train@retuned"))
    }


# The sources


def imported(modules: set[str], registries: Mapping[str, set[str]] | None = None) -> set[str]:
    return {str(file.relative_to(ROOT)) for file in sources.closure(modules, registries)}


def home(thing: type) -> str:
    return inspect.getmodule(thing).__name__  # type: ignore[union-attr]


def estimators(*paths: str) -> set[str]:
    """The modules of estimators, if they are the project's."""
    classes = [baselines.estimator_class(path) for path in paths]
    return {home(cls) for cls in classes if home(cls).startswith("modn.")}


@functools.cache
def needed(name: str) -> set[str]:
    stage = STAGES[name]
    if stage.module in ("stages.train", "stages.tune"):
        algorithm = PARAMS["optimizers"][stage.arguments["optimizer"]]["algorithm"]
        family = PARAMS["models"][stage.arguments["model"]]["family"]
        registries = {
            "modn.optimizers": {
                home(optimizers.parameters_class(part)) for part in algorithm.split(methods.JOINED)
            },
            "stages.study.families": {home(type(families.get(family)))},
        }
        return imported({stage.module}, registries)
    if stage.module == "stages.arena":  # its models are all of one family
        return imported({stage.module}, {"stages.study.families": {home(type(families.get("modn")))}})
    if stage.module == "stages.fit":
        block = PARAMS[GROUPS[stage.arguments["study"]]][stage.arguments["baseline"]]
        blocks = [block[task] for task in TASKS if block[task]] if "estimator" not in block else [block]
        return imported({stage.module} | estimators(*(own["estimator"] for own in blocks)))
    found = imported({stage.module})
    if "stages/study/baselines.py" in found:
        found |= imported(estimators(*(block["estimator"] for block in PARAMS["baselines"].values())))
    return found


@pytest.mark.parametrize("name", [name for name in STAGES if name != "params"])  # it only checks
@pytest.mark.slow
def test_a_stage_depends_on_every_source_that_it_imports(name: str) -> None:
    stage = STAGES[name]
    assert {file for file in needed(name) if not stage.depends_on(file)} == set()


def test_every_stage_was_looked_at() -> None:
    modules = {path.stem for path in (ROOT / "stages").glob("*.py")} - {"__init__"}
    tools = {"stages.tools.params", "stages.tools.sources"}
    assert {stage.module for stage in STAGES.values()} - tools == {f"stages.{module}" for module in modules}
    trained = {name for name in STAGES if name.startswith("train@")}
    assert trained >= {f"train@{name}" for name in PARAMS["derived"]["trainings"]}
    assert {"tune@modn-bbo", "train@retuned-modn-bbo"} <= set(STAGES)
    kernels = needed("train@comparison-modn-bbo")
    assert {"modn/fast/kernels.py", "modn/gradients.py", "modn/optimizers/bbo.py"} <= kernels
    assert "modn/optimizers/pso.py" not in kernels


HASHING = [name for name, stage in STAGES.items() if any(dep.startswith(SOURCES) for dep in stage.deps)]


@pytest.mark.parametrize("name", HASHING)
def test_what_is_hashed_is_imported(name: str) -> None:
    """A training depends on no source that it does not import; a fit of ours on all estimators of ours."""
    stage = STAGES[name]
    assert not [dep for dep in stage.deps if dep.startswith(("modn", "stages"))], "all are hashed"
    ours = set(sources.registered("modn.estimators")) if "data/sources/fit-modn.json" in stage.deps else set()
    assert stage.hashed == needed(name) | imported(ours)


def test_trainings_and_fits_depend_on_hashes() -> None:
    kinds = {name.partition("@")[0] for name in HASHING}
    assert kinds == {"arena", "fit", "train", "tune"}
    assert {STAGES[name].module for name in HASHING} == {f"stages.{kind}" for kind in kinds}
    hashing = [name for name in STAGES if name.partition("@")[0] in kinds]
    assert hashing == HASHING
    for dep in STAGES["sources"].deps:
        assert (ROOT / dep).is_dir(), "with whatever is added there"
    assert all(STAGES["sources"].depends_on(file) for files in hashed().values() for file in files)


@pytest.mark.slow
def test_a_change_of_a_source_changes_the_hashes_of_those_that_import_it(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = hashed()  # before the project is another
    for folder in ("modn", "stages"):
        shutil.copytree(ROOT / folder, place.root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(sources, "ROOT", place.root)
    monkeypatch.setattr(sys, "argv", ["sources"])

    def written() -> dict[str, dict[str, str]]:
        sources_stage.main()
        found = (place.root / "data/sources").rglob("*.json")
        return {str(file.relative_to(place.root)): json.loads(file.read_text()) for file in found}

    before = written()
    assert {name: set(hashes) for name, hashes in before.items()} == expected
    edited = "modn/fast/kernels.py"
    (place.root / edited).write_text((place.root / edited).read_text() + "# changed\n")
    after = written()
    for name, hashes in before.items():
        changed = {file for file in hashes if after[name][file] != hashes[file]}
        assert changed == {edited} & expected[name], name
    assert before["data/sources/fit.json"] == after["data/sources/fit.json"]
    assert before["data/sources/fit-modn.json"] != after["data/sources/fit-modn.json"]


def test_a_baseline_of_another_library_does_not_depend_on_our_kernels() -> None:
    assert not STAGES["fit@knn"].depends_on("modn/fast/kernels.py")
    assert STAGES["fit@modn"].depends_on("modn/fast/kernels.py")
    assert not STAGES["fit@circuits-tree"].depends_on("modn/fast/kernels.py")
    assert STAGES["fit@circuits-circuit"].depends_on("modn/explain/circuit.py")


def test_every_source_that_is_declared_exists() -> None:
    for stage in STAGES.values():
        for dep in stage.deps:
            if dep.startswith(("modn", "stages", "data/raw")):
                assert (ROOT / dep).exists(), f"{stage.name}: {dep}"


def test_what_is_no_source_but_lies_beside_them_is_a_dependency() -> None:
    """The style and the script of the page."""
    tracked = [path for path in (ROOT / "stages").rglob("*") if path.suffix not in ("", ".py", ".pyc")]
    assert tracked
    for path in tracked:
        assert STAGES["report"].depends_on(str(path.relative_to(ROOT))), path


# The parameters


# Of these a stage may read some members and not others.
DIVIDED = {
    *("arena", "baselines", "circuits", "extra", "models", "optimizers", "predictors", "readable", "targets"),
    *("derived", "derived.resplits", "derived.searches", "derived.trainings", "derived.values"),
}


class Recorder:
    """Parameters, or a divided part of them, that remember the keys whose values were read."""

    def __init__(self, value: Any, key: str, read: set[str]) -> None:
        self._value, self._key, self._read = value, key, read

    def __getattr__(self, name: str) -> Any:
        if is_dataclass(self._value):
            return self._member(name, getattr(self._value, name))
        self._read.add(self._key)  # items(), values(): all of it
        return getattr(self._value, name)

    def __getitem__(self, name: str) -> Any:
        return self._member(name, self._value[name])

    def __contains__(self, name: str) -> bool:
        return name in self._value  # it is in the stage's command, too

    def __iter__(self) -> Iterator[str]:
        self._read.add(self._key)
        return iter(self._value)

    def _member(self, name: str, value: Any) -> Any:
        key = f"{self._key}.{name}".lstrip(".")
        if key in DIVIDED:
            return Recorder(value, key, self._read)
        self._read.add(key)
        return value


def read_by(parameters: Parameters, function: Any, *arguments: str) -> set[str]:
    read: set[str] = set()
    function(Recorder(parameters, "", read), *arguments)
    return read


@pytest.mark.slow
def test_every_parameter_that_a_stage_reads_is_declared(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All but `runtime`, on which no result depends; the report has them all."""
    monkeypatch.setattr(plots, "save", lambda figure, path: path.touch())  # figures know no parameters
    parameters = place.parameters(
        "profile=smoke", "datasets=[iris,caesarian]", "runs=1", "max_iterations=1", "optimizers=[bbo,bp]",
        *pairs({"modn": "bbo", "modnp": "bp"}, {"modn": "bbo", "dnm": "bbo", "mlp": "bp"}), "baselines=[knn]",
        "datasets/extra=[tae]", "extra.resplits=1", "circuits.datasets=[caesarian]", "predictors=[linear]",
        "tuned.values=both", "circuits.sizes=[1]", "arena.models=[modn]",
    )  # fmt: skip
    described = {stage.name: stage for stage in stages({"profile": "smoke", "derived": parameters.derived})}
    calls: dict[str, tuple[Any, ...]] = {"fetch": (fetch,), "split": (split,), "resplit": (resplit,)}
    for name, search in parameters.derived["searches"].items():
        calls[f"tune@{name}"] = (tune, search["model"], search["optimizer"])
    for name, training in parameters.derived["trainings"].items():
        calls[f"train@{name}"] = (train, training["study"], training["model"], training["optimizer"])
    calls |= {
        "arena": (arena,),
        "fit@knn": (fit, "baselines", "knn"),
        "fit@extra-knn": (fit, "extra", "knn"),
        "fit@circuits-circuit": (fit, "circuits", "circuit"),
        "fit@circuits-tree": (fit, "circuits", "tree"),
        "fit@targets-linear": (fit, "targets", "linear"),
        "evaluate": (evaluate,),
        "plot": (plot,),
    }
    for name, (function, *arguments) in calls.items():
        for key in read_by(parameters, function, *arguments) - {"runtime"}:
            if key.startswith(("derived.searches.", "derived.trainings.")):
                continue  # all of it is in the stage's command and in its dependencies
            declared = [f"{whole}." for whole in described[name].params]
            assert f"{key}.".startswith(tuple(declared)), f"{name} reads {key}"


@pytest.mark.slow
def test_the_report_depends_on_all_parameters_but_runtime() -> None:
    """By their hash."""
    assert STAGES["report"].params == ["derived.sha256", "profile"]

    def hashed(override: str) -> str:
        return str(changed(load(composed()), override).derived["sha256"])

    own = load(composed())["derived"]["sha256"]
    assert hashed("runtime.workers=2") == own
    others = ("split.seed=5", "grid_folds=5", "seed=7", "datasets.iris.test_size=20", "alpha_s=5")
    assert len({own, *map(hashed, others)}) == 1 + len(others)


def test_no_stage_depends_on_where_it_runs() -> None:
    for stage in STAGES.values():
        assert not [key for key in stage.params if key.split(".")[0] == "runtime"], stage.name


def test_alpha_s_is_no_parameter_of_what_is_trained_at_tuned_values() -> None:
    values = yaml.safe_load((ROOT / "params.yaml").read_text())["derived"]["values"]
    assert values["comparison"]["alpha_s"] == PARAMS["alpha_s"]
    for name, stage in STAGES.items():
        if name.startswith("train@"):
            studies = [key.removeprefix("derived.values.") for key in stage.params if "derived.values" in key]
            assert studies == [stage.arguments["study"]]
            assert not {"alpha_s", "alpha_t", "dendrites", "derived"} & set(stage.params)
