"""A circuit as one self-contained HTML page: drawn, as rules, and to try with one's own input.

The page asks nobody for anything: style, script and pictures are inside, and its security policy forbids all
requests. What it decides is decided by the JavaScript export of the circuit itself.
"""

import base64
import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from modn.explain.circuit import Circuit
from modn.explain.circuit_text import effect, premise
from modn.explain.drawing import conditions_of, counted, draw
from modn.explain.path_chart import chart
from modn.export import export
from modn.export.targets.javascript import literal

STYLE = Path(__file__).with_suffix(".css")
SCRIPT = Path(__file__).with_suffix(".js")
MEASURED = ("support", "precision", "worth")
WIDEST = 1e300  # of a slider, so that nothing overflows

TEMPLATE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>{title}</h1>
{body}
</main>
<script>{script}</script>
</body>
</html>
"""


class Slider(NamedTuple):
    """The numbers that can be tried of a feature."""

    low: float
    high: float
    step: float
    start: float


def render(circuit: Circuit, title: str = "A circuit of dendrites", X: ArrayLike | None = None) -> str:
    """The page of a circuit; samples X set the range of the sliders, by default the thresholds do."""
    style, script = STYLE.read_text(encoding="utf-8"), _script(circuit)
    body = [
        _summary(circuit),
        _section("Try it", "try", _form(circuit, X)),
        _section("The circuit", "drawing", f'<div class="scroll" tabindex="0">{draw(circuit)}</div>'),
        _section("Rules", "rules", _rules(circuit)),
        *([_section("Accuracy over size", "path", chart(circuit.path))] if circuit.path is not None else []),
        _section("The function that decides here", "source", f"<pre>{escape(_function(circuit))}</pre>"),
    ]
    return TEMPLATE.format(
        policy=f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)}",
        title=escape(title),
        style=style,
        body="\n".join(body),
        script=script,
    )


def slider(thresholds: Sequence[float], values: np.ndarray | None = None) -> Slider:
    """A range around the thresholds and, if there are any, the values; its step is a power of ten."""
    known = np.empty(0) if values is None else values[np.isfinite(values)]
    low, high = min([*thresholds, *known]), max([*thresholds, *known])
    if not len(known):  # as far again as the thresholds lie apart, or from 0
        margin = (high - low) or abs(high) / 2 or 1.0
        low, high = max(low - margin, -WIDEST), min(high + margin, WIDEST)
    step = 10.0 ** math.floor(math.log10(max(high - low, 1e-300) / 100))
    low, high = math.floor(low / step - 1) * step, math.ceil(high / step + 1) * step
    start = float(np.median(known)) if len(known) else (low + high) / 2
    return Slider(*(float(f"{number:.12g}") for number in (low, high, step, round(start / step) * step)))


def _summary(circuit: Circuit) -> str:
    counts = (
        (len(conditions_of(circuit)), "condition"),
        (len(counted(circuit)), "rule"),
        (len(circuit.classes), "class"),
    )
    words = [f"{n} {word}{'' if n == 1 else 'es' if word == 'class' else 's'}" for n, word in counts]
    return (
        f"<p>{words[0]} in {words[1]}, {words[2]}. A rule holds where all its conditions do. Each rule that "
        "holds changes the scores of its classes; the class with the highest score wins, the first of "
        "several.</p>"
    )


def _section(title: str, name: str, body: str) -> str:
    return f'<section id="{name}">\n<h2>{title}</h2>\n{body}\n</section>'


def _form(circuit: Circuit, X: ArrayLike | None) -> str:
    """An input for each feature that a condition tests; the script shows the form and the decision."""
    conditions = conditions_of(circuit)
    columns = None if X is None else circuit.columns(X)
    fields = []
    for i in sorted({condition.feature for condition in conditions}):
        feature = circuit.features[i]
        label = f'<label for="input-{i}">{escape(feature.name)}</label>'
        if feature.categories is None:
            thresholds = [float(one.value) for one in conditions if one.feature == i]
            low, high, step, start = slider(thresholds, None if columns is None else columns[i])
            limits = f'min="{low!r}" max="{high!r}" step="{step!r}" value="{start!r}"'
            fields.append(
                f'<div class="field">{label}<input type="range" id="input-{i}" {limits}>'
                f'<input type="number" data-feature="{i}" step="any" value="{start!r}" placeholder="missing" '
                f'aria-label="{escape(feature.name)}, as a number; empty: missing"></div>'
            )
        else:
            known = enumerate(feature.categories)
            options = [f'<option value="{k}">{escape(text)}</option>' for k, text in known]
            options += ['<option value="other">(another)</option>', '<option value="">(missing)</option>']
            select = f'<select id="input-{i}" data-feature="{i}">{"".join(options)}</select>'
            fields.append(f'<div class="field">{label}{select}</div>')
    return (
        '<noscript><p>This needs JavaScript.</p></noscript>\n<form hidden autocomplete="off">\n'
        + "\n".join(fields)
        + '\n<p class="decision">Decision: <output id="decision"></output></p>\n</form>'
    )


def _rules(circuit: Circuit) -> str:
    """A table of the rules, what was measured of them, and where the scores start."""
    measured = circuit.evidence
    columns = {} if measured is None else {name: getattr(measured, name) for name in MEASURED}
    rows = [
        f'<tr data-part="dendrite" data-index="{j}"><td class="right">{j + 1}</td>'
        f"<td>{escape(premise(circuit, j))}</td><td>{escape(effect(circuit, j))}</td>"
        + "".join(f'<td class="right">{column[j]:.3f}</td>' for column in columns.values())
        + "</tr>"
        for j in counted(circuit)
    ]
    head = "".join(f'<th class="right">{name}</th>' for name in columns)
    starts = zip(circuit.classes, circuit.theta_t, strict=True)
    notes = [f"Scores start at {', '.join(f'{label} {-theta:d}' for label, theta in starts)}."]
    if measured is not None:
        notes.append(
            f"Measured on {measured.n_samples} samples, by default those of training, where the accuracy is "
            f"{measured.accuracy:.3f}. Support: the share of samples where the rule holds; precision: the "
            "share of these that are of a class whose score it raises; worth: by how much the accuracy falls "
            "without it."
        )
    return (
        '<div class="scroll" tabindex="0"><table>\n<thead><tr><th class="right">rule</th><th>if</th>'
        f"<th>score</th>{head}</tr></thead>\n<tbody>\n{chr(10).join(rows)}\n</tbody>\n</table></div>\n"
        + "\n".join(f"<p>{escape(note)}</p>" for note in notes)
    )


def _function(circuit: Circuit) -> str:
    source: str = export(circuit, "javascript", module="none")
    return source


def _script(circuit: Circuit) -> str:
    """The circuit's function, one whose dendrites are its single conditions, and what connects them."""
    conditions = conditions_of(circuit)
    alone = replace(
        circuit,
        evidence=None,
        dendrites=tuple((condition,) for condition in conditions),
        weights=np.ones((len(conditions), len(circuit.classes)), dtype=np.int64),
    )
    categories = [feature.categories for feature in circuit.features]
    parts = [
        '"use strict";',
        _function(circuit),
        export(alone, "javascript", name="singly", module="none"),
        f"const categories = {literal(categories)};",
        SCRIPT.read_text(encoding="utf-8"),
    ]
    return "\n".join(parts)


def _hash(text: str) -> str:
    """The name under which a security policy allows an inline style or script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
