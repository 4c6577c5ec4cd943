"""A test bench for the Verilog module: samples and random words, compared with what the circuit decides.

It prints `PASS` and the number of samples, or one line for each difference and `FAIL`. Write the module with
the same options: samples X shape its ports.
"""

import numpy as np
from numpy.typing import ArrayLike

from modn.constraints import Integer
from modn.explain.circuit import Circuit
from modn.export.fixed_point import Port, ports_of, words_of
from modn.export.parts import parts_of
from modn.export.targets import verilog
from modn.export.targets.verilog import declaration

KINDS = (Circuit,)
ALLOWED = {**verilog.ALLOWED, "n_random": Integer(0), "seed": Integer(0)}


def write(
    circuit: Circuit,
    X: ArrayLike | None = None,
    fraction_bits: int | None = None,
    name: str = "neuron",
    n_random: int = 1000,
    seed: int = 0,
) -> str:
    """A module `<name>_testbench` that checks the samples X and `n_random` random words.

    Samples with missing values are left out: these have no wire.
    """
    parts = parts_of(circuit, "testbench", name)
    ports = ports_of(circuit, parts, X, fraction_bits)
    samples = [] if X is None else _given(circuit, ports, X)
    samples += _random(circuit, ports, n_random, np.random.default_rng(seed))
    bits = max(1, (len(parts.labels) - 1).bit_length())
    arguments = ", ".join(f"input [{port.width - 1}:0] word_{k}" for k, port in enumerate(ports))
    connections = [f".{port.name}({port.name})" for port in ports]
    return "\n".join(
        [
            "`timescale 1ns / 1ps",
            f"module {name}_testbench;",
            *(f"  {declaration(port, 'reg')};" for port in ports),
            f"  wire [{bits - 1}:0] decision;",
            "  integer differences = 0;",
            f"  {name} tested ({', '.join([*connections, '.decision(decision)'])});",
            f"  task check({arguments}{', ' if ports else ''}input [{bits - 1}:0] expected);",
            "    begin",
            *(f"      {port.name} = word_{k};" for k, port in enumerate(ports)),
            "      #1;",
            "      if (decision !== expected) begin",
            "        differences = differences + 1;",
            '        $display("decision %d, expected %d", decision, expected);',
            "      end",
            "    end",
            "  endtask",
            "  initial begin",
            *(
                f"    check({', '.join([*map(_word, ports, words), f'{bits}{chr(39)}d{c}'])});"
                for words, c in samples
            ),
            f'    if (differences == 0) $display("PASS: {len(samples)} samples");',
            f'    else $display("FAIL: %0d of {len(samples)} samples differ", differences);',
            "  end",
            "endmodule",
            "",
        ]
    )


def _word(port: Port, word: int) -> str:
    """The bits of a word: two's complement."""
    return f"{port.width}'h{word % 2**port.width:x}"


def _given(circuit: Circuit, ports: list[Port], X: ArrayLike) -> list[tuple[list[int], int]]:
    """The words of samples, and what the circuit decides."""
    decided = zip(words_of(circuit, ports, X), _decisions(circuit, X), strict=True)
    return [(words, c) for words, c in decided if words is not None]


def _decisions(circuit: Circuit, X: ArrayLike) -> list[int]:
    return circuit.scores(X).argmax(axis=1).tolist()


def _random(
    circuit: Circuit, ports: list[Port], n: int, rng: np.random.Generator
) -> list[tuple[list[int], int]]:
    """Random words, and what the circuit decides for what they stand for."""
    X = np.zeros((n, len(circuit.features)), dtype=object)
    words = [_random_words(circuit, port, n, rng) for port in ports]
    for port, drawn in zip(ports, words, strict=True):
        X[:, port.feature] = [_value(circuit, port, word) for word in drawn]
    return (
        list(zip(map(list, zip(*words, strict=True)), _decisions(circuit, X), strict=True)) if ports else []
    )


def _random_words(circuit: Circuit, port: Port, n: int, rng: np.random.Generator) -> list[int]:
    """Half of them anywhere in the range of the port; of a number, the others lie around its thresholds."""
    low, high = port.range
    anywhere = rng.integers(low, high, n, endpoint=True)
    conditions = [one for dendrite in circuit.dendrites for one in dendrite if one.feature == port.feature]
    if port.fraction is None:
        return anywhere.tolist()
    thresholds = np.array([port.word(float(one.value)) for one in conditions])
    near = (rng.choice(thresholds, n) + rng.integers(-1, 1, n, endpoint=True)).clip(low, high)
    return np.where(rng.random(n) < 0.5, anywhere, near).tolist()


def _value(circuit: Circuit, port: Port, word: int) -> float | str:
    """The number or the category that a word stands for."""
    categories = circuit.features[port.feature].categories
    if categories is None:
        return word / 2 ** (port.fraction or 0)
    unknown = "?" + "".join(categories)
    return categories[word] if word < len(categories) else unknown
