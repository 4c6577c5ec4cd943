"""A circuit drawn as SVG: comparators, the dendrites that AND them, the classes that count dendrites.

Every part has the attributes `data-part` and `data-index`, by which a page can light it up.
"""

from html import escape

from modn.explain.circuit import Circuit, Condition
from modn.explain.circuit_text import condition_text

ROW, BOX, GATE, CLASS = 34, 290, 40, 200  # heights of a row, widths of a comparator, a dendrite, a class
GATES, CLASSES = 370, 520  # where their columns begin
WIDTH = CLASSES + CLASS + 2
LONGEST = 38  # characters of a text that fit its box


def conditions_of(circuit: Circuit) -> list[Condition]:
    """The different conditions of the dendrites that a class counts, in the order of these."""
    return list(dict.fromkeys(one for j in counted(circuit) for one in circuit.dendrites[j]))


def counted(circuit: Circuit) -> list[int]:
    """The dendrites that a class counts, sorted by the first such class."""
    P = circuit.weights != 0
    return sorted(
        (j for j in range(len(circuit.dendrites)) if P[j].any()), key=lambda j: (int(P[j].argmax()), j)
    )


def draw(circuit: Circuit) -> str:
    """The SVG element."""
    conditions, dendrites, C = conditions_of(circuit), counted(circuit), len(circuit.classes)
    rows = max(len(conditions), len(dendrites), C, 1)
    at = [_spread(n, rows) for n in (len(conditions), len(dendrites), C)]
    place = {condition: k for k, condition in enumerate(conditions)}
    wires, parts = [], []
    for y, j in zip(at[1], dendrites, strict=True):
        for condition in circuit.dendrites[j]:
            k = place[condition]
            wires.append(_wire(BOX, at[0][k], GATES, y, "condition", k))
        for c in range(C):
            if circuit.weights[j, c]:
                wires.append(_wire(GATES + GATE, y, CLASSES, at[2][c], "dendrite", j))
        parts.append(_gate(y, j, not circuit.dendrites[j]))
    for k, condition in enumerate(conditions):
        words = condition_text(circuit.features[condition.feature], condition)
        parts.append(_box(0, at[0][k], BOX, "condition", k, words))
    for c, label in enumerate(circuit.classes):
        parts.append(_box(CLASSES, at[2][c], CLASS, "class", c, str(label), score=True))
    height = rows * ROW + 4
    return (
        f'<svg class="circuit" viewBox="-2 0 {WIDTH + 4} {height}" width="{WIDTH + 4}" height="{height}" '
        f'role="img" aria-label="{len(conditions)} comparators, {len(dendrites)} dendrites, {C} classes">\n'
        + "\n".join([*wires, *parts])
        + "\n</svg>"
    )


def _spread(n: int, rows: int) -> list[float]:
    """The middles of n parts over the height of all rows."""
    return [(k + 0.5) * rows * ROW / n + 2 for k in range(n)]


def _wire(x0: float, y0: float, x1: float, y1: float, part: str, index: int) -> str:
    middle = (x0 + x1) / 2
    path = f"M{x0:g} {y0:.1f}C{middle:g} {y0:.1f} {middle:g} {y1:.1f} {x1:g} {y1:.1f}"
    return f'<path class="wire" data-part="{part}" data-index="{index}" d="{path}"/>'


def _gate(y: float, j: int, empty: bool) -> str:
    """The symbol of an AND, with the number of its rule."""
    half, title = ROW / 2 - 4, f"rule {j + 1}" + (": always" if empty else "")
    shape = (
        f"M{GATES} {y - half:.1f}h{GATE - half:g}a{half:g} {half:g} 0 0 1 0 {2 * half:g}h-{GATE - half:g}z"
    )
    return (
        f'<g data-part="dendrite" data-index="{j}"><title>{title}</title><path d="{shape}"/>'
        f'<text x="{GATES + GATE / 2 - 2:g}" y="{y:.1f}" class="middle">{j + 1}</text></g>'
    )


def _box(x: int, y: float, width: int, part: str, index: int, text: str, score: bool = False) -> str:
    room = LONGEST * width // BOX - (6 if score else 0)
    short = text if len(text) <= room else text[: room - 1] + "\N{HORIZONTAL ELLIPSIS}"
    number = f'<text x="{x + width - 10:g}" y="{y:.1f}" class="score end"></text>' if score else ""
    return (
        f'<g data-part="{part}" data-index="{index}"><title>{escape(text)}</title>'
        f'<rect x="{x:g}" y="{y - ROW / 2 + 3:.1f}" width="{width:g}" height="{ROW - 6}" rx="5"/>'
        f'<text x="{x + 10:g}" y="{y:.1f}">{escape(short)}</text>{number}</g>'
    )
