"""The review's parameters and tests of chance."""

from pathlib import Path

import numpy as np
import pytest
from copies import LEAST, composed_text

from stages.tools.review import metrics, parameters
from stages.tools.review.metrics import holm, paired_p
from stages.tools.review.sides import Sides


def changed_parameters(tmp_path: Path, old: str, new: str) -> parameters.Changes:
    class Two(Sides):
        def both(self, path: str) -> tuple[bytes | None, bytes | None]:
            return old.encode(), new.encode()

    return parameters.compare(Two(tmp_path, "main", "0"))


def test_derived_parameters_are_left_out_and_groups_are_one_line(tmp_path: Path) -> None:
    old = "{a: {b: 1, c: 2, d: 3, e: 4, f: 5}, seed: 1, derived: {x: 1}, gone: {x: 1, y: 2}, list: [1]}"
    new = "{a: {b: 2, c: 3, d: 4, e: 5, f: 5}, seed: 2, derived: {x: 2}, list: [1, 2], new: {x: {y: 1}}}"
    text = parameters.section(changed_parameters(tmp_path, old, new), "main")
    table = text.partition("<details>")[0]
    assert "| `a` |  | 4 values changed |" in table
    assert "| `seed` | `1` | `2` |" in table
    assert "| `list` | `[1]` | `[1, 2]` |" in table
    assert "| `gone` | 2 values |  |" in table
    assert "| `new` |  | 1 value |" in table
    assert "derived" not in text
    assert "| `a.e` | `4` | `5` |" in text.partition("<details>")[2]


@pytest.mark.slow
def test_a_profile_is_one_line(tmp_path: Path) -> None:
    old = composed_text("profile=smoke", base=tuple(LEAST))
    new = composed_text("profile=quick", "alpha_s=5", base=tuple(LEAST))
    changes = changed_parameters(tmp_path, old, new)
    assert [change.name for change in changes.causes] == ["alpha_s", "profile"]
    assert changes.n_of_profile > 5
    text = parameters.section(changes, "main")
    assert f"| `profile` | `smoke` | `quick`, which sets {changes.n_of_profile} other values |" in text
    assert "| `alpha_s` | `10` | `5` |" in text


@pytest.mark.parametrize(
    ("change", "p"),
    [
        ([0.0, 0.0], 1.0),
        ([0.1], 1.0),
        ([0.1] * 5, 0.0625),
        ([0.1] * 6, 0.03125),
        ([0.1] * 6 + [0.0] * 20, 0.03125),
        ([0.1] * 5 + [-0.1], 0.21875),
    ],
)
def test_few_pairs_are_counted_exactly(change: list[float], p: float) -> None:
    assert paired_p(np.array(change)) == pytest.approx(p)


def test_chance_alone_seldom_moves_a_metric() -> None:
    """The rate of false alarms is at most the level, whatever the number of pairs."""
    rng = np.random.default_rng(0)
    for n_pairs in (4, 8, 12, 33):
        changes = np.round(
            rng.normal(size=(400, n_pairs)) * 0.02, 2
        )  # with ties and zeros, as accuracies have
        alarms = np.mean([paired_p(change) < metrics.LEVEL for change in changes])
        assert alarms < 0.08, n_pairs


def test_p_values_are_corrected_for_their_number() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.6]) == pytest.approx([1.0, 1.0])
    assert holm([]) == []
