"""A graph of ONNX operators, built one operator at a time; and how samples enter it.

Numbers enter as one tensor of doubles, `numbers` (N, number of them), NaN where missing; categories as one
tensor of strings, `categories` (N, number of them), "" where missing. The model's metadata name the features
of both.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from modn.export.parts import Label
from modn.extras import needs

with needs("onnx"):
    import onnx
    from onnx import TensorProto, helper, numpy_helper

OPSET, IR = 19, 9  # the first that compares strings; onnxruntime reads them from 1.16 on

NUMBERS, CATEGORIES = "numbers", "categories"
TYPES = {bool: TensorProto.BOOL, int: TensorProto.INT64, float: TensorProto.DOUBLE, str: TensorProto.STRING}


class Result(NamedTuple):
    """An output of a model: its name, the tensor that it is, its type, and its shape without the samples."""

    name: str
    tensor: str
    kind: int
    shape: tuple[int, ...]


@dataclass
class Graph:
    """The operators and constants so far."""

    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add an operator; returns the name of its result."""
        result = f"{operator.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [result], **attributes))
        return result

    def constant(self, values: Any) -> str:
        """Add an array, or a sequence of strings; returns its name."""
        name = f"constant_{len(self.constants)}"
        array = np.asarray(values)
        if array.dtype.kind in "OU":
            texts = [text.encode() for text in values]
            self.constants.append(helper.make_tensor(name, TensorProto.STRING, [len(texts)], texts))
        else:
            self.constants.append(numpy_helper.from_array(array, name))
        return name

    def columns(self, tensor: str, places: Sequence[int]) -> str:
        """Columns of a tensor (N, n), also repeatedly."""
        return self.add("Gather", tensor, self.constant(np.array(places, dtype=np.int64)), axis=1)

    def times(self, tensor: str, matrix: NDArray[np.float64]) -> str:
        """A tensor (N, n) of doubles or Booleans, times a matrix (n, m)."""
        return self.add("MatMul", self.add("Cast", tensor, to=TensorProto.DOUBLE), self.constant(matrix))

    def total(self, terms: Sequence[str]) -> str:
        """The sum of one or more tensors."""
        return self.add("Sum", *terms)

    def label(self, highest_of: str, labels: Sequence[Label]) -> Result:
        """The label with the highest value; of several, the first."""
        place = self.add("ArgMax", highest_of, axis=1, keepdims=0)
        tensor = self.add("Gather", self.constant(list(labels)), place)
        return Result("label", tensor, TYPES[type(labels[0])], ())

    def model(self, features: Mapping[str, Sequence[str]], results: Sequence[Result]) -> bytes:
        """The finished model; `features` are the names of those in `numbers` and in `categories`."""
        kinds = {NUMBERS: TensorProto.DOUBLE, CATEGORIES: TensorProto.STRING}
        inputs = [
            helper.make_tensor_value_info(name, kinds[name], ["N", len(names)])
            for name, names in features.items()
            if names
        ]
        outputs = [helper.make_tensor_value_info(one.name, one.kind, ["N", *one.shape]) for one in results]
        last = [helper.make_node("Identity", [one.tensor], [one.name]) for one in results]
        graph = helper.make_graph([*self.nodes, *last], "modn", inputs, outputs, self.constants)
        opsets = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=IR, producer_name="modn")
        helper.set_model_props(model, {name: json.dumps(list(names)) for name, names in features.items()})
        onnx.checker.check_model(model, full_check=True)
        return model.SerializeToString()


def check_categories(texts: Sequence[str]) -> None:
    """Refuse the empty text as a category: it stands for a missing value."""
    if "" in texts:
        raise ValueError(
            'onnx cannot express the category ""; allowed: other texts, as "" is a missing value'
        )
