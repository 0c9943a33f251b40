"""Optional values."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import parser

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import run, same

X = np.array([1.0, -2.0], np.float32)


def found(nodes: str, kind: str) -> Array:
    model: onnx.ModelProto = parser.parse_model(
        f'<ir_version: 8, opset_import: ["" : 18]> g (float[2] x) => ({kind} y) {{ {nodes} }}'
    )
    return run(model, {"x": X})["y"]


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ("o = Optional(x) y = OptionalHasElement(o)", True),
        ("y = OptionalHasElement(x)", True),
        ("y = OptionalHasElement()", False),
        ("y = OptionalHasElement(,)", False),
        ("o = Optional() y = OptionalHasElement(o)", False),
        ("o = Optional() p = Optional(o) y = OptionalHasElement(p)", False),
    ],
)
def test_has_element(nodes: str, expected: bool) -> None:
    result = found(nodes, "bool")

    same([result], [np.array(expected)])


@pytest.mark.parametrize("nodes", ["o = Optional(x) y = OptionalGetElement(o)", "y = OptionalGetElement(x)"])
def test_get_element(nodes: str) -> None:
    np.testing.assert_array_equal(found(nodes, "float[2]"), X)


def test_no_element_to_get() -> None:
    with pytest.raises(ModelParseError, match=r"\(OptionalGetElement\): input 'o' has no element"):
        found("o = Optional() y = OptionalGetElement(o)", "float[2]")
