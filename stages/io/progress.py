"""Progress of a stage: a bar with an estimate of the end; without a terminal, a line per dataset."""

import sys
from collections import Counter
from collections.abc import Iterable
from time import perf_counter
from types import TracebackType

from tqdm import tqdm


class Progress:
    """A context manager that counts finished tasks; `datasets` has the dataset of each task."""

    def __init__(self, label: str, datasets: Iterable[str]) -> None:
        self.label, self.due, self.done = label, Counter(datasets), Counter[str]()
        self.begin = perf_counter()
        quiet = not sys.stderr.isatty()
        self.bar = tqdm(total=self.due.total(), desc=label, unit="run", disable=quiet, dynamic_ncols=True)

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.bar.close()

    def advance(self, dataset: str, count: int = 1) -> None:
        """So many more tasks of this dataset are done."""
        if not count:
            return
        self.done[dataset] += count
        self.bar.set_postfix_str(f"{dataset} {self.done[dataset]}/{self.due[dataset]}", refresh=False)
        self.bar.update(count)
        if self.bar.disable and self.done[dataset] == self.due[dataset]:
            complete = sum(self.done[name] == count for name, count in self.due.items())
            seconds = perf_counter() - self.begin
            print(
                f"{self.label}: {dataset} done, {complete} of {len(self.due)} datasets, {seconds:.1f} s",
                flush=True,
            )
