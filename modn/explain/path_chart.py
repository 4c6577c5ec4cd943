"""The accuracy of circuits over their size, as an SVG picture for a page."""

import numpy as np

from modn.explain.circuit import SizePath

WIDTH, HEIGHT = 640, 260
LEFT, RIGHT, TOP, BOTTOM = 56, 16, 12, 44
TICKS = 5


def chart(path: SizePath) -> str:
    """The mean over the folds with its standard errors; the chosen size is marked."""
    low = float(np.nanmin([*(path.accuracy - path.standard_error), path.neuron]))
    high = float(np.nanmax([*(path.accuracy + path.standard_error), path.neuron]))
    most = int(path.sizes[-1])

    def x(n: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * n / (most or 1)

    def y(accuracy: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - accuracy) / ((high - low) or 1)

    lines = []
    for k in range(TICKS):
        accuracy = low + (high - low) * k / (TICKS - 1)
        lines.append(f'<path class="grid" d="M{LEFT} {y(accuracy):.1f}H{WIDTH - RIGHT}"/>')
        lines.append(f'<text x="{LEFT - 8}" y="{y(accuracy):.1f}" class="end">{accuracy:.3f}</text>')
    for n in sorted({round(most * k / (TICKS - 1)) for k in range(TICKS)}):
        lines.append(f'<text x="{x(n):.1f}" y="{HEIGHT - BOTTOM + 16}" class="middle">{n}</text>')
    if not np.isnan(path.neuron):
        lines.append(f'<path class="neuron" d="M{LEFT} {y(path.neuron):.1f}H{WIDTH - RIGHT}"/>')
    for n, accuracy, error in zip(*path[:3], strict=True):
        lines.append(
            f'<path class="error" d="M{x(n):.1f} {y(accuracy - error):.1f}V{y(accuracy + error):.1f}"/>'
        )
        lines.append(
            f'<circle cx="{x(n):.1f}" cy="{y(accuracy):.1f}" r="{6 if n == path.chosen else 3.5}">'
            f"<title>{n} conditions: {accuracy:.3f} ± {error:.3f}</title></circle>"
        )
    line = "L".join(f"{x(n):.1f} {y(accuracy):.1f}" for n, accuracy in zip(*path[:2], strict=True))
    return (
        f'<div class="scroll" tabindex="0"><svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" role="img" aria-label="Cross-validated accuracy over the number of conditions">\n'
        f'<path class="line" d="M{line}"/>\n{chr(10).join(lines)}\n'
        f'<text x="{(LEFT + WIDTH) / 2:g}" y="{HEIGHT - 10}" class="middle">conditions</text>\n</svg></div>\n'
        "<p>Cross-validated accuracy with its standard error. The large dot is the default size"
        f"{'' if np.isnan(path.neuron) else ', the dashed line the neuron'}.</p>"
    )
