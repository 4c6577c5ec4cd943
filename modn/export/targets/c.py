"""C99: one function without libraries, allocation or state, for microcontrollers.

    #include "neuron.c"
    double x[NEURON_FEATURES] = {5.1, 3.5, 1.4, 0.2};
    puts(neuron_classes[neuron(x)]);

A missing value is NAN. A category is its number in the comment beside its feature; any other number is a
category that the circuit does not know.
"""

from modn.explain.circuit import AT_LEAST, BELOW, IS, Circuit, Condition
from modn.export.identifiers import Identifier, comment
from modn.export.parts import Parts, check_texts, parts_of

KINDS = (Circuit,)
ALLOWED = {"name": Identifier()}

TYPES = {"int": (2**15, ""), "long": (2**31, "L"), "long long": (2**63, "LL")}  # what the standard promises


def write(circuit: Circuit, name: str = "neuron") -> str:
    """A C99 function `int name(const double x[])` that returns the number of the class."""
    parts = parts_of(circuit, "c", name)
    check_texts(parts, "c", r"\0", "NUL characters, which end a string")
    kind, (_, suffix) = next(item for item in TYPES.items() if parts.largest < item[1][0])
    NAME = name.upper()
    labels = ", ".join(string(str(label)) for label in parts.labels)
    return "\n".join(
        [
            "// A circuit of dendrites; see the comments for the order of the features.",
            f"enum {{ {NAME}_FEATURES = {len(parts.features)}, {NAME}_CLASSES = {len(parts.labels)} }};",
            "",
            f"const char *const {name}_classes[{len(parts.labels)}] = {{{labels}}};",
            "",
            *(f"// x[{i}]: {_described(parts, i)}" for i in range(len(parts.features))),
            "// A missing value is NAN. Returns the place of the class in the list above.",
            f"int {name}(const double x[{len(parts.features)}]) {{",
            *([] if any(parts.dendrites.values()) else ["  (void)x;"]),
            *(
                f"  const int d{j} = {' && '.join(_condition(parts, one) for one in conditions) or '1'};"
                for j, conditions in parts.dendrites.items()
            ),
            f"  const {kind} scores[{len(parts.scores)}] = {{",
            *(f"    {score.source(suffix)}," for score in parts.scores),
            "  };",
            "  int best = 0;",
            f"  for (int c = 1; c < {len(parts.scores)}; c++) {{",
            "    if (scores[c] > scores[best]) best = c;",
            "  }",
            "  return best;",
            "}",
            "",
        ]
    )


def string(text: str) -> str:
    """A string literal; bytes beyond printable ASCII, quotes, backslashes and question marks are octal."""
    return '"' + "".join(_character(byte) for byte in text.encode()) + '"'


def _character(byte: int) -> str:
    return chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}"


def _described(parts: Parts, i: int) -> str:
    feature = parts.features[i]
    codes = [f"{k} {comment(text)}" for k, text in enumerate(feature.categories or ())]
    return comment(feature.name) + (f": {', '.join(codes)}" if codes else "")


def _condition(parts: Parts, condition: Condition) -> str:
    """Negated comparisons hold for NAN."""
    x = f"x[{condition.feature}]"
    if condition.test == AT_LEAST:
        return f"!({x} < {condition.value!r})"
    if condition.test == BELOW:
        return f"!({x} >= {condition.value!r})"
    code = parts.code(condition)
    return f"!({x} < {code} || {x} > {code})" if condition.test == IS else f"{x} != {code}"
