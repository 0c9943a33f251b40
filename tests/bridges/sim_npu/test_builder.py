"""The builder that converts a region to a graph of the SDK."""

from __future__ import annotations

import numpy as np
import pytest

from lite.bridges.sim_npu.builder import Builder
from lite.errors import CompileError
from lite.ir.types import DType
from lite.ops.view import Meta


def test_inputs_constants_and_outputs_are_in_the_graph() -> None:
    builder = Builder()
    x = builder.input("x", Meta(DType.INT32, (2, 3)))
    c = builder.constant("c", np.ones((2, 3), np.int32))
    builder.output("y", builder.add("ADD", x, c))

    assert (x.dtype, x.shape) == ("int32", (2, 3))
    assert list(builder.graph.inputs) == ["0:x"]
    assert list(builder.graph.outputs) == ["0:y"]


def test_inputs_of_one_name_get_different_names() -> None:
    builder = Builder()
    first, second = (builder.input("x", Meta(DType.FLOAT32, (2,))) for _ in range(2))
    builder.output("y", first)
    builder.output("y", second)

    assert list(builder.graph.inputs) == ["0:x", "1:x"]
    assert list(builder.graph.outputs.values()) == [first, second]


@pytest.mark.parametrize("shape", [(2, "n"), None])
def test_an_input_of_unknown_size_is_an_error(shape: tuple[int | str, ...] | None) -> None:
    with pytest.raises(CompileError, match=r"input 'x' is float32\[.*\]; the device's shapes are static"):
        Builder().input("x", Meta(DType.FLOAT32, shape))


def test_an_input_without_elements_is_an_error() -> None:
    with pytest.raises(CompileError, match=r"input 'x' is float32\[0,3\]; the device has no tensors without"):
        Builder().input("x", Meta(DType.FLOAT32, (0, 3)))


def test_a_constant_of_rank_0_gets_one_axis() -> None:
    assert Builder().constant("c", np.array(2.5, np.float32)).shape == (1,)


def test_reshape_adds_a_node_only_for_a_new_shape_of_a_computed_tensor() -> None:
    builder = Builder()
    x = builder.input("x", Meta(DType.FLOAT32, (2, 3)))
    c = builder.constant("c", np.arange(6, dtype=np.float32))

    assert builder.reshape(x, [2, 3]) is x
    reshaped = builder.reshape(c, [3, 2])
    assert builder.graph.nodes == []
    assert reshaped.data is not None
    np.testing.assert_array_equal(reshaped.data, [[0, 1], [2, 3], [4, 5]])
    assert builder.reshape(x, [6]).shape == (6,)
    assert [node.kind for node in builder.graph.nodes] == ["RESHAPE"]


def test_a_scalar_has_the_rank_and_type_of_the_other_tensor() -> None:
    builder = Builder()
    scalar = builder.scalar(3, builder.input("x", Meta(DType.INT32, (2, 3))))

    assert (scalar.dtype, scalar.shape) == ("int32", (1, 1))
