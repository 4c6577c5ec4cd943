"""Descent: it learns, P included, and returns a MODN that depends on no alpha and no units."""

from typing import Any

import numpy as np
import pytest

from modn import filters, methods
from modn.fast.objective import Objective
from modn.methods import Descent, Training
from modn.methods.base import Steps
from modn.methods.descent import _Run
from modn.methods.standard import MANY_FEATURES, Batches, StandardUnits
from modn.neuron import Neuron
from modn.optimizers.adam import Adam

QUICK = Descent(Adam(iterations=60), decays=(0.001, 0.1), selections=(), folds=3)


def xor(n: int = 120, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two classes in opposite corners of a square; the third feature is noise."""
    X = np.random.default_rng(seed).random((n, 3))
    return X, ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)).astype(int)


def descend(iterations: int, **options: Any) -> Descent:
    """A descent of so many steps; options of Adam or of Descent."""
    method = methods.make("adam", "learned", iterations=iterations, **options)
    assert isinstance(method, Descent)
    return method


def train(
    objective: Objective, method: Descent = QUICK, filter: str = "learned", seed: int = 0, **options: Any
) -> tuple[Training, Neuron]:
    """What a descent finds, in as many steps as it has by default."""
    budget = options.pop("budget", method.iterations)
    problem = methods.neuron_problem(objective, filter)
    result = method.train(problem, budget, np.random.default_rng(seed), **options)
    o = objective
    return result, Neuron.from_parameters(result.parameters, result.P, o.X.shape[1], o.alpha_s, o.alpha_t)


def trained(
    filter: str = "learned",
    method: Descent = QUICK,
    alpha_s: float = 10.0,
    alpha_t: float = 1.0,
    **options: Any,
) -> tuple[Training, Neuron]:
    """The same on XOR."""
    return train(Objective(*xor(), 8, 2, alpha_s, alpha_t), method, filter, **options)


def accuracy(neuron: Neuron, seed: int = 1) -> float:
    X, y = xor(400, seed)
    return float((neuron.predict_proba(X).argmax(axis=1) == y).mean())


@pytest.mark.parametrize("filter", ["learned", "partition"])
def test_xor_is_learned_from_every_seed(filter: str) -> None:
    for seed in range(5):
        assert accuracy(trained(filter, descend(300), seed=seed)[1]) > 0.9


@pytest.mark.parametrize("filter", ["learned", "partition", "full"])
def test_the_result_is_a_modn_with_the_loss_it_says(filter: str) -> None:
    result, neuron = trained(filter)
    X, y = xor()
    assert result.P is not None and result.P.dtype == np.bool_ and np.isfinite(result.parameters).all()
    proba = neuron.predict_proba(X)
    assert result.loss == pytest.approx(-np.log(proba[np.arange(len(y)), y]).mean(), abs=1e-4)
    assert len(result.curve) == 61 and (np.diff(result.curve) <= 0).all()
    assert result.filter_steps == (30 if filter == "learned" else 0)
    # 3 folds with 2 decays in 36 steps, then the descent itself; each is judged at its end
    assert result.evaluations == 37 * 3 * 2 + 61
    if filter != "learned":
        np.testing.assert_array_equal(result.P, getattr(filters, filter)(8, 2))


def test_the_outputs_are_not_saturated() -> None:
    R = trained(method=descend(300, decays=(0.0,)))[1].telodendra(xor()[0])
    assert np.quantile(np.abs(R), 0.95) == pytest.approx(np.tanh(2.0), abs=1e-4)
    assert np.abs(R).max() < 1


def test_the_scaling_factors_do_not_matter() -> None:
    one, other = trained(alpha_s=10.0, alpha_t=1.0)[1], trained(alpha_s=0.7, alpha_t=3.0)[1]
    X = xor(50, 5)[0]
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-9)


def test_neither_do_the_units_of_the_features() -> None:
    X, y = xor()
    probas = []
    for scale, shift in ((1.0, 0.0), (64.0, -128.0)):
        neuron = train(Objective(scale * X + shift, y, 8, 2, 10.0, 1.0))[1]
        probas.append(neuron.predict_proba(scale * X + shift))
    np.testing.assert_allclose(*probas, atol=1e-3)


def test_the_same_seed_gives_the_same_bytes_and_another_another() -> None:
    one, two, other = (trained(seed=seed)[0] for seed in (1, 1, 2))
    assert one.parameters.tobytes() == two.parameters.tobytes()
    assert one.parameters.tobytes() != other.parameters.tobytes()


def test_a_shared_region_makes_a_dendrite_communal() -> None:
    """Three classes, the first two of which cannot be told apart: P has rows that feed both of them."""
    rng = np.random.default_rng(0)
    X = rng.random((150, 2))
    y = np.where(X[:, 0] > 0.5, 2, rng.integers(0, 2, 150))
    found, _ = train(Objective(X, y, 6, 3, 10.0, 1.0), descend(500, decays=(0.001,)))
    assert not np.array_equal(found.P, filters.partition(6, 3))


def test_the_decay_is_chosen_within_the_training_set() -> None:
    """Labels that are noise want as much of it as there is; a sharp border in many samples wants none."""
    rng = np.random.default_rng(1)
    X = rng.random((60, 6))
    method = descend(100, decays=(0.0, 1.0), selections=())
    noise, _ = train(Objective(X, rng.integers(0, 2, 60), 8, 2, 10.0, 1.0), method)
    border, neuron = trained(method=method)
    strongest = descend(100, decays=(1.0,))
    assert np.median(np.abs(noise.parameters[:48])) < np.median(np.abs(border.parameters[:24])) / 10
    assert accuracy(neuron) > accuracy(trained(method=strongest)[1]) + 0.2


def test_the_best_of_several_descents_is_kept() -> None:
    alone = [trained(method=descend(40, decays=(0.01,)), seed=seed)[0].curve[-1] for seed in range(4)]
    several = trained(method=descend(40, decays=(0.01,), population=16))[0]
    assert several.curve[-1] < np.mean(alone)
    assert several.evaluations == 41 * 16


@pytest.mark.parametrize("stop", [0, 50, 100, 150])
def test_it_stops_in_the_choice_of_the_decay_or_after(stop: int) -> None:
    seen: list[int] = []

    def on_step(step: int, loss: float) -> bool:
        assert np.isfinite(loss)
        seen.append(step)
        return step == stop

    result, neuron = trained(on_step=on_step)
    assert seen == list(range(stop + 1))
    assert len(result.curve) < 61 and np.isfinite(result.loss)
    assert neuron.predict_proba(xor()[0]).shape == (120, 2)


@pytest.mark.parametrize("budget", [0, 1, 3])
def test_few_steps_are_steps_too(budget: int) -> None:
    assert len(trained(budget=budget)[0].curve) == budget + 1


def test_it_continues_from_a_start() -> None:
    first, before = trained(method=descend(200))
    start = first.as_start()
    same, neuron = trained(budget=0, start=start)
    np.testing.assert_array_equal(same.P, first.P)
    X = xor(60, 4)[0]
    np.testing.assert_allclose(neuron.predict_proba(X), before.predict_proba(X), rtol=1e-9)
    further, _ = trained(budget=100, start=start)
    assert further.curve[0] <= first.curve[-1]  # not that of potentials in tanh's range
    assert further.curve[-1] <= further.curve[0]


@pytest.mark.parametrize("n", [2, 3, 5])
def test_a_handful_of_samples_is_enough_to_run(n: int) -> None:
    X, y = np.random.default_rng(0).random((n, 2)), np.arange(n) % 2
    objective = Objective(X, y, 3, 2, 10.0, 1.0)
    found, _ = train(objective)
    assert np.isfinite(found.parameters).all()
    assert found.evaluations == QUICK.work(methods.neuron_problem(objective, "learned"), 60).evaluations


def test_constant_features_and_absent_classes_do_no_harm() -> None:
    X, y = xor()
    X[:, 2] = 7.0
    objective = Objective(X, y, 9, 3, 10.0, 1.0)  # no sample of class 2
    found, neuron = train(objective)
    assert np.isfinite(found.parameters).all()
    proba = neuron.predict_proba(X)
    assert (proba.argmax(axis=1) < 2).mean() > 0.9


def test_a_sample_without_weight_is_not_there() -> None:
    X, y = xor()
    wrong = np.concatenate([y, 1 - y])
    weight = np.repeat([1.0, 0.0], len(y))
    objective = Objective(np.concatenate([X, X]), wrong, 8, 2, 10.0, 1.0, sample_weight=weight)
    assert accuracy(train(objective, descend(300))[1]) > 0.9


def test_one_decay_leaves_nothing_to_choose() -> None:
    method = descend(60, decays=(0.01,))
    problem = methods.neuron_problem(Objective(*xor(), 8, 2, 10.0, 1.0), "learned")
    assert trained(method=method)[0].evaluations == method.work(problem, 60).evaluations == 61


@pytest.mark.parametrize(
    "bad",
    [
        {"decays": ()},
        {"decays": [-1.0]},
        {"decays": 0.1},
        {"decays": "0"},
        {"selections": [-1]},
        {"batch": 0},
        {"keep": 0},
        {"fold_share": 2},
        {"folds": 1},
        {"opening": 1.0},
    ],
)
def test_impossible_parameters_are_refused(bad: dict[str, object]) -> None:
    (name,) = bad
    with pytest.raises(ValueError, match=f"Descent: {name} is .*; allowed: "):
        Descent(**bad)  # type: ignore[arg-type]


def test_a_selection_shuts_features_out_that_do_not_help() -> None:
    """A corner of two features among forty that are noise."""
    rng = np.random.default_rng(0)
    X = rng.random((300, 42))
    y = ((X[:, 0] > 0.5) & (X[:, 1] < 0.7)).astype(int)
    sizes = []
    for selections in ((), (0.001,)):
        method = descend(200, decays=(0.0, 1e-5), selections=selections)
        found = train(Objective(X, y, 8, 2, 10.0, 1.0), method)[1]
        size = np.sqrt((found.w_s**2).mean(axis=1))
        sizes.append(size[2:].mean() / size[:2].mean())
    assert sizes[1] < sizes[0] / 3


def test_the_penalty_has_the_slope_by_which_weights_decay() -> None:
    samples = StandardUnits(Objective(*xor(), 8, 2, 10.0, 1.0))
    run = _Run(QUICK, samples, filters.shared_out(8, 2), True, 10, Steps(None))
    rng = np.random.default_rng(0)
    points, rates = rng.normal(size=(3, 52)), np.array([[0.1, 0.0], [0.0, 0.2], [0.3, 0.4]])
    direction = np.concatenate([rng.normal(size=24), np.zeros(28)])
    step = 1e-6
    up, down = (run._penalties(points + sign * step * direction, rates) for sign in (1, -1))
    np.testing.assert_allclose(
        run._decay(points, rates) @ direction[:24], (up - down) / (2 * step), rtol=1e-6
    )


# For calibration and ensembles


def potentials(neuron: Neuron, X: np.ndarray) -> np.ndarray:
    return neuron.alpha_t * (neuron.w_t * neuron.soma(X) - neuron.theta_t)


def test_what_is_held_out_has_the_scale_of_the_neuron() -> None:
    """Each sample once, judged by a neuron that did not see it: right as often as on new samples."""
    result, neuron = trained(method=descend(300, folds=3), alpha_t=3.0)
    held_out = result.held_out
    assert held_out is not None and held_out.weight is None
    assert held_out.U.shape == (120, 2) and sorted(held_out.y) == sorted(xor()[1])
    assert (held_out.U.argmax(axis=1) == held_out.y).mean() == pytest.approx(accuracy(neuron), abs=0.1)
    X = xor(400, 1)[0]
    ours, theirs = (np.quantile(np.abs(U), 0.5) for U in (held_out.U, potentials(neuron, X)))
    assert 0.5 < ours / theirs < 2


def test_weights_are_held_out_with_their_samples() -> None:
    X, y = xor()
    objective = Objective(X, y, 8, 2, 10.0, 1.0, sample_weight=1.0 + y)
    held_out = train(objective)[0].held_out
    assert held_out is not None and held_out.weight is not None
    np.testing.assert_array_equal(held_out.weight, 1.0 + held_out.y)


def test_without_a_choice_nothing_is_held_out() -> None:
    first, _ = trained(method=descend(20, decays=(0.01,)))
    assert first.held_out is None
    assert trained(budget=5, start=first.as_start())[0].held_out is None


def test_several_neurons_are_kept_the_best_first() -> None:
    result, neuron = trained(method=descend(60, decays=(0.01,), keep=3))
    assert len(result.others) == 2 and result.evaluations == 61 * 3
    X, y = xor()
    for other in result.others:
        own = Neuron.from_parameters(other.parameters, other.P, 3, 10.0, 1.0)
        proba = own.predict_proba(X)
        assert other.loss == pytest.approx(-np.log(proba[np.arange(len(y)), y]).mean(), abs=1e-4)
        assert not np.allclose(proba, neuron.predict_proba(X))
    alone, _ = trained(method=descend(60, decays=(0.01,), population=3))
    np.testing.assert_allclose(alone.parameters, result.parameters)


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_missing_values_are_learned_around(share: float) -> None:
    """A column with holes, beside a copy of it that has none; and a column that is never known."""
    X, y = xor()
    rng = np.random.default_rng(0)
    hole = np.where(rng.random(len(X)) < share, np.nan, X[:, 0])
    never = np.full(len(X), np.nan)
    found, neuron = train(Objective(np.column_stack([X, hole, never]), y, 8, 2, 10.0, 1.0), descend(300))
    assert np.isfinite(found.parameters).all()
    new, labels = xor(400, 1)
    new = np.column_stack([new, np.full(400, np.nan), np.full(400, 0.5)])
    assert (neuron.predict_proba(new).argmax(axis=1) == labels).mean() > 0.8


# Speed


def test_the_rates_race() -> None:
    """Half of them stays after the second fold and each that follows, two to the end; `work` knows."""
    method = descend(20, decays=(0.0, 1e-4, 0.001, 0.01, 0.1), fold_share=0.5)
    problem = methods.neuron_problem(Objective(*xor(), 8, 2, 10.0, 1.0), "learned")
    steps: list[int] = []
    result, _ = trained(method=method, on_step=lambda step, loss: steps.append(step))
    expected = method.work(problem, 20)
    assert result.evaluations == expected.evaluations == 11 * (5 + 5 + 3 + 2) + 21
    assert steps == list(range(expected.steps))


def test_an_update_sees_a_batch() -> None:
    """Each batch is seen in turn; the mean over a round of them is what the curve says."""
    objective = Objective(*xor(1000), 8, 2, 10.0, 1.0)
    result, neuron = train(objective, descend(300, batch=100, decays=(0.001,)))
    assert accuracy(neuron) > 0.9
    assert len(result.curve) == 301 and (np.diff(result.curve) <= 0).all()
    proba = neuron.predict_proba(objective.X)
    assert result.loss == pytest.approx(-np.log(proba[np.arange(1000), objective.y]).mean(), abs=1e-4)


def test_batches_share_out_the_samples_at_random() -> None:
    samples = StandardUnits(Objective(*xor(1000), 8, 2, 10.0, 1.0))
    batches = Batches(samples.problem, np.arange(1000), 300, np.random.default_rng(0))
    assert batches.count == 4 and batches[1] is batches[5]
    sizes = [len(batches[step].X) for step in range(4)]
    assert sizes == [250] * 4
    seen = np.concatenate([batches[step].X[:, 0] for step in range(4)])
    expected = (samples.objective.X[:, 0] - samples.mean[0]) / samples.deviation[0]
    np.testing.assert_allclose(np.sort(seen), np.sort(expected))


def test_of_many_batches_few_are_kept() -> None:
    samples = StandardUnits(Objective(*xor(1000), 8, 2, 10.0, 1.0))
    built: list[int] = []

    def problem(rows: np.ndarray) -> Objective:
        built.append(len(rows))
        return samples.problem(rows)

    batches = Batches(problem, np.arange(1000), 10, np.random.default_rng(0))
    for step in range(2 * batches.count):
        _ = batches[step]
    assert len(built) == 200  # more than are kept: each is built again when its turn comes


def test_many_samples_take_several_updates_a_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loss is lower after as many steps; `work` knows what they cost."""
    objective = Objective(*xor(1000), 8, 2, 10.0, 1.0)
    method = descend(40, decays=(1e-5, 1e-4), selections=())
    losses = []
    for rows in (5000, 250):
        monkeypatch.setattr("modn.methods.descent.UPDATE_ROWS", rows)
        result, _ = train(objective, method)
        work = method.work(methods.neuron_problem(objective, "learned"), 40)
        assert result.evaluations == work.evaluations and len(result.curve) == 41
        losses.append(result.curve[-1])
    assert result.evaluations == 4 * 2 * (24 * 3 + 1) + 40 * 4 + 1
    assert losses[1] < losses[0]


@pytest.mark.parametrize(
    ("n_features", "population", "keep", "most"),
    [(3, 1, 1, 3), (3, 1, 4, 4), (3, 5, 1, 5), (MANY_FEATURES, 1, 1, 5)],
)
def test_individuals_are_the_descents_at_the_same_time(
    n_features: int, population: int, keep: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check of the memory relies on it."""
    together = []
    evaluate = Objective.potential_loss_and_gradient

    def counted(self: Objective, parameters: np.ndarray, P: np.ndarray) -> Any:
        together.append(len(parameters))
        return evaluate(self, parameters, P)

    monkeypatch.setattr(Objective, "potential_loss_and_gradient", counted)
    decays, selections = (0.0, 0.001, 0.1), (1e-5, 1e-4)
    method = descend(2, population=population, keep=keep, decays=decays, selections=selections)
    X, y = xor()
    X = np.concatenate([X, np.random.default_rng(1).random((len(X), n_features - 3))], axis=1)
    train(Objective(X, y, 8, 2, 10.0, 1.0), method)
    assert method.individuals(n_features) == max(together) == most
