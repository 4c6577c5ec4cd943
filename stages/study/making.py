"""How a report was made: seconds, machine, versions and sources, by the records of `tune`, `train` and `fit`.

No result depends on it, so report.md leaves it out; it is in provenance.json and at the end of index.html.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from stages.config.schema import Parameters, estimators_of
from stages.io import provenance, sources
from stages.study import markdown
from stages.study.cells import TUNING
from stages.study.tables import SEARCHES

CLOCKS = ("wall_seconds", "core_seconds", "stored_seconds", "fit_seconds")


class Record(NamedTuple):
    """One search, training or fit."""

    study: str
    name: str  # model-optimizer, or the classifier
    facts: dict[str, Any] | None  # None: it was not made here, DVC restored it from its cache

    @property
    def stage(self) -> str:
        """As DVC would call it; no name of a model, an optimizer or a classifier has a hyphen."""
        if self.study == TUNING:
            return f"tune {self.name}"
        return f"{'train' if '-' in self.name else 'fit'} {self.study} {self.name}"


def read(parameters: Parameters) -> list[Record]:
    """The records of all searches, trainings, those of the arena included, and fits."""
    trainings = parameters.derived["trainings"].values()
    fits = parameters.derived["fits"].values()
    made = [(TUNING, name) for name in parameters.derived["searches"]]
    made += [(own["study"], f"{own['model']}-{own['optimizer']}") for own in trainings]
    made += [("arena", pair) for pair in parameters.derived["arena"]["pairs"]]
    made += [(own["study"], own["baseline"]) for own in fits]
    return [Record(study, name, provenance.read(study, name)) for study, name in made]


def provenance_of(parameters: Parameters, records: Sequence[Record]) -> dict[str, Any]:
    """What provenance.json says: versions, machine, parameters, sources and times."""
    made = {f"{study} {name}": facts for study, name, facts in records if facts is not None}
    return {
        **_circumstances(records),
        "parameters_sha256": parameters.derived["sha256"],
        "sources": source_hashes(parameters),
        "stages": {name: {key: facts[key] for key in CLOCKS if key in facts} for name, facts in made.items()},
        "restored": [f"{study} {name}" for study, name, facts in records if facts is None],
        "wall_seconds": sum(facts["wall_seconds"] for facts in made.values()),
    }


def source_hashes(parameters: Parameters) -> dict[str, str]:
    """The SHA-256 of every source file that the stages import, estimators of classifiers included."""
    from stages.study import baselines  # late: scikit-learn takes a second to import

    stages = sources.registered("stages")
    estimators = [
        baselines.estimator_class(own.estimator).__module__
        for group in (parameters.baselines, parameters.readable, parameters.predictors)
        for fitted in group.values()
        for own in estimators_of(fitted)
        if baselines.installed(own)
    ]
    return sources.hashes(sources.closure([*stages, *estimators]))


def section(records: Sequence[Record]) -> str:
    """The last section of the page, in Markdown."""
    circumstances = _circumstances(records)
    versions = ", ".join(f"{name} {version}" for name, version in circumstances["versions"].items())
    blocks = [
        "## How it was made",
        markdown.table(_clocks(records)),
        f"On {circumstances['cores']} cores ({_machine(circumstances)}), with {versions}. The same as data, "
        "with hashes of all parameters and sources: [provenance.json](provenance.json).",
        _fits(records),
    ]
    return "\n\n".join(filter(None, blocks)) + "\n"


def _circumstances(records: Sequence[Record]) -> dict[str, Any]:
    """The machine of the first training made here, else of this report; with the versions of all records."""
    made = [record.facts for record in records if record.facts is not None] or [provenance.record()]
    versions: dict[str, str] = {}
    for facts in made:
        versions = {**facts["versions"], **versions}
    here: dict[str, Any] = {key: made[0][key] for key in ("cores", "machine", "processor") if key in made[0]}
    return {"versions": versions, **here}


def _machine(circumstances: Mapping[str, Any]) -> str:
    """The kind of machine, and in a few words what rounding depends on; earlier records lack that."""
    processor = circumstances.get("processor")
    if processor is None:
        return str(circumstances["machine"])
    compiled_for = processor["Numba's target"].split()[1]
    return f"{circumstances['machine']}, compiled for {compiled_for}, BLAS: {processor['BLAS']}"


def _clocks(records: Sequence[Record]) -> list[dict[str, str]]:
    rows, wall, core = [], 0.0, 0.0
    for record in records:
        if record.facts is None:
            rows.append({"stage": f"{record.stage} (restored)", "wall seconds": "", "core seconds": ""})
            continue
        own = record.facts["wall_seconds"], sum(record.facts["core_seconds"].values())
        wall, core = wall + own[0], core + own[1]
        rows.append({"stage": record.stage, "wall seconds": f"{own[0]:.1f}", "core seconds": f"{own[1]:.1f}"})
    total = {"stage": "**all**", "wall seconds": f"{wall:.1f}", "core seconds": f"{core:.1f}"}
    return [*rows, total]


def _fits(records: Sequence[Record]) -> str:
    """The seconds of one fit of each classifier, where they were measured."""
    rows = [
        {
            "study": record.study,
            "classifier": record.name,
            **{title: f"{seconds[key]:.2g}" if key in seconds else "" for key, title in SEARCHES.items()},
        }
        for record in records
        if record.facts and (seconds := record.facts.get("fit_seconds"))
    ]
    return f"Seconds per fit of the classifiers, median:\n\n{markdown.table(rows)}" if rows else ""
