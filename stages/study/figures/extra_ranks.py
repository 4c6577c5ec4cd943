"""Which classifiers differ on the extra datasets, all with their default parameters."""

from stages.study.figures import StudyFigure, classifier_ranks

FIGURE = StudyFigure(
    name="extra_ranks",
    caption="Mean ranks by accuracy on more datasets; a bar joins those that do not differ significantly",
    section="extra",
    order=1,
    needs=("extra_ranks",),
    draw=classifier_ranks.draw,
)
