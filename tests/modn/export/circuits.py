"""Circuits to export: random ones over given data, and the samples to try them on."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris, load_wine

from modn import CircuitClassifier
from modn.explain.circuit import Circuit, Condition, Feature

RAW = Path(__file__).resolve().parents[3] / "data/raw/uci"
CATEGORIES = ("red", "green", "blue")
UNSEEN = "purple"


def datasets() -> dict[str, pd.DataFrame]:
    """The features of some datasets, and of one with categories and missing values."""
    loaded = {load.__name__[5:]: load(as_frame=True).data for load in (load_iris, load_wine)}
    return {**loaded, "mixed": mixed(np.random.default_rng(0), 200)}


def raw_dataset(name: str) -> pd.DataFrame:
    """All columns of a dataset of the paper, the class included: numbers, or categories."""
    frame = pd.read_csv(RAW / f"{name}.csv")
    return frame.astype({column: float for column in frame if frame[column].dtype.kind in "iuf"})


def learned_circuit(frame: pd.DataFrame) -> Circuit:
    """A circuit for a dataset of the paper, whose class is its last column, that takes all columns."""
    features = frame.iloc[:, :-1].drop(columns=["id", "sample_code", "sequence_name"], errors="ignore")
    some = np.random.default_rng(0).permutation(len(frame))[:200]
    model = CircuitClassifier(size=12, start="nothing", random_state=0)
    circuit = model.fit(features.iloc[some], frame.iloc[some, -1].astype(str)).circuit_
    places = [frame.columns.get_loc(feature.name) for feature in circuit.features]
    dendrites = tuple(
        tuple(replace(condition, feature=places[condition.feature]) for condition in conditions)
        for conditions in circuit.dendrites
    )
    return replace(circuit, features=features_of(frame), dendrites=dendrites)


def mixed(rng: np.random.Generator, rows: int) -> pd.DataFrame:
    """Numbers and categories, some missing, some never seen in training."""
    colour = rng.choice([*CATEGORIES, UNSEEN, None], rows)
    size = np.where(rng.random(rows) < 0.1, np.nan, rng.normal(size=rows).round(2))
    legs, flies = rng.integers(0, 9, rows).astype(float), rng.random(rows) < 0.5
    return pd.DataFrame({"size": size, "colour": colour, "legs": legs, "flies": flies})


def features_of(frame: pd.DataFrame) -> tuple[Feature, ...]:
    return tuple(
        Feature(str(name), None if frame[name].dtype.kind == "f" else known(frame[name])) for name in frame
    )


def known(column: pd.Series) -> tuple[str, ...]:
    return tuple(sorted(set(column.dropna().astype(str)) - {UNSEEN}))


def random_circuit(frame: pd.DataFrame, rng: np.random.Generator, labels: Any = None) -> Circuit:
    """A circuit whose thresholds are values of the data, values between them, or extreme ones."""
    features = features_of(frame)
    n_dendrites, n_classes = int(rng.integers(0, 9)), int(rng.integers(1, 6))
    classes = np.array([f"class {c}" for c in range(n_classes)]) if labels is None else labels
    dendrites = tuple(
        tuple(random_condition(frame, features, rng) for _ in range(rng.integers(0, 5)))
        for _ in range(n_dendrites)
    )
    return Circuit(
        features,
        classes,
        dendrites,
        weights=rng.integers(-3, 4, (n_dendrites, len(classes))),
        theta_t=rng.integers(-4, 5, len(classes)),  # small: ties are common
    )


def random_condition(
    frame: pd.DataFrame, features: tuple[Feature, ...], rng: np.random.Generator
) -> Condition:
    i = int(rng.integers(len(features)))
    if features[i].categories is not None:
        return Condition(i, str(rng.choice(["is", "is not"])), str(rng.choice(features[i].categories)))
    values = frame.iloc[:, i].dropna().to_numpy()
    threshold = rng.choice(
        [
            rng.choice(values),
            float(f"{np.mean(rng.choice(values, 2)):.12g}"),
            float(f"{rng.choice(values):.2g}"),
        ]
    )
    return Condition(i, str(rng.choice([">=", "<"])), float(threshold))


def rows_of(frame: pd.DataFrame) -> list[list[Any]]:
    """The samples as plain Python values, None where missing."""
    return [[None if pd.isna(value) else value for value in row] for row in frame.itertuples(index=False)]
