"""JavaScript: one function, for browsers and Node.

    import { neuron } from "./neuron.mjs";
    neuron([5.1, 3.5, 1.4, 0.2]).label;
    neuron(neuron.features.map((name) => row[name])).label;

It takes the features in order; null, undefined and NaN are missing values. It returns the label, the scores
of all classes, and which dendrites hold.
"""

import json
from collections.abc import Sequence

from modn.constraints import OneOf
from modn.explain.circuit import AT_LEAST, BELOW, IS, Circuit, Condition
from modn.export.identifiers import Identifier
from modn.export.parts import Parts, conjunction, parts_of

KINDS = (Circuit,)

# How others get the function: from an ES module, from a CommonJS module, or in the same script only.
MODULES = {"es": "export {{ {name} }};", "commonjs": "module.exports = {{ {name} }};", "none": ""}
TEXT = '  const text = (x) => (x === true ? "True" : x === false ? "False" : String(x));'  # as in Python
ALLOWED = {"name": Identifier(), "module": OneOf(MODULES)}


def write(circuit: Circuit, name: str = "neuron", module: str = "es") -> str:
    """A script with one function."""
    parts = parts_of(circuit, "javascript", name)
    held = ", ".join(f"d{j}" if j in parts.dendrites else "null" for j in range(len(circuit.dendrites)))
    lines = [
        f"function {name}([{', '.join(parts.names)}]) {{",
        "  const missing = (x) => x === null || x === undefined || x !== x;",
        *([TEXT] if parts.tests_categories else []),
        *(f"  const d{j} = {_dendrite(parts, conditions)};" for j, conditions in parts.dendrites.items()),
        f"  const scores = [{', '.join(score.source() for score in parts.scores)}];",
        "  const best = scores.indexOf(Math.max(...scores));",
        f"  const dendrites = [{held}]; // null: no class counts it",
        f"  return {{ label: {name}.labels[best], scores, dendrites }};",
        "}",
        f"{name}.features = {literal([feature.name for feature in parts.features])};",
        f"{name}.labels = {literal(parts.labels)};",
        MODULES[module].format(name=name),
    ]
    return "\n".join(lines).rstrip() + "\n"


def literal(value: object) -> str:
    """Strings, numbers, lists as source code that is also safe inside an HTML script element."""
    return json.dumps(value).replace("<", "\\u003c")


def _dendrite(parts: Parts, conditions: Sequence[Condition]) -> str:
    return conjunction([_condition(parts, one) for one in conditions], "&&", "true")


def _condition(parts: Parts, condition: Condition) -> str:
    x = parts.names[condition.feature]
    if condition.test in (AT_LEAST, BELOW):
        return f"missing({x}) || {x} {condition.test} {condition.value!r}"
    return f"missing({x}) || text({x}) {'===' if condition.test == IS else '!=='} {literal(condition.value)}"
