"""The shortcuts of the tests' copies lead where the way of the pipeline does."""

from copies import SMOKE, Place


def test_a_variant_is_what_conf_composes_to(place: Place) -> None:
    values = ("alpha_s=5", "tuned.values=both", "comparison.modn=[bbo]", "+baselines.knn.grid.p=[1, 2]")
    assert place.variant(SMOKE, *values) == place.parameters(*SMOKE, *values)
