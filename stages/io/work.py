"""The tasks of a stage, from their arguments to the files that it writes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from stages.config.schema import Runtime
from stages.io import files
from stages.io.progress import Progress
from stages.io.sources import Registries
from stages.io.store import Result, Task, remembered


class Work:
    """Tasks, each of which is a run in one of the files; a file holds its runs stacked, in their order."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.tasks: dict[str, tuple[Any, ...]] = {}
        self.datasets: dict[str, str] = {}  # by task
        self.files: dict[str, list[str]] = defaultdict(list)  # name -> its tasks
        self.results: dict[str, Result] = {}
        self.wall_seconds = 0.0

    def add(self, name: str, dataset: str, file: str, task: tuple[Any, ...]) -> None:
        """One more task, with its arguments."""
        self.tasks[name] = task
        self.datasets[name] = dataset
        self.files[file].append(name)

    def do(
        self,
        runtime: Runtime,
        function: Task,
        modules: Iterable[str] = (),
        registries: Registries | None = None,
        versions: Mapping[str, str] | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Take results from the store and compute the others, where there is none yet; see `remembered`.

        `progress`: that of a caller who adds tasks and calls this again.
        """
        begin = perf_counter()
        left = {name: task for name, task in self.tasks.items() if name not in self.results}
        shown = Progress(self.label, self.datasets.values()) if progress is None else nullcontext(progress)
        with shown as bar:
            for name, result in remembered(runtime, function, left, modules, registries, versions):
                self.results[name] = result
                bar.advance(self.datasets[name])
        self.wall_seconds += perf_counter() - begin
        if progress is None:
            self.say_stored()

    def say_stored(self) -> None:
        """Print how many results were not computed, if any."""
        stored = sum(result.stored for result in self.results.values())
        if stored:
            print(f"{self.label}: {stored} of {len(self.tasks)} runs were in data/store", flush=True)

    def write(self, folder: Path) -> None:
        """Replace a folder by one with a file for each name."""
        with files.replaced_folder(folder) as fresh:
            for file, names in self.files.items():
                runs = [self.results[name].arrays for name in names]
                stacked = {key: np.stack([arrays[key] for arrays in runs]) for key in runs[0]}
                files.write_arrays(fresh / f"{file}.npz", stacked)

    def clocks(self) -> dict[str, Any]:
        """Seconds of this stage, of its tasks by dataset, and how much of those was spent earlier."""
        core: dict[str, float] = defaultdict(float)
        stored = 0.0
        for name, result in self.results.items():
            spent = sum(result.seconds.values())
            core[self.datasets[name]] += spent
            stored += spent * result.stored
        return {"wall_seconds": self.wall_seconds, "core_seconds": dict(core), "stored_seconds": stored}
