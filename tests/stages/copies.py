"""Copies of the project for tests to run in: in this process (`Place`), or as real commands (`Project`)."""

import functools
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any

import yaml
from omegaconf import OmegaConf

from stages.config import composition, hydra_conf
from stages.config.derived import derive
from stages.config.schema import Parameters

ROOT = Path(__file__).resolve().parents[2]
CONF = ROOT / "conf"
PIECES = [
    ".dvc/.gitignore",
    ".dvc/config",
    ".dvcignore",
    ".gitignore",
    ".dvc/plots",
    "conf",
    "data/raw",
    "dvc.yaml",
    "modn",
    "stages",
]


# What conf/ chooses where nothing is overridden: a newcomer joins its lists.
LISTED = yaml.safe_load((ROOT / "conf/config.yaml").read_text())
# What it chooses of each group.
CHOSEN = {
    group: names for entry in LISTED["defaults"] if isinstance(entry, dict) for group, names in entry.items()
}


def pairs(comparison: dict[str, str], tuned: dict[str, str]) -> list[str]:
    """Overrides that make the studies train these pairs only, whatever else conf/ lists."""
    studies = (
        ("comparison", LISTED["comparison"], comparison),
        ("tuned.methods", LISTED["tuned"]["methods"], tuned),
    )
    return [
        f"{key}.{model}=[{optimizers}]"
        for key, listed, chosen in studies
        for model, optimizers in (dict.fromkeys(listed, "") | chosen).items()
    ]


# Two datasets, two optimizers, few iterations, in the default profile.
FEW = [
    "profile=quick",
    "runs=2",
    "max_iterations=3",
    "runtime.workers=1",
    "datasets=[iris,caesarian]",
    "datasets/targets=[]",
    "optimizers=[bbo,pso,bp,adam]",
    *pairs({"modnf": "bbo,pso"}, {"modn": "bbo", "mlp": "bp"}),
    "baselines=[modn,knn]",
    "predictors=[linear]",
    "resplits=2",
    "circuits.datasets=[iris]",
    "circuits.sizes=[1,3]",
    "sensitivity.dendrites=[4,8]",
    "sensitivity.alpha_s=[5,10]",
    "sensitivity.alpha_t=[1]",
    "arena.models=[modnp]",
    "arena.optimizers=[bbo,adam]",
    "arena.datasets=[iris]",
    "arena.budgets=[300,600]",
]


# One of each kind of classifier beside all else.
FEW_FITS = ["datasets/targets=[]", "baselines=[knn]", "readable=[tree]", "predictors=[linear]"]


# And one dataset: composed in half the time of the default.
LITTLE = ["datasets=[iris]", *FEW_FITS]


# And one training, by one of two optimizers: composed in a third of the time.
LEAST = [*LITTLE, "optimizers=[bbo,pso]", "arena.datasets=[]", *pairs({"modn": "bbo"}, {})]


# One dataset and one training.
SMALL = (
    "profile=smoke",
    "datasets=[iris]",
    "datasets/targets=[]",
    "runs=1",
    "max_iterations=1",
    "models=[modn,modnp,modnf]",
    *pairs({"modnf": "bbo"}, {}),
    "sensitivity.datasets=[]",
    "baselines=[]",
    "readable=[tree]",
    "predictors=[linear]",
    "arena.datasets=[]",
    "split=sound",
)


# Two datasets in the least profile: composed once for the tests of many stages, which change values of it.
SMOKE = ("profile=smoke", "datasets=[iris,caesarian]", "datasets/targets=[]")


COMPOSE = composition.compose_plan
COMPOSED: dict[tuple[object, ...], Parameters] = {}  # to compose takes half a second


def choices(group: str) -> list[str]:
    """The files of a group of conf/."""
    return sorted(path.stem for path in (CONF / group).glob("*.yaml"))


def load(text: str) -> dict[str, Any]:
    """As yaml.safe_load, but fast."""
    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@functools.cache
def composed_text(*overrides: str, base: tuple[str, ...] = tuple(LITTLE)) -> str:
    composition.register()
    return composition.compose_conf([*base, *overrides])


@functools.cache
def composed(*overrides: str) -> str:
    composition.register()
    return composition.compose_conf([*SMALL, *overrides])


def changed(values: dict[str, Any], *overrides: str) -> Parameters:
    """The parameters with other values, checked; Hydra's composition takes four times as long."""
    for override in overrides:
        key, _, value = override.removeprefix("+").partition("=")
        *above, last = key.split(".")
        functools.reduce(lambda node, name: node[name], above, values)[last] = yaml.safe_load(value)
    parameters = hydra_conf.checked_values({**values, "derived": {}})
    return replace(parameters, derived=derive(parameters))


@dataclass
class Place:
    """A folder that the stages called in this process take for the project's."""

    root: Path

    def parameters(self, *overrides: str) -> Parameters:
        """What conf/ composes to; a stage reads the same from params.yaml (test_params_file.py)."""
        return self._kept(overrides, lambda: COMPOSE(list(overrides)))

    def write_parameters(self, parameters: Parameters) -> None:
        """Put them in force for stages that are run as commands."""
        (self.root / "params.yaml").write_text(OmegaConf.to_yaml(OmegaConf.create(asdict(parameters))))

    def changed(self, override: str, *others: str) -> Parameters:
        """parameters(*others, override), of which only a choice of a group is composed."""
        return self.variant(others, override)

    def variant(self, base: Iterable[str], *overrides: str) -> Parameters:
        """parameters(*base, *overrides), of which only base and choices of groups are composed.

        What conf/split/sound.yaml refers to, seed and runs, belongs to the base if that file is chosen.
        """
        base = tuple(base)
        choices = [override for override in overrides if self._chooses(override)]
        values = [override for override in overrides if override not in choices]

        def make() -> Parameters:
            parameters = self.parameters(*base, *choices)
            return changed(asdict(parameters), *values) if values else parameters

        return self._kept(("variant", base, overrides), make)

    def _kept(self, asked: tuple[object, ...], make: Callable[[], Parameters]) -> Parameters:
        """A copy of what was made when the same was asked, by the same files of conf/."""
        key = (*asked, *contents(self.root, "conf").items())
        if key not in COMPOSED:
            COMPOSED[key] = make()
        return deepcopy(COMPOSED[key])

    def _chooses(self, override: str) -> bool:
        return (self.root / "conf" / override.partition("=")[0]).is_dir()

    def made(self) -> dict[str, bytes]:
        """Everything that stages have written so far."""
        return contents(self.root, "data", leave_out="data/raw")

    def restore(self, made: dict[str, bytes]) -> None:
        """Write what stages have made in another place."""
        for name, content in made.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_bytes(content)

    def forget(self) -> None:
        """Remove the store, so that all is computed again."""
        shutil.rmtree(self.root / "data/store", ignore_errors=True)


def composed_once(overrides: list[str]) -> Parameters:
    """As composition.compose_plan, but it remembers what it has composed from the same conf/."""
    return Place(composition.ROOT).parameters(*overrides)


@dataclass
class Project:
    """A copy of the project, in git, to run commands in."""

    root: Path
    site_cache: Path

    def run(
        self, *command: str, environment: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end; its output is one text, as on a terminal."""
        return subprocess.run(
            command,
            cwd=self.root,
            env=self.environment() | (environment or {}),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=900,  # on a busy machine
        )

    def environment(self) -> dict[str, str]:
        """Ours without what belongs to another repository or user."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "DVC_"))}
        author = {
            f"GIT_{who}_{what}": "test@example.org"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        return kept | author | {
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "DVC_SITE_CACHE_DIR": str(self.site_cache),
            "DVC_NO_ANALYTICS": "1",
            "NUMBA_NUM_THREADS": "1",
        }  # fmt: skip

    @contextmanager
    def started(
        self, *command: str, output: IO[str] | int = subprocess.PIPE, folder: Path | None = None
    ) -> Iterator[subprocess.Popen[str]]:
        """A command with a process group of its own, as a terminal gives it one; nothing of it is left."""
        with subprocess.Popen(
            command,
            cwd=folder or self.root,
            env=self.environment() | {"PYTHONUNBUFFERED": "1"},
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # background jobs ignore it
        ) as process:
            try:
                yield process
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)

    def succeed(self, *command: str) -> str:
        """The output of a command that must succeed."""
        done = self.run(*command)
        assert done.returncode == 0, f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}"
        return done.stdout

    def stage(self, name: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """python -m stages.<name>."""
        return self.run("python", "-m", f"stages.{name}", *arguments, environment=environment)

    def experiment(self, *overrides: str, stage: str | None = None) -> "Outcome":
        """`dvc exp run` of the few cells that the tests train, with changes; up to a stage, or all of it."""
        settings = [part for override in [*FEW, *overrides] for part in ("-S", override)]
        return Outcome(self.succeed("dvc", "exp", "run", *settings, *([stage] if stage else [])))

    def rerun(self, *overrides: str, stages: Sequence[str] = ()) -> "Outcome":
        """The same by `dvc repro`, which takes a fifth less time; test_configuration.py compares the two."""
        self.succeed("python", "-m", "stages.tools.params", *FEW, *overrides)
        return Outcome(self.succeed("dvc", "repro", *stages))

    def repro(self) -> "Outcome":
        return Outcome(self.succeed("dvc", "repro"))

    def commit(self, message: str) -> None:
        self.succeed("git", "add", "--all")
        self.succeed("git", "commit", "--quiet", "--message", message)

    def forget(self) -> None:
        """Remove the store, so that all is computed again."""
        shutil.rmtree(self.root / "data/store", ignore_errors=True)

    def contents(self) -> dict[str, bytes]:
        """Every file of the project, whoever keeps it; not what tools keep for themselves."""
        return contents(self.root, ".", leave_out=".dvc/tmp")


@dataclass
class Outcome:
    """What DVC did, as it says itself."""

    text: str

    @property
    def ran(self) -> set[str]:
        return {name for name, _ in self._stages("Running stage '")}

    @property
    def restored(self) -> set[str]:
        return {name for name, rest in self._stages("Stage '") if "is cached - skipping run" in rest}

    @property
    def skipped(self) -> set[str]:
        return {name for name, rest in self._stages("Stage '") if "didn't change, skipping" in rest}

    def _stages(self, beginning: str) -> Iterator[tuple[str, str]]:
        for line in self.text.splitlines():
            if line.startswith(beginning):
                name, _, rest = line.removeprefix(beginning).partition("'")
                yield name, rest


def contents(root: Path, folder: str, leave_out: str = ".dvc/tmp") -> dict[str, bytes]:
    """Relative path -> bytes of all files below a folder, but for caches, the store and what tools keep."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted((root / folder).rglob("*"))
        if path.is_file()
        and not path.is_relative_to(root / leave_out)
        and not {"__pycache__", ".git", "cache", "store"} & set(path.relative_to(root).parts)
    }


def from_store(text: str) -> int:
    """How many runs a stage took from the store, as it says itself."""
    lines = [line for line in text.splitlines() if "were in data/store" in line]
    return int(lines[0].split(": ")[1].split()[0]) if lines else 0


def copy_of(project: Project, folder: Path) -> Project:
    shutil.copytree(project.root, folder / "project", symlinks=True)
    return Project(folder / "project", project.site_cache)
