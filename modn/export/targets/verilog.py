"""Verilog (2001): a combinational module of comparators, ANDs, sums of weights and an argmax.

Its inputs are the features that the circuit uses, numbers in fixed point (see `modn.export.fixed_point`); the
output `decision` is the place of the class in the circuit's list. `modn.export.testbench` writes its test
bench.
"""

from numpy.typing import ArrayLike

from modn.constraints import Integer, OrNone
from modn.explain.circuit import AT_LEAST, BELOW, IS, Circuit, Condition
from modn.export.fixed_point import MOST_BITS, Port, ports_of, scaled
from modn.export.identifiers import Identifier, comment
from modn.export.parts import Parts, Samples, Score, parts_of

KINDS = (Circuit,)
ALLOWED = {"X": Samples(), "fraction_bits": OrNone(Integer(0, MOST_BITS)), "name": Identifier()}


def write(
    circuit: Circuit, X: ArrayLike | None = None, fraction_bits: int | None = None, name: str = "neuron"
) -> str:
    """A module whose inputs are wide enough for the samples X, by default for the thresholds.

    `fraction_bits`: of all numbers; by default each feature has as few as it needs.
    """
    parts = parts_of(circuit, "verilog", name)
    ports = ports_of(circuit, parts, X, fraction_bits)
    labels = ", ".join(f"{c} {comment(str(label))}" for c, label in enumerate(parts.labels))
    bits = parts.largest.bit_length() + 1
    top = len(parts.labels) - 1
    out = f"output wire [{max(0, top.bit_length() - 1)}:0] decision"
    return "\n".join(
        [
            f"// A circuit of dendrites. decision: {labels}",
            f"module {name} (",
            *(f"  {declaration(port)}, // {_meaning(parts, port)}" for port in ports),
            f"  {out}",
            ");",
            *(
                f"  wire d{j} = {' && '.join(_condition(parts, ports, one) for one in conditions) or '1'};"
                for j, conditions in parts.dendrites.items()
            ),
            *(_score(c, score, bits) for c, score in enumerate(parts.scores)),
            *_argmax(top, bits, max(1, top.bit_length())),
            "endmodule",
            "",
        ]
    )


def declaration(port: Port, kind: str = "input wire") -> str:
    """The port as its module declares it, or as a variable that is connected to it."""
    return f"{kind} {'' if port.fraction is None else 'signed '}[{port.width - 1}:0] {port.name}"


def constant(value: int, bits: int) -> str:
    """A signed literal."""
    return f"{'-' if value < 0 else ''}{bits}'sd{abs(value)}"


def _meaning(parts: Parts, port: Port) -> str:
    feature = parts.features[port.feature]
    if feature.categories is None:
        factor = f", times {2**port.fraction}" if port.fraction else ""
        return f"{comment(feature.name)}{factor}, rounded up"
    codes = ", ".join(f"{k} {comment(text)}" for k, text in enumerate(feature.categories))
    return f"{comment(feature.name)}: {codes}, {len(feature.categories)} any other"


def _condition(parts: Parts, ports: list[Port], condition: Condition) -> str:
    port = next(port for port in ports if port.feature == condition.feature)
    if condition.test in (AT_LEAST, BELOW):
        threshold = scaled(float(condition.value), port.fraction or 0)
        return f"({port.name} {condition.test} {constant(threshold, port.width)})"
    sign = "==" if condition.test == IS else "!="
    return f"({port.name} {sign} {port.width}'d{parts.code(condition)})"


def _score(c: int, score: Score, bits: int) -> str:
    """The score of a class; every operand is signed, so that the signs are kept."""
    nothing = constant(0, bits)
    terms = [f"(d{j} ? {constant(weight, bits)} : {nothing})" for j, weight in score.weights.items()]
    return f"  wire signed [{bits - 1}:0] score_{c} = {' + '.join([*terms, constant(-score.offset, bits)])};"


def _argmax(top: int, bits: int, width: int) -> list[str]:
    """The first of the highest scores: a later one must be higher."""
    lines = [
        f"  wire signed [{bits - 1}:0] best_0 = score_0;",
        f"  wire [{width - 1}:0] class_0 = {width}'d0;",
    ]
    for c in range(1, top + 1):
        lines += [
            f"  wire signed [{bits - 1}:0] best_{c} = score_{c} > best_{c - 1} ? score_{c} : best_{c - 1};",
            f"  wire [{width - 1}:0] class_{c} = score_{c} > best_{c - 1} ? {width}'d{c} : class_{c - 1};",
        ]
    return [*lines, f"  assign decision = class_{top};"]
