"""The copies of the project that tests ask for.

One pipeline is run, once for all processes, in a copy of the sources; each test gets a copy of that copy,
compiled kernels and DVC's cache included, so that it pays only for what it changes.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from copies import PIECES, ROOT, Outcome, Place, Project, composed_once, copy_of
from sharing import made_once

from stages.config import composition
from stages.io import files
from stages.study import names

TITLES = yaml.safe_load((ROOT / "params.yaml").read_text())["derived"]["titles"]
SAID = "dvc.txt"  # what DVC said in a run


@pytest.fixture(autouse=True)
def titles() -> None:
    """Models and optimizers have the titles in conf/, whatever an earlier test ran with."""
    names.use(TITLES)


@pytest.fixture(scope="session")
def defaults(request: pytest.FixtureRequest) -> Path:
    """Where all places of all processes keep the defaults that conf/ composes to, which takes a second."""
    return made_once(request, "defaults", lambda folder: None)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, defaults: Path) -> Place:
    root = tmp_path / "place"
    for piece in ("conf", "data/raw"):
        shutil.copytree(ROOT / piece, root / piece)
    (root / ".dvc/tmp").mkdir(parents=True)
    (root / ".dvc/tmp/defaults").symlink_to(defaults)
    composition.register()
    monkeypatch.setattr(composition, "ROOT", root)
    for name, value in vars(files).items():
        if isinstance(value, Path):
            monkeypatch.setattr(files, name, root / value.relative_to(ROOT))
    return Place(root)


@pytest.fixture
def composed_once_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of what composes the same parameters again and again."""
    monkeypatch.setattr(composition, "compose_plan", composed_once)


@pytest.fixture
def coarse(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures are drawn with a sixteenth of their pixels, for tests that do not look at them."""
    from modn.plots import style  # here, since it takes half a second

    monkeypatch.setitem(style._SETTINGS, "savefig.dpi", 36)


@pytest.fixture
def runnable(place: Place) -> Project:
    """The place with sources, to run stages as commands too; neither git nor DVC knows it."""
    for package in ("modn", "stages"):
        shutil.copytree(ROOT / package, place.root / package)
    return Project(place.root, place.root / ".dvc/tmp")


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The sources as committed, with the params.yaml that they compose to; nothing has been run."""
    folder = tmp_path_factory.mktemp("sources")
    project = Project(folder / "project", folder / "site-cache")
    for piece in PIECES:
        target = project.root / piece
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / piece).is_dir():
            shutil.copytree(ROOT / piece, target)  # with times: what numba has compiled stays valid
        else:
            shutil.copy2(ROOT / piece, target)
    project.succeed("git", "init", "--quiet")
    project.succeed("python", "-m", "stages.tools.params")
    project.commit("Sources")
    return project


@pytest.fixture(scope="session")
def finished(request: pytest.FixtureRequest, sources: Project) -> tuple[Project, Outcome]:
    """A project whose pipeline has run once, its results committed; and what DVC said."""

    def make(folder: Path) -> None:
        project = copy_of(sources, folder)
        (folder / SAID).write_text(project.experiment().text)
        project.commit("First results")

    return _shared(made_once(request, "finished", make), sources)


@pytest.fixture(scope="session")
def softened(
    request: pytest.FixtureRequest, finished: tuple[Project, Outcome], sources: Project
) -> tuple[Project, Outcome]:
    """A finished project in which alpha_s was changed and all was run again; and what DVC said."""
    return _continued(request, "softened", finished, sources, Project.experiment, "alpha_s=5")


@pytest.fixture(scope="session")
def widened(
    request: pytest.FixtureRequest, finished: tuple[Project, Outcome], sources: Project
) -> tuple[Project, Outcome]:
    """A finished project, run again in another profile, with more datasets, numbers and labels."""
    extra = ("datasets/extra=[tae,saheart]", "extra.resplits=1")
    targets = ("datasets/targets=[slump,emotions]", "predictors=[modn_adam,linear]", "targets.resplits=2")
    return _continued(request, "widened", finished, sources, Project.rerun, "profile=smoke", *extra, *targets)


def _continued(
    request: pytest.FixtureRequest,
    name: str,
    finished: tuple[Project, Outcome],
    sources: Project,
    run: Callable[..., Outcome],
    *overrides: str,
) -> tuple[Project, Outcome]:
    def make(folder: Path) -> None:
        project = copy_of(finished[0], folder)
        (folder / SAID).write_text(run(project, *overrides).text)

    return _shared(made_once(request, name, make), sources)


def _shared(folder: Path, sources: Project) -> tuple[Project, Outcome]:
    """With a cache of this process for what DVC knows of files."""
    return Project(folder / "project", sources.site_cache), Outcome((folder / SAID).read_text())


@pytest.fixture
def fresh(sources: Project, tmp_path: Path) -> Project:
    """A project of one's own in which nothing has been run."""
    return copy_of(sources, tmp_path)


@pytest.fixture
def project(finished: tuple[Project, Outcome], tmp_path: Path) -> Project:
    """A project of one's own whose pipeline has run."""
    return copy_of(finished[0], tmp_path)
