"""The accuracy of circuits over their size, as an SVG picture for a page."""

from collections.abc import Sequence
from typing import NamedTuple

WIDTH, HEIGHT = 640, 260
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 12, 44
TICKS = 5


class Size(NamedTuple):
    """One circuit of a path: its conditions, and its cross-validated accuracy."""

    n_conditions: int
    accuracy: float
    standard_error: float


def chart(path: Sequence[Size]) -> str:
    """A line with its standard errors."""
    low = min(size.accuracy - size.standard_error for size in path)
    high = max(size.accuracy + size.standard_error for size in path)
    most = max(size.n_conditions for size in path)

    def x(n: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * n / (most or 1)

    def y(accuracy: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - accuracy) / ((high - low) or 1)

    lines = []
    for k in range(TICKS):
        accuracy, n = low + (high - low) * k / (TICKS - 1), round(most * k / (TICKS - 1))
        lines.append(f'<path class="grid" d="M{LEFT} {y(accuracy):.1f}H{WIDTH - RIGHT}"/>')
        lines.append(f'<text x="{LEFT - 8}" y="{y(accuracy):.1f}" class="end">{accuracy:.3f}</text>')
        lines.append(f'<text x="{x(n):.1f}" y="{HEIGHT - BOTTOM + 16}" class="middle">{n}</text>')
    for n, accuracy, error in path:
        lines.append(
            f'<path class="error" d="M{x(n):.1f} {y(accuracy - error):.1f}V{y(accuracy + error):.1f}"/>'
        )
        lines.append(
            f'<circle cx="{x(n):.1f}" cy="{y(accuracy):.1f}" r="3.5">'
            f"<title>{n} conditions: {accuracy:.3f} ± {error:.3f}</title></circle>"
        )
    line = "L".join(f"{x(n):.1f} {y(accuracy):.1f}" for n, accuracy, _ in path)
    return (
        f'<div class="scroll" tabindex="0"><svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" role="img" aria-label="Cross-validated accuracy over the number of conditions">\n'
        f'<path class="line" d="M{line}"/>\n{chr(10).join(lines)}\n'
        f'<text x="{(LEFT + WIDTH) / 2:g}" y="{HEIGHT - 10}" class="middle">conditions (bars: one standard '
        "error)</text>\n"
        "</svg></div>"
    )
