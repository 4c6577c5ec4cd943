"""docs/speed.md from the measurements: the part of the page between two marks, and the figure of growth."""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from modn.plots import style

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "speed.md"
RESULTS = ROOT / "docs" / "assets" / "benchmarks.json"
GROWTH = ROOT / "docs" / "assets" / "growth.png"
BEGIN, END = "<!-- make benchmarks -->", "<!-- /make benchmarks -->"
AXES = {"N": "samples", "D": "features", "M": "dendrites", "S": "individuals"}
OURS = "MODN"


def read() -> dict[str, Any]:
    """The measurements in git."""
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return found


def updated(page: str, results: dict[str, Any]) -> str:
    """The page with these measurements."""
    pattern = f"{re.escape(BEGIN)}.*?{re.escape(END)}"
    text = "\n\n".join([BEGIN, block(results), END])
    return re.sub(pattern, lambda _: text, page, flags=re.DOTALL)


def block(results: dict[str, Any]) -> str:
    """All measurements in Markdown."""
    parts = [
        _machine(results["machine"]),
        _objective(results["objective"]),
        _growth(results["objective"]["growth"]),
        _training(results["training"]),
        _optimizers(results["optimizers"]),
        _classifiers(results["classifiers"]),
    ]
    return "\n\n".join(parts)


def _machine(machine: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    return (
        f"Measured on {machine['processor']} ({machine['cores']} cores, one of them used, vectors of "
        f"{machine['lanes']} numbers), Python {machine['python']}; {versions}. Other work on the machine "
        f"before the measurement: a load of {machine['load']:g}."
    )


def _objective(objective: dict[str, Any]) -> str:
    ratios = objective["geometric_mean"]
    titles = {
        "numpy / modn": "plain NumPy, one individual at a time",
        "numpy_batch / modn": "NumPy, many individuals at a time",
        "jax / modn": "JAX (jit, vmap)",
        "jax_gradient / modn_gradient": "JAX, the exact gradient",
        "modn_untabled / modn": "ours without tables of distinct values",
    }
    rows = [
        (title, f"{ratios[key]:.2g}x" if ratios[key] < 10 else f"{ratios[key]:.0f}x")
        for key, title in titles.items()
        if key in ratios
    ]
    if "modn / c" in ratios:
        rows.append(("the same kernel in C", f"{1 / ratios['modn / c']:.2f}x"))
    return (
        "**The loss of a population** of 100. How many times the CPU time of ours the others take, geometric "
        f"means over the paper's {len(objective['tables'])} datasets:\n\n"
        + _table(("computed by", "time / ours"), rows)
    )


def _growth(growth: list[dict[str, Any]]) -> str:
    rows = [
        (f"{row['axis']} ({AXES[row['axis']]})", *(f"{row[f'x{k}']:.2f}" for k in (2, 4, 8)))
        for row in growth
    ]
    return (
        "**Growth.** The time of an evaluation as one size doubles and the others stay, in units of its time "
        "before:\n\n"
        + _table(("size", "x 2", "x 4", "x 8"), rows)
        + "\n\n![Time of an evaluation over N, D, M and S](assets/growth.png)"
    )


def _training(training: dict[str, Any]) -> str:
    rows = [
        (
            row["ours"],
            f"{row['ours_seconds']:.2f}",
            f"{row['theirs']} {row['version']}",
            f"{row['theirs_seconds']:.1f}",
            f"{row['ratio']:.0f}x",
        )
        for row in training["rows"]
    ]
    return (
        f"**A training on {training['dataset']}**, {training['iterations']} generations, the same "
        "populations, beside general libraries with a loss in plain NumPy (evosax: in JAX, compiled). Theirs "
        f"are scaled from {training['generations_measured']} generations, without the step that learns P:\n\n"
        + _table(("ours", "CPU s", "theirs", "CPU s", "theirs / ours"), rows)
    )


def _optimizers(optimizers: dict[str, Any]) -> str:
    shares = ", ".join(f"{row['optimizer']} {row['share']:.0%}" for row in optimizers["rows"])
    return f"**The optimizers' own share** of a generation on {optimizers['dataset']}: {shares}."


def _classifiers(classifiers: dict[str, Any]) -> str:
    """Fit and prediction in units of ours, geometric means over the datasets."""
    rows = classifiers["rows"]
    names = list(dict.fromkeys(row["classifier"] for row in rows))
    ours = {row["dataset"]: row for row in rows if row["classifier"] == OURS}
    lines = []
    for name in names:
        own = [row for row in rows if row["classifier"] == name]
        fit = _geometric_mean(row["fit_seconds"] for row in own)
        predicted = _geometric_mean(row["rows_per_second"] for row in own)
        faster_fit = _geometric_mean(ours[row["dataset"]]["fit_seconds"] / row["fit_seconds"] for row in own)
        faster = _geometric_mean(
            row["rows_per_second"] / ours[row["dataset"]]["rows_per_second"] for row in own
        )
        lines.append(
            (name, f"{fit:.2f}", f"{faster_fit:.2f}x", f"{float(f'{predicted:.3g}'):,.0f}", f"{faster:.2f}x")
        )
    shapes = "; ".join(f"{name} {shape}" for name, shape in classifiers["shapes"].items())
    return (
        f"**The classifier** beside others, default parameters, one thread: geometric means over {shapes}; "
        "70 % of the rows are for the fit. MODN's fit includes the search for its decay by cross-validation. "
        "2x is twice as fast as MODN:\n\n"
        + _table(("classifier", "CPU s per fit", "fit", "rows per CPU s", "prediction"), lines)
    )


def _geometric_mean(values: Iterable[float]) -> float:
    return float(np.exp(np.mean(np.log(list(values)))))


def _table(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    sides = ["---:" if all(row[k][:1].isdigit() for row in rows) else "---" for k in range(len(header))]
    return "\n".join(f"| {' | '.join(line)} |" for line in [header, sides, *rows])


def draw_growth(growth: list[dict[str, Any]]) -> Figure:
    """Draw the time of an evaluation over each size, beside proportional growth."""
    factors = np.array([1, 2, 4, 8])
    with style.applied():
        figure = Figure(figsize=(4.6, 3.4), layout="constrained")
        axes = figure.subplots()
        axes.plot(factors, factors, color=style.GREY, linewidth=0.8, label="proportional")
        for row, marker in zip(growth, "osD^", strict=True):
            times = [row[f"x{factor}"] for factor in factors]
            axes.plot(factors, times, marker=marker, label=f"{row['axis']} ({AXES[row['axis']]})")
        axes.set(xscale="log", yscale="log", xlabel="size / first size", ylabel="time / first time")
        axes.set_xticks(factors, [str(factor) for factor in factors])
        axes.set_yticks(factors, [str(factor) for factor in factors])
        axes.minorticks_off()
        axes.legend(frameon=False)
    return figure
