"""The writer of ops: names, types, sizes and constants."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import DType
from lite.model_parser.pnnx.value import Var
from lite.model_parser.pnnx.writer import Writer


@pytest.fixture
def writer() -> Writer:
    return Writer("m")


def test_new_names_differ_from_operands(writer: Writer) -> None:
    writer.reserve(["value", "x"])
    x = writer.feed("x", DType.FLOAT32, (2,), 0)
    y = writer.unary("relu", x)
    assert y == Var("value.1")
    assert writer.rename(y, "value", 1) == Var("value")
    assert [list(op.outputs.values()) for op in writer.block.ops] == [[["x"]], [["value"]]]
    assert sorted(writer.block.vars) == ["feed", "value", "x"]
    assert writer.block.vars["value"].name == "value"


def test_a_cast_to_the_same_type_writes_no_op(writer: Writer) -> None:
    x = writer.feed("x", DType.FLOAT32, (2,), 0)
    assert writer.cast(x, DType.FLOAT32) is x
    assert writer.dtype(writer.cast(x, DType.INT64)) is DType.INT64


def test_equal_constants_share_a_parameter(writer: Writer) -> None:
    one = writer.constant(np.array([1, 2], np.int32))
    assert writer.constant(np.array([1, 2], np.int32)) == one
    assert writer.constant(np.array([1, 2], np.int64)) != one
    assert writer.constant(np.array([[1, 2]], np.int32)) != one
    assert len(writer.program.weights) == 3


def test_fixed_sizes_are_numbers_and_unknown_ones_tensors(writer: Writer) -> None:
    x = writer.feed("x", DType.FLOAT32, (2, "?"), 0)
    assert writer.size(x, 0) == 2
    assert writer.size(x, -2) == 2
    size = writer.size(x, -1)
    assert isinstance(size, Var)
    assert size.is_number
    assert writer.meta(size).shape == ()
    with pytest.raises(ModelParseError, match=r"^size 2 of 'x': expected an axis of 2 dimensions$"):
        writer.size(x, 2)


def test_constant_integers_are_attributes_and_computed_ones_inputs(writer: Writer) -> None:
    x = writer.feed("x", DType.INT64, (), 0)
    assert writer.integers("a", "S", [1, 2]) == ({"a": [1, 2]}, {})
    attrs, inputs = writer.integers("a", "S", [1, x])
    assert attrs == {}
    (names,) = inputs.values()
    assert isinstance(names, list)
    assert [writer.dtype(name) for name in names] == [DType.INT32, DType.INT32]
    with pytest.raises(ModelParseError, match=r"expected an integer of 32 bits, got 4294967296"):
        writer.index(2**32)
    with pytest.raises(ModelParseError, match=r"expected an integer of 32 bits, got 'x'"):
        writer.index("x")


def test_declared_sizes_refine_shapes(writer: Writer) -> None:
    x = writer.feed("x", DType.FLOAT32, (2, "?"), 0)
    writer.refine_shape(x, (5, 3))
    assert writer.shape(x) == (2, 3)
    writer.refine_shape(x, (1, 2, 3))
    assert writer.shape(x) == (2, 3)
