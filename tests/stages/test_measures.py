"""The measures: found by their files, defined on labels and scores, checked as a list."""

import numpy as np
import pytest

from stages.study import measures

Y = np.array([0, 1, 2, 1, 0, 2])
PERFECT = np.eye(3)[Y]


@pytest.mark.parametrize("name", measures.names())
def test_a_measure_has_the_name_of_its_file_and_is_best_for_perfect_predictions(name: str) -> None:
    measure = measures.get(name)
    assert measure.name == name
    best = measure.compute(Y, PERFECT.argmax(axis=1), PERFECT)
    worse = np.roll(PERFECT, 1, axis=0)
    assert isinstance(best, float)
    assert measure.better(best) > measure.better(measure.compute(Y, worse.argmax(axis=1), worse))
    if measure.spread_within is not None:
        lowest, highest = measure.spread_within
        assert lowest <= best <= highest


def test_accuracy_is_of_the_labels_and_auc_of_the_scores() -> None:
    labels = np.array([0, 1, 2, 1, 1, 1])
    assert measures.get("acc").compute(Y, labels, PERFECT) == pytest.approx(4 / 6)
    assert measures.get("auc").compute(Y, labels, PERFECT) == 1


@pytest.mark.parametrize("name", ["log_loss", "ece"])
def test_scores_that_are_no_probabilities_are_not_judged_as_such(name: str) -> None:
    measure = measures.get(name)
    for scores in (PERFECT * 2 - 1, PERFECT * 2):
        assert np.isnan(measure.compute(Y, Y, scores))
    assert measure.compute(Y, Y, PERFECT.astype(np.float32)) == pytest.approx(0, abs=1e-6)


def test_the_baselines_have_each_measure_once() -> None:
    chosen = measures.of_baselines(["acc", "auc", "ece"], ["log_loss", "ece"])
    assert [measure.name for measure in chosen] == ["acc", "auc", "ece", "log_loss"]


def test_those_of_the_paper_may_be_followed_by_others() -> None:
    assert [measure.name for measure in measures.chosen(["auc", "acc"])] == ["auc", "acc"]
    measures.check(measures.names())


@pytest.mark.parametrize("wanted", [[], ["acc"], ["acc", "auc", "acc"], ["acc", "auc", "speed"]])
def test_other_lists_are_refused(wanted: list[str]) -> None:
    with pytest.raises(ValueError, match=r"measures is \[.*\]; allowed: acc and auc"):
        measures.chosen(wanted)
    with pytest.raises(ValueError, match=r"measure is 'speed'; allowed: .*acc"):
        measures.get("speed")
