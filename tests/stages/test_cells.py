"""The plan: which cells there are, at which values, with which budget."""

import pytest
from copies import FEW_FITS, LITTLE, Place

from modn.methods import Search, TwoStep
from stages.config.schema import Parameters
from stages.study.cells import all_cells, study_cells, training_of

CLASSES = {"raisin": 2, "iris": 3, "seeds": 3}


@pytest.fixture
def parameters(place: Place) -> Parameters:
    without = ("datasets/extra=[]", "baselines/optional=[]", "readable/optional=[]")
    return place.parameters(*FEW_FITS, "datasets=[raisin,iris,seeds]", "profile=paper", *without)


def test_the_comparison_is_at_common_values(parameters: Parameters) -> None:
    cells = study_cells(parameters, "comparison", "modnp", "bp", CLASSES)
    assert [(c.dataset, c.n_dendrites, c.alpha_s, c.alpha_t) for c in cells] == [
        ("raisin", 20, 10, 1),
        ("iris", 30, 10, 1),
        ("seeds", 30, 10, 1),
    ]
    trained = [training_of(parameters, cell) for cell in cells]
    assert {budget for _, budget in trained} == {3000}
    assert {(c.family, c.settings["filter"]) for c in cells} == {("modn", "partition")}
    assert {method.gradient for method, _ in trained if isinstance(method, Search)} == {"published"}


def test_the_tuned_values_are_table_4s(parameters: Parameters) -> None:
    cells = study_cells(parameters, "tuned", "modn", "bbo", CLASSES)
    assert [(c.dataset, c.n_dendrites, c.alpha_s, c.alpha_t) for c in cells] == [
        ("raisin", 8, 20, 0.1),
        ("iris", 12, 10, 1),
        ("seeds", 16, 5, 1),
    ]
    trained = [training_of(parameters, cell) for cell in cells]
    assert [budget for _, budget in trained] == [400, 300, 400]
    assert {method.filter_iterations for method, _ in trained if isinstance(method, TwoStep)} == {10}


def test_a_cap_is_one_on_all_kinds_of_iterations(place: Place) -> None:
    parameters = place.variant(LITTLE, "max_iterations=4")
    (cell,) = study_cells(parameters, "comparison", "modn", "bbo", {"iris": 3})
    method, budget = training_of(parameters, cell)
    assert isinstance(method, TwoStep) and (budget, method.filter_iterations) == (4, 4)


def test_dnm_is_for_two_classes(parameters: Parameters) -> None:
    cells = study_cells(parameters, "tuned", "dnm", "bbo", CLASSES)
    assert [c.dataset for c in cells] == ["raisin"]
    assert cells[0].settings["theta_o"] == [0.1, 0.5, 0.9]


def test_sensitivity_sweeps_m_and_the_alphas_and_counts_a_common_point_once(parameters: Parameters) -> None:
    cells = study_cells(parameters, "sensitivity", "modn", "bbo", CLASSES)
    iris = {(c.n_dendrites, c.alpha_s, c.alpha_t) for c in cells if c.dataset == "iris"}
    sweep = {(M, 10, 1) for M in range(4, 21)}
    grid = {(12, s, t) for s in (1, 5, 10, 15, 20) for t in (0.1, 0.5, 1, 1.5, 2)}
    assert iris == sweep | grid
    assert len([c for c in cells if c.dataset == "iris"]) == 17 + 25 - 1
    assert {c.dataset for c in cells} == {"raisin", "iris"}


def test_a_dataset_without_tuned_values_has_the_common_ones(place: Place) -> None:
    parameters = place.variant(LITTLE, "datasets.iris.tuned=null", "alpha_s=7")
    (cell,) = study_cells(parameters, "tuned", "modn", "bbo", {"iris": 3})
    assert (cell.n_dendrites, cell.alpha_s, cell.alpha_t) == (30, 7, 1)


def test_no_two_cells_share_their_results(parameters: Parameters) -> None:
    cells = all_cells(parameters, CLASSES, {})
    assert len({cell.path for cell in cells}) == len(cells)
    assert {cell.study for cell in cells} == {"comparison", "tuned", "sensitivity"}
    pairs = sum(len(chosen) for chosen in parameters.comparison.values())
    assert len(cells) == 3 * pairs + (3 + 1 + 2 * 3) + 2 * (17 + 25 - 1)
