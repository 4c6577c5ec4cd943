"""Progress of a stage: a bar with what is done and when all is; off a terminal, a line per dataset."""

import sys
from collections import Counter
from time import perf_counter
from types import TracebackType

from tqdm import tqdm


class Progress:
    """Counts runs done; use as a context manager."""

    def __init__(self, label: str, datasets: list[str], runs: int) -> None:
        self.label, self.runs, self.n_datasets = label, runs, len(datasets)
        self.done: Counter[str] = Counter()
        self.begin = perf_counter()
        self.bar = tqdm(
            total=len(datasets) * runs,
            desc=label,
            unit="run",
            disable=not sys.stderr.isatty(),
            dynamic_ncols=True,
        )

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.bar.close()

    def advance(self, dataset: str) -> None:
        """One more run of this dataset is done."""
        self.done[dataset] += 1
        self.bar.set_postfix_str(f"{dataset} {self.done[dataset]}/{self.runs}", refresh=False)
        self.bar.update()
        if self.bar.disable and self.done[dataset] == self.runs:
            complete = sum(count == self.runs for count in self.done.values())
            seconds = perf_counter() - self.begin
            print(
                f"{self.label}: {dataset} done, {complete} of {self.n_datasets} datasets, {seconds:.1f} s",
                flush=True,
            )
