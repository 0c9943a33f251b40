"""From a graph to a ModelProto."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from lite.emission.onnx.builder import Builder
from lite.emission.onnx.model import constants_of, make_model
from lite.errors import CompileError
from lite.ir.types import DType
from lite.ops.view import Meta

FLOATS = Meta(DType.FLOAT32, ("n", 3, "?"))


def test_a_model_has_names_types_and_dimensions() -> None:
    b = Builder(21)
    x = b.input("x", FLOATS)
    b.output("y", b.add("Relu", x))
    b.describe_outputs([FLOATS])

    model = make_model(b, "g")

    onnx.checker.check_model(model, full_check=True)
    text = onnx.printer.to_text(model.graph)
    assert text == "g (float[n,3,?] x) => (float[n,3,?] y) {\n   [y] y = Relu (x)\n}"
    assert (model.ir_version, model.opset_import[0].version) == (10, 21)


def test_an_output_with_the_name_of_an_input_gets_a_number() -> None:
    b = Builder(21)
    b.output("x", b.add("Relu", b.input("x", FLOATS)))

    assert [value.name for value in make_model(b).graph.output] == ["x_1"]


def test_the_name_of_a_later_output_stays_free() -> None:
    b = Builder(21, results=["Relu"])
    x = b.input("x", FLOATS)
    first = b.add("Relu", x)
    b.output("Relu", b.add("Neg", first))

    nodes = make_model(b).graph.node
    assert [list(node.output) for node in nodes] == [["Relu_1"], ["Relu"]]


def test_constants_that_are_read_are_stored_once() -> None:
    b = Builder(21)
    x = b.input("x", Meta(DType.INT64, (2,)))
    b.constant("unread", np.zeros(100))
    first = b.add("Add", x, b.ints(1, 2))
    b.output("y", b.add("Add", first, b.ints(1, 2)))

    (tensor,) = make_model(b).graph.initializer
    assert onnx.numpy_helper.to_array(tensor).tolist() == [1, 2]


def test_a_large_constant_is_not_copied() -> None:
    b = Builder(21)
    weight = np.arange(1000, dtype=np.float32)
    x = b.input("x", Meta(DType.FLOAT32, (1000,)))
    b.output("y", b.add("Add", x, b.constant("w", weight)))

    assert constants_of(b)["w"] is weight


def test_too_many_bytes_for_one_file_are_an_error() -> None:
    b = Builder(21)
    large = np.broadcast_to(np.float32(0), (2**29,))
    x = b.input("x", Meta(DType.FLOAT32, (2**29,)))
    b.output("y", b.add("Add", x, b.constant("w", large)))

    with pytest.raises(CompileError, match="the constants have 2147483648 bytes; one ONNX file holds less"):
        make_model(b)


def test_nested_graphs_read_outer_tensors() -> None:
    b = Builder(21)
    x = b.input("x", Meta(DType.FLOAT32, (2,)))
    flag = b.input("flag", Meta(DType.BOOL, ()))
    branches = []
    for op_type in ("Relu", "Neg"):
        branch = Builder(21, b)
        branch.output("branch", branch.add(op_type, x))
        branches.append(branch)
    b.output("y", b.add("If", flag, dtype=DType.FLOAT32, then_branch=branches[0], else_branch=branches[1]))
    b.describe_outputs([Meta(DType.FLOAT32, (2,))])

    onnx.checker.check_model(make_model(b), full_check=True)


@pytest.mark.parametrize(
    "dtype", [DType.BFLOAT16, DType.FLOAT8_E5M2, DType.BOOL, DType.UINT16, DType.FLOAT16]
)
def test_constants_of_every_element_type_are_stored(dtype: DType) -> None:
    array = np.array([0, 1], dtype.numpy)
    b = Builder(21)
    b.output("y", b.add("Identity", b.constant("c", array)))

    (tensor,) = make_model(b).graph.initializer
    np.testing.assert_array_equal(onnx.numpy_helper.to_array(tensor), array)
