"""BBO+Adam, a memetic algorithm: BBO looks around, Adam goes down from the best it found.

As an optimizer this is BBO; the trainer (`modn.training`) adds the descent on the same loss when BBO's
iterations are used up.
"""

from dataclasses import dataclass

from modn.optimizers.adam import Adam
from modn.optimizers.base import register
from modn.optimizers.bbo import BBO
from modn.optimizers.checks import check_integer, check_number


@register("bbo+adam")
@dataclass(frozen=True)
class BBOAdam(BBO):
    """Parameters of BBO, and of the descent."""

    iterations: int | None = 100  # of BBO: the descent needs a good place to begin, not the best
    polish: int = 100  # steps of Adam; no more than there were iterations
    learning_rate: float = 0.03  # their length

    def __post_init__(self) -> None:
        super().__post_init__()
        check_integer(self, "polish", 0)
        check_number(self, "learning_rate", 0, ends="(]")

    @property
    def polisher(self) -> Adam:
        """What makes the steps."""
        return Adam(iterations=self.polish, learning_rate=self.learning_rate)
