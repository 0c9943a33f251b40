"""The order of axes in which tensors are stored, and which operators that takes."""

from __future__ import annotations

import numpy as np
import pytest

from lite.emission.tflite.builder import Builder, Tensor, channels_last
from lite.errors import CompileError
from lite.ir.types import DType
from lite.ops.view import Meta

LAST = channels_last(4)


def image(b: Builder, *shape: int) -> Tensor:
    """An image whose channels are stored last."""
    return b.wrap(b.stored("image", DType.FLOAT32, [shape[axis] for axis in LAST]), LAST)


def codes(b: Builder) -> list[str]:
    return [operator.code for operator in b.graph.operators]


def test_elementwise_operators_keep_channels_last() -> None:
    b = Builder()
    x = image(b, 1, 3, 4, 5)

    y = b.binary("ADD", b.unary("RELU", x), b.array(np.zeros((3, 1, 1), np.float32)))

    assert codes(b) == ["RELU", "ADD"]
    assert (y.shape, y.home) == ((1, 3, 4, 5), LAST)
    assert [each.shape for each in b.graph.operators[1].inputs if each] == [(1, 4, 5, 3), (1, 1, 1, 3)]


def test_an_output_is_transposed_once() -> None:
    b = Builder()
    x = image(b, 1, 3, 4, 5)

    b.form(x)
    b.form(x)

    assert codes(b) == ["TRANSPOSE"]
    assert b.form(x).shape == (1, 3, 4, 5)


def test_axes_of_size_1_are_moved_by_a_reshape() -> None:
    b = Builder()

    assert b.form(image(b, 1, 3, 1, 1)).shape == (1, 3, 1, 1)
    assert codes(b) == ["RESHAPE"]


def test_a_transpose_only_renames_axes() -> None:
    b = Builder()

    y = b.transpose(image(b, 1, 3, 4, 5), (0, 2, 3, 1))

    assert (y.shape, y.home) == ((1, 4, 5, 3), (0, 1, 2, 3))
    assert b.form(y).shape == (1, 4, 5, 3)
    assert codes(b) == []


def test_axes_are_counted_in_the_stored_order() -> None:
    b = Builder()
    x = image(b, 1, 3, 4, 5)

    b.concat([x, x], 1)
    b.reduce("MEAN", x, (2, 3), keep=True)
    b.slice(x, {1: 1}, {1: 2})

    concat, mean, part = b.graph.operators
    assert concat.options == {"axis": 3}
    assert concat.outputs[0].shape == (1, 4, 5, 6)
    np.testing.assert_array_equal(mean.inputs[1].array if mean.inputs[1] else None, [1, 2])
    assert mean.outputs[0].shape == (1, 1, 1, 3)
    assert part.outputs[0].shape == (1, 4, 5, 2)


def test_what_changes_nothing_adds_no_operator() -> None:
    b = Builder()
    x = image(b, 1, 3, 4, 5)

    assert b.reshape(x, x.shape) is x
    assert b.cast(x, DType.FLOAT32) is x
    assert b.pad(x, {2: (0, 0)}) is x
    assert b.slice(x, {1: 0}, {1: 3}) is x
    assert b.concat([x], 1) is x
    assert codes(b) == []


def test_a_constant_is_permuted_without_an_operator() -> None:
    b, array = Builder(), np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    x = b.constant("w", array)

    np.testing.assert_array_equal(b.form(x, (2, 0, 1)).array, array.transpose(2, 0, 1))
    np.testing.assert_array_equal(
        b.reshape(b.transpose(x, (1, 0, 2)), (6, 4)).array, array.transpose(1, 0, 2).reshape(6, 4)
    )
    assert codes(b) == []


def test_an_input_of_unknown_size_is_an_error() -> None:
    with pytest.raises(CompileError, match=r"input x is float32\[\?,3\]: a TFLite model has fixed sizes"):
        Builder().input("x", Meta(DType.FLOAT32, ("?", 3)))
