"""The classifiers are scikit-learn's: its own checks, and its tools around them."""

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from modn import DNMClassifier, MODNClassifier

CHECKED = [
    MODNClassifier(max_iter=100),
    MODNClassifier(solver="bbo", filter="learned", n_dendrites=6, max_iter=100, population_size=30),
    DNMClassifier(n_dendrites=4, max_iter=100),
]


@parametrize_with_checks(CHECKED)
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)
