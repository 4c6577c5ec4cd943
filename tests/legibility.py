"""Whether a reader can make out a figure."""

import itertools

from matplotlib.figure import Figure

from modn.plots import style


def assert_legible(figure: Figure) -> None:
    """No two tick labels of an axis touch, and titles, labels and legends lie within the picture."""
    with style.applied():
        figure.draw_without_rendering()
    whole = figure.bbox.padded(1.0)
    texts = []
    for panel in [*figure.axes, *(child for parent in figure.axes for child in parent.child_axes)]:
        for axis in (panel.xaxis, panel.yaxis):
            low, high = sorted(axis.get_view_interval())
            ticks = zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=False)  # a shared axis has none
            labels = [label for place, label in ticks if low <= place <= high and label.get_text()]
            boxes = [label.get_window_extent() for label in labels]
            for (one, a), (other, b) in itertools.combinations(zip(labels, boxes, strict=True), 2):
                assert not a.overlaps(b), f"{one.get_text()!r} touches {other.get_text()!r}"
            texts += [axis.label, *labels]
        numbers = [number.get_window_extent() for number in panel.texts]
        assert not any(a.overlaps(b) for a, b in itertools.combinations(numbers, 2))
        texts += [panel.title, panel._left_title]
        if panel.get_legend():
            texts.append(panel.get_legend())
    for thing in texts + figure.legends:
        box = thing.get_window_extent()
        inside = whole.x0 <= box.x0 and box.x1 <= whole.x1 and whole.y0 <= box.y0 and box.y1 <= whole.y1
        assert inside or box.width == 0 or not thing.get_visible(), f"{thing} leaves the picture"
    titles = [panel.title.get_window_extent() for panel in figure.axes if panel.get_title()]
    for a, b in itertools.combinations(titles, 2):
        assert not a.overlaps(b)
