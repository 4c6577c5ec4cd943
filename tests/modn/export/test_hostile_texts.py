"""Names, categories and labels come from data: none of them can become code, or break a program."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from runners import RUNNERS

from modn import export
from modn.explain.circuit import Circuit, Condition, Feature
from modn.export.identifiers import KEYWORDS, OWN, comment, identifiers

HOSTILE = [
    "'",
    '"',
    "`",
    "a'b\"c",
    "*/ int x; /*",
    "// \\",
    "\\",
    "\\'; DROP TABLE samples; --",
    "'; DROP TABLE samples; --",
    '"); process.exit(3); ("',
    "'); raise SystemExit(3); ('",
    "</script><script>alert(1)</script>",
    "<!--",
    "${process.exit(3)}",
    "{x}",
    "%s%d%n",
    "??/",
    "line\nbreak\r\n",
    "\u2028\u2029",
    "tab\t",
    "NUL\0inside",
    "größe",
    "中文",
    "😀",
    " ",
    "1st",
    "__proto__",
    "constructor",
    '`include "x"',
    "x'); endmodule //",
    "\x7f\x1b",
]
REFUSED = {"c": "\0", "sql": r"[\0\\]"}  # what a target cannot express


def circuit_of(texts: list[str]) -> Circuit:
    """Texts everywhere: as the names of numbers, as categories, and as classes."""
    features = (*map(Feature, texts), Feature("which", tuple(texts)))
    places = range(len(texts))
    numbers = tuple((Condition(k, ">=", 0.5),) for k in places)
    categories = tuple((Condition(len(texts), "is", texts[k]), Condition(k, "<", 2.0)) for k in places)
    weights = np.vstack([np.eye(len(texts)), np.eye(len(texts))]).astype(int)
    zeros = np.zeros(len(texts), dtype=int)
    return Circuit(features, np.array(texts, dtype=object), numbers + categories, weights, zeros)


def samples_of(texts: list[str]) -> pd.DataFrame:
    """Each class wins once by its number, and once by its category."""
    n = len(texts)
    numbers = pd.DataFrame(np.vstack([np.eye(n), np.zeros((n, n))]), columns=texts)
    return numbers.assign(which=[*(["another"] * n), *texts])


@pytest.mark.parametrize("runner", RUNNERS)
def test_hostile_texts_do_nothing(runner: str, tmp_path: Path) -> None:
    refused = REFUSED.get(runner)
    texts = [text for text in HOSTILE if refused is None or not re.search(refused, text)]
    circuit, frame = circuit_of(texts), samples_of(texts)
    assert circuit.predict(frame).tolist() == [*texts, *texts]
    assert RUNNERS[runner]([circuit], frame, tmp_path) == [circuit.predict(frame).tolist()]


@pytest.mark.parametrize("target", REFUSED)
def test_what_a_target_cannot_express_is_refused(target: str) -> None:
    for text in HOSTILE:
        if re.search(REFUSED[target], text):
            with pytest.raises(
                ValueError, match=f"^{target} cannot express the text .*; allowed: texts without"
            ):
                export.export(circuit_of(["good", text]), target)


@pytest.mark.parametrize("target", export.names())
def test_half_characters_are_refused(target: str) -> None:
    with pytest.raises(ValueError, match="without unpaired surrogates"):
        export.export(circuit_of(["good", "\ud800"]), target)


@pytest.mark.parametrize("runner", RUNNERS)
def test_keywords_and_names_of_the_program_itself(runner: str, tmp_path: Path) -> None:
    own = re.findall(r"\w+", OWN.pattern)
    names = sorted(
        {*KEYWORDS, *own, *(f"{name}{k}" for name in own for k in ("0", "_1")), "neuron", "f0", "x", "_"}
    )
    everything = tuple(Condition(k, ">=", 0.5) for k in range(len(names)))
    features = tuple(map(Feature, names))
    circuit = Circuit(features, np.array(["no", "yes"]), (everything,), np.array([[0, 1]]), [0, 0])
    frame = pd.DataFrame([np.ones(len(names)), np.arange(len(names)) != 9], columns=names, dtype=np.float64)
    assert RUNNERS[runner]([circuit], frame, tmp_path) == [["yes", "no"]]


def test_identifiers_are_different_and_plain() -> None:
    texts = [
        *HOSTILE,
        "a b",
        "a_b",
        "A B",
        "a-b",
        "a_b_2",
        "class",
        "Class",
        "",
        "x" * 99,
        "x" * 98,
        "d1",
        "score_2",
    ]
    names = identifiers(texts, taken=["feature"])
    assert len({name.lower() for name in names} | {"feature"}) == len(texts) + 1
    assert all(re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name) and name.lower() not in KEYWORDS for name in names)
    assert identifiers(["petal length (cm)", "größe"]) == ["petal_length_cm", "groe"]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_comment_stays_one_line(text: str) -> None:
    written = comment(text)
    assert written.isascii() and written.isprintable() and not re.search(r"[/*?<]|\\$", written)
