"""MODNClassifier beside the classifiers one would use instead, with default parameters, one thread.

    python -m benchmarks.classifiers [--estimator NAME ...] [--datasets NAME ...] [--resplits 5] [--out FILE]

On the datasets of data/raw/extra: stratified resplits, 30 % of the rows for testing, the same for all.
Accuracy, log-loss, calibration error (ECE: 15 bins of equal width on the highest probability), micro-averaged
AUC, CPU seconds per fit, and rows per CPU second of `predict_proba`. The kernels are compiled before.

Results are appended to FILE, and what it has is not computed again; `--as TEXT` keeps two versions of one
estimator apart (`--estimator MODN --as "MODN before"`). At the end come two tables in Markdown, of all
classifiers in FILE that have every chosen dataset and resplit: the means with mean ranks by accuracy, and the
accuracy by dataset.

A classifier that takes categories gets them; for the others they are one-hot encoded.
"""

import argparse
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.utils import get_tags
from threadpoolctl import threadpool_limits

from benchmarks.training import ROOT
from modn import MODNClassifier, metrics

DATA = ROOT / "data/raw/extra"
TEST_SIZE = 0.3
PREDICTED_ROWS = 2000  # at least, to measure the speed of prediction
KEY = ["classifier", "dataset", "resplit"]
MEASURES = ["accuracy", "log_loss", "ece", "auc", "fit_seconds", "rows_per_second"]

Make = Callable[[list[str]], Any]  # the names of the columns with categories -> a classifier


def one_hot(*steps: Any) -> Any:
    """A classifier, or a scaler and a classifier, behind a one-hot encoding of the categories."""
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = make_column_transformer(
        (encoder, make_column_selector(dtype_include="category")), remainder="passthrough"
    )
    return make_pipeline(columns, *steps)


def modn(categories: list[str]) -> Any:
    """Ours; an estimator that cannot take categories does not get them."""
    estimator = MODNClassifier(random_state=0)
    return estimator if get_tags(estimator).input_tags.categorical else one_hot(estimator)


def lightgbm(categories: list[str]) -> Any:
    """LightGBM, which finds the categories by their dtype."""
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=0, n_jobs=1, verbosity=-1)


def xgboost(categories: list[str]) -> Any:
    """XGBoost."""
    from xgboost import XGBClassifier

    return XGBClassifier(random_state=0, n_jobs=1, enable_categorical=True)


def catboost(categories: list[str]) -> Any:
    """CatBoost."""
    from catboost import CatBoostClassifier

    return CatBoostClassifier(
        random_state=0, thread_count=1, verbose=False, allow_writing_files=False, cat_features=categories
    )


def ebm(categories: list[str]) -> Any:
    """An explainable boosting machine, which finds the categories by their dtype.

    Without pairs of features, with which one fit on digits takes more than eight minutes.
    """
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(random_state=0, n_jobs=1, interactions=0)


CLASSIFIERS: dict[str, Make] = {
    "MODN": modn,
    "random forest (300)": lambda _: one_hot(RandomForestClassifier(300, random_state=0)),
    # Platt's probabilities, as SVC(probability=True) made them
    "SVM (RBF)": lambda _: one_hot(StandardScaler(), CalibratedClassifierCV(SVC(), ensemble=False)),
    "logistic regression": lambda _: one_hot(StandardScaler(), LogisticRegression()),
    "hist. boosting": lambda _: HistGradientBoostingClassifier(random_state=0),
    "MLP": lambda _: one_hot(StandardScaler(), MLPClassifier(random_state=0)),
    "LightGBM": lightgbm,
    "XGBoost": xgboost,
    "CatBoost": catboost,
    "EBM (no pairs)": ebm,
}


def load(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    """The features, text as categories, and the classes as 0..C-1."""
    frame = pd.read_csv(DATA / f"{name}.csv")
    labels = frame.pop("class")
    text = frame.columns[[not pd.api.types.is_numeric_dtype(frame[column]) for column in frame]]
    return frame.astype(dict.fromkeys(text, "category")), pd.factorize(labels, sort=True)[0]


def warm_up(make: Make) -> None:
    """Import and compile, so that no fit is measured with it."""
    for n_classes in (2, 3):
        X, y = make_classification(120, 6, n_informative=4, n_classes=n_classes, random_state=0)
        frame = pd.DataFrame(X).rename(columns=str)
        make([]).fit(frame, y).predict_proba(frame)


def measure(make: Make, dataset: str, resplit: int) -> dict[str, float]:
    """One fit, judged on its test rows."""
    X, y = load(dataset)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=TEST_SIZE, stratify=y, random_state=resplit
    )
    classifier = make(list(X.select_dtypes("category")))
    begin = process_time()
    classifier.fit(X_train, y_train)
    fitted = process_time()
    proba = np.asarray(classifier.predict_proba(X_test), dtype=np.float64)
    many = pd.concat([X_test] * -(-PREDICTED_ROWS // len(X_test)), ignore_index=True)
    ready = process_time()
    classifier.predict_proba(many)
    return {
        "accuracy": metrics.accuracy(y_test, proba),
        "log_loss": metrics.log_loss(y_test, proba),
        "ece": metrics.calibration_error(y_test, proba),
        "auc": metrics.micro_auc(y_test, proba),
        "fit_seconds": fitted - begin,
        "rows_per_second": len(many) / (process_time() - ready),
    }


def rows(
    names: list[str], label: str | None, datasets: list[str], resplits: int, done: set[tuple[str, str, int]]
) -> Iterator[dict[str, Any]]:
    """What is not done yet, classifier by classifier."""
    for name in names:
        wanted = [(label or name, dataset, k) for dataset in datasets for k in range(resplits)]
        missing = [key for key in wanted if key not in done]
        if missing:
            warm_up(CLASSIFIERS[name])
        for key in missing:
            values = measure(CLASSIFIERS[name], key[1], key[2])
            print(f"{key[0]:22} {key[1]:14} {key[2]} {values['accuracy']:.4f}", flush=True)
            yield dict(zip(KEY, key, strict=True)) | values


def markdown(frame: pd.DataFrame, digits: int) -> str:
    """A table in Markdown, its index first."""
    lines = [f"| {frame.index.name} | {' | '.join(frame.columns)} |", "| --- |" + " ---: |" * frame.shape[1]]
    for name, values in frame.iterrows():
        cells = (f"{value:.{digits}f}" if abs(value) < 100 else f"{value:,.0f}" for value in values)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def summary(results: pd.DataFrame, datasets: list[str], resplits: int) -> str:
    """Means over all, and the accuracy by dataset, of the classifiers that have all of them."""
    chosen = results[results["dataset"].isin(datasets) & (results["resplit"] < resplits)]
    complete = chosen.groupby("classifier").filter(lambda own: len(own) == len(datasets) * resplits)
    if complete.empty:
        return "no classifier has all of these resplits yet"
    accuracy = complete.pivot_table(index="dataset", columns="classifier", values="accuracy")
    means = complete.groupby("classifier")[MEASURES].mean()
    means.insert(1, "mean_rank", accuracy.round(12).rank(axis=1, ascending=False).mean())
    order = means.sort_values("accuracy", ascending=False).index
    title = f"{len(datasets)} datasets, {resplits} resplits each"
    return f"{title}\n\n{markdown(means.loc[order], 4)}\n\n{markdown(accuracy[order], 3)}"


def main() -> None:
    """Compute what is missing, and print the tables."""
    everything = sorted(path.stem for path in DATA.glob("*.csv"))
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--estimator",
        nargs="*",
        default=list(CLASSIFIERS),
        choices=CLASSIFIERS,
        metavar="NAME",
        help=", ".join(CLASSIFIERS),
    )
    parser.add_argument("--as", dest="label", metavar="TEXT", help="what to call the one estimator in FILE")
    parser.add_argument("--datasets", nargs="*", default=everything, choices=everything, metavar="NAME")
    parser.add_argument("--resplits", type=int, default=5)
    parser.add_argument("--out", type=Path, default=ROOT / "data/classifiers.csv", metavar="FILE")
    options = parser.parse_args()
    if options.label and len(options.estimator) != 1:
        parser.error("--as needs exactly one --estimator")
    header = [*KEY, *MEASURES]
    if not options.out.exists():
        options.out.write_text(",".join(header) + "\n")
    results = pd.read_csv(options.out)
    done = set(results[KEY].itertuples(index=False, name=None))
    with threadpool_limits(1), warnings.catch_warnings():
        # With its defaults a library may stop before it has converged: that is part of the comparison.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for row in rows(options.estimator, options.label, options.datasets, options.resplits, done):
            with options.out.open("a") as stream:  # at once: a killed run resumes here
                pd.DataFrame([row])[header].to_csv(stream, header=False, index=False)
    print("\n" + summary(pd.read_csv(options.out), options.datasets, options.resplits))


if __name__ == "__main__":
    main()
