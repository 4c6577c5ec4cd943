"""Python: one function that needs no package, or NumPy alone with `numpy=True`.

The function takes the features as arguments, in order or by name. Without NumPy it takes one sample, None or
NaN being missing, and returns its class. With NumPy it takes columns (N,) and returns the classes (N,):
`neuron(*X.T)`, or `neuron(*(frame[name] for name in frame))`.
"""

from modn.constraints import Flag
from modn.explain.circuit import AT_LEAST, BELOW, IS, Circuit, Condition
from modn.export.identifiers import Identifier
from modn.export.parts import Parts, conjunction, parts_of

KINDS = (Circuit,)
ALLOWED = {"name": Identifier(), "numpy": Flag()}

CATEGORY = [
    "    def category(column, test):",
    "        return np.array([x is None or x != x or test(str(x)) for x in column], dtype=bool)",
    "",
]
EVERYWHERE = "np.ones(rows, dtype=bool)"  # where a dendrite without conditions holds


def write(circuit: Circuit, name: str = "neuron", numpy: bool = False) -> str:
    """A module with one function."""
    parts = parts_of(circuit, "python", name)
    return "\n".join([*(_for_columns(parts, name) if numpy else _for_one_sample(parts, name)), ""])


def _for_one_sample(parts: Parts, name: str) -> list[str]:
    return [
        f"def {name}({', '.join(f'{feature}=None' for feature in parts.names)}):",
        '    """Return the class of one sample; None and NaN are missing values."""',
        "",
        "    def missing(x):",
        "        return x is None or x != x",
        "",
        *(
            f"    d{j} = bool({conjunction([_condition(parts, one) for one in conditions], 'and', 'True')})"
            for j, conditions in parts.dendrites.items()
        ),
        f"    scores = [{', '.join(score.source() for score in parts.scores)}]",
        f"    labels = [{', '.join(map(ascii, parts.labels))}]",
        "    return labels[scores.index(max(scores))]",
    ]


def _for_columns(parts: Parts, name: str) -> list[str]:
    used = sorted({one.feature for conditions in parts.dendrites.values() for one in conditions})
    numbers = [parts.names[i] for i in used if parts.features[i].categories is None]
    return [
        "import numpy as np",
        "",
        "",
        f"def {name}({', '.join(parts.names)}):",
        '    """Return the classes (N,) for columns (N,); None and NaN are missing values."""',
        "",
        *(CATEGORY if parts.tests_categories else []),
        f"    rows = len({parts.names[0]})",
        *(f"    {feature} = np.asarray({feature}, dtype=np.float64)" for feature in numbers),
        *(
            f"    d{j} = {' & '.join(_column_condition(parts, one) for one in conditions) or EVERYWHERE}"
            for j, conditions in parts.dendrites.items()
        ),
        f"    scores = np.tile(np.array({[-score.offset for score in parts.scores]}), (rows, 1))",
        *(
            f"    scores[:, {c}] += {weight} * d{j}"
            for c, score in enumerate(parts.scores)
            for j, weight in score.weights.items()
        ),
        f"    labels = np.array([{', '.join(map(ascii, parts.labels))}])",
        "    return labels[scores.argmax(axis=1)]",
    ]


def _condition(parts: Parts, condition: Condition) -> str:
    x = parts.names[condition.feature]
    if condition.test in (AT_LEAST, BELOW):
        return f"missing({x}) or {x} {condition.test} {condition.value!r}"
    return f"missing({x}) or str({x}) {'==' if condition.test == IS else '!='} {condition.value!a}"


def _column_condition(parts: Parts, condition: Condition) -> str:
    """Negated comparisons hold for NaN."""
    x = parts.names[condition.feature]
    if condition.test in (AT_LEAST, BELOW):
        return f"~({x} {'<' if condition.test == AT_LEAST else '>='} {condition.value!r})"
    return f"category({x}, lambda text: text {'==' if condition.test == IS else '!='} {condition.value!a})"
