"""The registry of targets, the circuit's methods, and what is refused."""

import copy
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from circuits import datasets, random_circuit
from tools import need

import modn
from modn import export
from modn.explain.circuit import Circuit, Condition, Feature
from modn.export.synthesis import cells
from modn.export.targets.sql import number

NUMBER, COLOUR = Feature("size"), Feature("colour", ("red", "blue"))


def circuit(*conditions: Condition, **changes: Any) -> Circuit:
    """One dendrite, two classes."""
    weights = np.array([[2, 0]])
    held = Circuit((NUMBER, COLOUR), np.array(["a", "b"]), (conditions,), weights, np.array([1, 0]))
    return replace(held, **changes)


SMALL = circuit(Condition(0, ">=", 2.5), Condition(1, "is not", "red"))


@pytest.mark.parametrize("name", export.names())
def test_a_target_says_what_it_is(name: str) -> None:
    target = export.target(name)
    assert target.__doc__ and target.write.__doc__ and Circuit in target.KINDS


@pytest.mark.parametrize("name", export.names())
def test_a_circuit_has_a_method_for_each_target(name: str) -> None:
    assert getattr(SMALL, f"to_{name}")() == getattr(modn.export, name)(SMALL) == export.export(SMALL, name)
    assert f"to_{name}" in dir(SMALL)


def test_other_names_are_not_there() -> None:
    for thing in (SMALL, export):
        with pytest.raises(AttributeError, match="no attribute 'to_fortran'"):
            thing.to_fortran  # noqa: B018
    assert copy.deepcopy(SMALL).features == SMALL.features


@pytest.mark.parametrize("name", export.names())
def test_the_same_circuit_gives_the_same_program(name: str) -> None:
    frame = datasets()["mixed"]
    first, second = (export.export(random_circuit(frame, np.random.default_rng(2)), name) for _ in range(2))
    assert first == second


def test_arguments_are_checked() -> None:
    for name, options, message in (
        ("fortran", {}, f"target is 'fortran'; allowed: {', '.join(export.names())}"),
        ("c", {"names": "f"}, "c has no parameter 'names'; allowed: name"),
        (
            "c",
            {"name": "int"},
            "c: name is 'int'; allowed: letters, digits and _, a letter first, and no keyword",
        ),
        ("python", {"name": "f(); import os"}, "python: name is 'f.*'; allowed: letters"),
        ("python", {"numpy": 1}, "python: numpy is 1; allowed: True or False"),
        ("javascript", {"module": "amd"}, "javascript: module is 'amd'; allowed: commonjs, es, none"),
        (
            "sql",
            {"table": "a\\b"},
            "sql: table is .*; allowed: a text without NUL characters and backslashes",
        ),
        ("sql", {"keep": []}, "sql: keep is .*; allowed: a list of one or more items"),
        (
            "verilog",
            {"fraction_bits": -1},
            "verilog: fraction_bits is -1; allowed: an integer from 0 to 53, or None",
        ),
        ("verilog", {"X": [1.0]}, "verilog: X is .*; allowed: an array or a data frame"),
        ("testbench", {"n_random": -1}, "testbench: n_random is -1; allowed: an integer >= 0"),
    ):
        with pytest.raises(ValueError, match=message):
            export.export(SMALL, name, **options)


@pytest.mark.parametrize("name", export.names())
def test_circuits_that_no_target_can_express(name: str) -> None:
    for wrong, message in (
        (
            circuit(Condition(1, "is", "green")),
            "the condition 'colour' is 'green'; allowed: one of its categories red",
        ),
        (circuit(classes=np.array([0.0, np.nan])), "the class nan; allowed: texts, True, False"),
        (circuit(classes=np.array(["1999", "2000"], "datetime64[Y]")), "the class .*; allowed: texts"),
        (circuit(theta_t=[2**53, 0]), "its scores reach 9007199254740994; allowed: less than"),
    ):
        with pytest.raises(ValueError, match=f"^{name} cannot express .*{message}"):
            export.export(wrong, name)


def test_only_onnx_takes_a_classifier() -> None:
    model = modn.MODNClassifier(solver="bbo", max_iter=2).fit([[0.0], [1.0]], [0, 1])
    for name in set(export.names()) - {"onnx"}:
        with pytest.raises(TypeError, match=f"^{name} cannot express a MODNClassifier; allowed: Circuit"):
            export.export(model, name)
    with pytest.raises(TypeError, match="onnx cannot express a str; allowed: Circuit, MODNClassifier"):
        export.onnx("model")


def test_sql_does_not_tell_cases_apart() -> None:
    twins = circuit(features=(Feature("Size"), Feature("size", ("red",))))
    with pytest.raises(
        ValueError, match="sql cannot express the feature 'size'; allowed: names of columns that differ"
    ):
        export.sql(twins)


def test_sql_numbers_are_exact() -> None:
    """Read by SQLite, a decimal such as 0.0013214803 is not."""
    rng = np.random.default_rng(0)
    numbers = [float(f"{x:.{k % 17 + 1}g}") for k, x in enumerate(rng.lognormal(0, 4, 20_000).tolist())]
    base = sqlite3.connect(":memory:")
    wrong = [x for x in numbers if base.execute(f"SELECT {number(x)} = ?", [x]).fetchone() != (1,)]
    base.close()
    assert wrong == []
    assert (number(2.45), number(-7.0)) == ("2.45", "-7.0")


def test_onnx_has_no_empty_category() -> None:
    with pytest.raises(ValueError, match='onnx cannot express the category ""'):
        export.onnx(circuit(features=(NUMBER, Feature("colour", ("", "red")))))


def test_a_small_circuit_reads_well() -> None:
    assert export.python(SMALL).splitlines()[6:] == [
        "    d0 = bool((missing(size) or size >= 2.5) and (missing(colour) or str(colour) != 'red'))",
        "    scores = [2 * d0 - 1, 0]",
        "    labels = ['a', 'b']",
        "    return labels[scores.index(max(scores))]",
    ]


def test_numpy_numbers_are_counted_as_others() -> None:
    """The sum of two of NumPy's truth values is a truth value."""
    both = circuit(
        dendrites=((Condition(0, ">=", 1.0),), (Condition(0, ">=", 2.0),)),
        weights=np.array([[1, 0], [1, 0]]),
        theta_t=[0, -1],
    )
    space: dict[str, Any] = {}
    exec(export.python(both), space)
    assert [space["neuron"](x) for x in np.array([0.0, 1.0, 2.0])] == ["b", "a", "a"]
    assert space["neuron"](size=np.float64(0.5), colour="red") == "b"
    assert [space["neuron"](x) for x in (1, np.nan, None)] == ["a", "a", "a"]


@pytest.mark.parametrize(
    ("module", "main"),
    [("commonjs", 'const { neuron } = require("./neuron.cjs");'), ("none", "{source}")],
)
def test_modules_of_javascript(module: str, main: str, tmp_path: Path) -> None:
    need("node")
    source = export.javascript(SMALL, module=module)
    (tmp_path / "neuron.cjs").write_text(source)
    script = main.replace("{source}", source) + '\nconsole.log(neuron([3, "blue"]).label, neuron.features);'
    (tmp_path / "main.cjs").write_text(script)
    done = subprocess.run(["node", "main.cjs"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "a [ 'size', 'colour' ]\n"


def test_gates_are_counted() -> None:
    need("yosys")
    counted = cells(export.verilog(SMALL, fraction_bits=1, name="tiny"), name="tiny")
    assert 2 <= sum(counted.values()) <= 12 and all(kind.isupper() for kind in counted)
    with pytest.raises(ValueError, match=r"yosys refuses the module: .*syntax error"):
        cells("module neuron(; endmodule")
    with pytest.raises(ValueError, match="name is 'a;b'; allowed: letters"):
        cells("", "a;b")


@pytest.mark.parametrize(
    ("setting", "outcome"), [("required", pytest.fail.Exception), ("", pytest.skip.Exception)]
)
def test_a_missing_program_is_never_silent(
    setting: str, outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI_TOOLS", setting)
    with pytest.raises(outcome, match="not installed: no-such-program"):
        need("no-such-program")


def test_onnx_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    for name in ("graph", "circuit"):
        monkeypatch.delitem(sys.modules, f"modn.export.onnx_{name}", raising=False)
    with pytest.raises(ModuleNotFoundError, match=r"^onnx is not installed; .*pip install 'modn\[onnx\]'"):
        export.onnx(SMALL)
