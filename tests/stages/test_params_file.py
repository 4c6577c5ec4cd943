"""params.yaml: what is in it, which parameters are in force, and what a stage refuses."""

import pytest
import yaml
from copies import CHOSEN, LITTLE, ROOT, Place, composed, composed_once, composed_text, pairs

from stages.config import composition
from stages.config.schema import Parameters


@pytest.fixture(autouse=True)
def registered() -> None:
    composition.register()


OTHERS = [override for override in LITTLE if not override.startswith("datasets=")]
PAIRS = pairs(
    {"modn": "bbo,ga,pso", "modnp": "bbo,bp", "modnf": "bbo,bp,es"},
    {"modn": "bbo", "dnm": "bbo", "mlp": "bp,adam"},
)


def test_the_file_says_that_it_is_composed() -> None:
    first = (ROOT / "params.yaml").read_text().splitlines()[0]
    assert first.startswith("about: Composed from conf/, do not edit") and "dvc exp run" in first


BACK = "; `make params` returns to the defaults"


# Composed, and the values that are changed then.
LINES = {
    ("", ""): "profile quick",
    ("", "alpha_s=5"): f"profile quick, alpha_s=5 (default 10){BACK}",
    ("", "only.optimizers=[bbo]"): f"profile quick, only.optimizers=[bbo] (default null){BACK}",
    ("datasets=[iris]", ""): (
        f"profile quick, datasets=[iris] (default {len(CHOSEN['datasets'])} of them){BACK}"
    ),
    ("profile=smoke", ""): f"profile smoke{BACK} of quick",
    ("profile=smoke", "runs=4"): f"profile smoke, runs=4 (default 2){BACK} of quick",
}


@pytest.mark.slow
def test_a_line_tells_the_parameters_in_force(place: Place) -> None:
    for (choice, change), line in LINES.items():
        others = [choice] if choice else []
        parameters = place.changed(change, *others) if change else place.parameters(*others)
        assert composition.describe(parameters) == line
        assert "make params" not in composition.describe(parameters, way_back=False)


@pytest.mark.slow
def test_the_line_of_many_differences_is_short(place: Place) -> None:
    parameters = place.parameters()
    for dataset in parameters.datasets.values():
        dataset.iterations = 7
    line = composition.describe(parameters)
    more = len(parameters.datasets) - 6
    assert line.count("(default ") == 6 and f", and {more} more; `make params`" in line


@pytest.mark.slow
def test_the_defaults_are_composed_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are kept until conf/ changes."""
    kept = place.root / ".dvc/tmp/defaults"
    kept.unlink()  # those of other tests
    composed: list[list[str]] = []

    def compose(overrides: list[str]) -> Parameters:
        composed.append(overrides)
        return composed_once(overrides)

    monkeypatch.setattr(composition, "compose_plan", compose)
    parameters = place.parameters()
    assert composition.describe(parameters) == "profile quick"
    (path,) = kept.glob("*.json")
    content = path.read_text()
    path.write_text(content.replace('"alpha_s": 10.0', '"alpha_s": 11.0', 1))
    assert "alpha_s=10 (default 11)" in composition.describe(parameters)
    assert composed == [[]]
    path.write_text(content[:50])
    assert composition.describe(parameters) == "profile quick"
    assert path.read_text() == content and composed == [[], []]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("alpha_s: 10.0", "alpha_s: -1", ["alpha_s is -1.0", "a finite number > 0"]),
        ("alpha_s: 10.0", "alpha_s: abc", ["alpha_s", "'abc'", "Float"]),
        ("alpha_s: 10.0\n", "", ["alpha_s is missing", "make params"]),
        ("    missing: refuse\n", "", ["datasets.iris.missing is missing", "make params"]),
        ("  protocol: published\n", "", ["split.protocol is missing", "make params"]),
        ("seed: 100\n", "seed: 100\nalpha_x: 10.0\n", ["no key 'alpha_x'"]),
        (
            "iterations: 300",
            "iterations: 7",
            ["derived.budgets.iris is 300, but 7 follows", "iris.iterations=7 (default 300)", "make params"],
        ),
        ("seed: 100\n", "seed: 7\n", ["seed=7 (default 100)", "make params", "dvc exp run -S key=value"]),
        (
            "test_size: 60",
            "test_size: 30",
            ["test_sizes.iris is 60, but 30 follows", "datasets.iris.test_size=30 (default 60)"],
        ),
        (
            "  - ga\n",
            "",
            [
                "derived.trainings.comparison-modn-ga does not follow",
                "modn=[bbo,pso]",
                "(default [bbo,ga,pso,",
            ],
        ),
        ("  - comparison-modn-ga\n", "", ["derived.pairs is", "make params"]),
        ("source: bundled", "source: web", ["fetch.source is 'web'", "bundled, uci"]),
        ("file: data/raw/uci/iris.csv", "file: iris.csv", ["datasets.iris.file is 'iris.csv'"]),
    ],
)
@pytest.mark.slow
def test_a_stage_refuses_a_params_yaml_spoilt_by_hand(
    place: Place, before: str, after: str, expected: list[str]
) -> None:
    path = place.root / "params.yaml"
    path.write_text(composed_text(*PAIRS, base=("datasets=[iris]", "datasets/targets=[]")))
    assert before in path.read_text()
    path.write_text(path.read_text().replace(before, after, 1))
    with pytest.raises(Exception) as refusal:
        composition.compose_stage([])
    assert all(part in str(refusal.value) for part in expected), str(refusal.value)


@pytest.mark.slow
def test_a_stages_override_is_checked_like_a_composed_value(place: Place) -> None:
    (place.root / "params.yaml").write_text(composed())
    assert composition.compose_stage(["alpha_s=5"]).alpha_s == 5
    with pytest.raises(ValueError, match="alpha_s is -1"):
        composition.compose_stage(["alpha_s=-1"])
    with pytest.raises(Exception, match="no key 'alpha_x' at the top level"):
        composition.compose_stage(["alpha_x=1"])


@pytest.mark.slow
def test_what_a_stage_reads_back_is_what_was_composed(place: Place) -> None:
    overrides = ["datasets=[car,iris]", *OTHERS]
    (place.root / "params.yaml").write_text(composition.compose_conf(overrides))
    parameters = composition.compose_stage([])
    assert parameters == composition.compose_plan(overrides)
    written = yaml.safe_load((place.root / "params.yaml").read_text())
    assert parameters.derived == written["derived"]
    assert parameters.datasets["car"].codes == written["datasets"]["car"]["codes"]
    assert parameters.datasets["car"].codes["doors"] == {"2": 2, "3": 3, "4": 4, "5more": 5}


def test_a_dataset_file_with_an_unknown_key_is_refused(place: Place) -> None:
    path = place.root / "conf/datasets/mine.yaml"
    path.write_text("# @package datasets.mine\ntitle: Mine\nfile: data/raw/mine.csv\ncolor: red\n")
    with pytest.raises(Exception, match="color"):
        place.parameters("datasets=[mine]", *OTHERS)


def test_a_dataset_file_without_a_class_column_is_refused(place: Place) -> None:
    path = place.root / "conf/datasets/mine.yaml"
    path.write_text("# @package datasets.mine\ntitle: Mine\nfile: data/raw/mine.csv\ntest_size: 0.3\n")
    with pytest.raises(Exception, match=r"datasets\.mine\.class_column"):
        place.parameters("datasets=[mine]", *OTHERS)
