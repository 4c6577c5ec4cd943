"""A small project with made-up reports, in a git repository: the same content gives the same commits."""

import hashlib
import json
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from stages.io import sources

DATASETS = {"iris": "Iris", "car": "Car evaluation"}
RUNS = 6
WAVE = (0.00, 0.02, -0.01, 0.01, -0.02, 0.015)
CLAIMS = {
    "BBO is the best optimizer on most datasets (9 of 11)": ("2 of 2", "holds"),
    "A larger alpha_s promotes ACC (Fig. 4)": ("rank correlation Iris +0.34", "within chance"),
}
ENVIRONMENT = {
    **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    **{
        f"GIT_{who}_{what}": "test@example.org"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    },
    **{f"GIT_{who}_DATE": "2024-01-01T00:00:00Z" for who in ("AUTHOR", "COMMITTER")},
}


@dataclass
class Numbers:
    """What a report says; `shift` moves a method's runs alike, `jitter` each in a direction of its own."""

    shift: dict[str, float] = field(default_factory=dict)
    jitter: dict[str, float] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=lambda: dict(DATASETS))
    claims: dict[str, tuple[str, str]] = field(default_factory=lambda: dict(CLAIMS))
    figures: dict[str, bytes] = field(default_factory=lambda: {"accuracy": b"bars", "roc": b"curves"})
    runs: int = RUNS

    def accuracy(self, method: str, dataset: int, run: int) -> float:
        sign = -1 if (run * 7 + dataset * 3) % 5 < 2 else 1
        moved = self.shift.get(method, 0.0) + self.shift.get(f"{method}@{list(self.titles)[dataset]}", 0.0)
        moved *= 1 + 0.05 * run
        moved += sign * self.jitter.get(method, 0.0) * (1 + 0.1 * run)
        return 0.8 + 0.05 * dataset + WAVE[run % len(WAVE)] + moved

    def trained(self) -> str:
        lines = [
            "study,dataset,title,model,optimizer,run,n_dendrites,alpha_s,alpha_t,acc,auc,loss,inoperative"
        ]
        for method in ("modn-bbo", "modnf-pso"):
            for number, (dataset, title) in enumerate(self.titles.items()):
                for run in range(self.runs):
                    acc = self.accuracy(method, number, run)
                    names = f'comparison,{dataset},"{title}",{method.replace("-", ",")}'
                    lines.append(f"{names},{run},10,10.0,1.0,{acc:.6f},{0.9 + acc / 20:.6f},0.3,1")
        return "\n".join(lines) + "\n"

    def fitted(self) -> str:
        lines = ["dataset,title,baseline,name,search,run,acc,auc"]
        for number, (dataset, title) in enumerate(self.titles.items()):
            for run in range(self.runs):
                acc = self.accuracy("knn", number, run)
                lines.append(f'{dataset},"{title}",knn,kNN,default,{run},{acc:.6f},{acc + 0.05:.6f}')
        return "\n".join(lines) + "\n"

    def judged(self) -> str:
        rows = [f'"{claim}","{ours}","{verdict}"' for claim, (ours, verdict) in self.claims.items()]
        return "\n".join(["claim,ours,verdict", *rows]) + "\n"


@dataclass
class MadeUp:
    """The project's folder; `main` is the base, `change` the branch that is reviewed."""

    root: Path

    def git(self, *arguments: str) -> str:
        command = ["git", "-c", "init.defaultBranch=main", *arguments]
        done = subprocess.run(command, cwd=self.root, env=ENVIRONMENT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def write(self, path: str, content: str | bytes) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)

    def parameters(self, **changes: Any) -> None:
        """params.yaml with the hash that a real one derives from the values."""
        values = {"alpha_s": 10.0, "optimizers": {"bbo": {"population": 100}}, "profile": "quick"} | changes
        digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
        self.write(
            "params.yaml", yaml.safe_dump(values | {"derived": {"sha256": digest, "copy": values["alpha_s"]}})
        )

    def report(self, numbers: Numbers, profile: str = "quick") -> None:
        """As the stages would write it from what is here now."""
        folder = f"reports/{profile}"
        self.write(f"{folder}/tables/runs.csv", numbers.trained())
        self.write(f"{folder}/tables/baseline_runs.csv", numbers.fitted())
        self.write(f"{folder}/tables/claims.csv", numbers.judged())
        self.write(
            f"{folder}/summary.json",
            json.dumps({"modn_bbo_acc": round(numbers.accuracy("modn-bbo", 0, 0), 4)}),
        )
        self.write(f"{folder}/report.md", "# Report\n")
        for name, content in numbers.figures.items():
            self.write(f"{folder}/figures/{name}.png", content)
        imported = sources.closure(["stages.report"])
        hashes = {
            path.relative_to(self.root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(imported)
        }
        made = {
            "sources": hashes,
            "cores": 2,
            "machine": "any",
            "stages": {"comparison modn-bbo": {"wall_seconds": 1.5, "core_seconds": {"iris": 3.0}}},
            "restored": ["baselines knn"],
            "parameters_sha256": yaml.safe_load((self.root / "params.yaml").read_text())["derived"]["sha256"],
            "versions": {"python": "3.11.0", "modn": "0.0", "numpy": "2.0.0"},
        }
        self.write(f"{folder}/provenance.json", json.dumps(made))

    def commit(self, message: str) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", message)


def made_up(root: Path, monkeypatch: pytest.MonkeyPatch) -> MadeUp:
    """A project on its branch `change`, which is still the same as `main`."""
    project = MadeUp(root)
    root.mkdir()
    monkeypatch.setattr(sources, "ROOT", root)
    project.git("init", "--quiet")
    project.write("README.md", "About\n")
    project.write(
        "requirements.lock", "numpy==2.0.0 ; python_full_version < '3.13'\nnumpy==2.1.0\npandas==3.0\n"
    )
    project.write("modn/neuron.py", "EQUATIONS = 9\n")
    project.write("modn/aside.py", "")
    project.write("stages/report.py", "import modn.neuron\n")
    project.write("reports/paper/provenance.json", json.dumps({"parameters_sha256": "0"}))
    project.parameters()
    project.report(Numbers())
    project.commit("Base")
    project.git("checkout", "--quiet", "-b", "change")
    return project
