"""Expressions whose value is a size or a list."""

from __future__ import annotations

import pytest

from lite.errors import ModelParseError
from lite.ir.types import DType
from lite.model_parser.pnnx.expression import parse
from lite.model_parser.pnnx.lower_expression import lower
from lite.model_parser.pnnx.value import Value, Var
from lite.model_parser.pnnx.writer import Writer


def lowered(text: str, *shape: int | str) -> tuple[Value, list[str]]:
    """The value of an expression over one tensor, and the ops that it takes."""
    writer = Writer("m")
    x = writer.feed("x", DType.FLOAT32, shape, 0)
    value = lower(parse(text), [x], writer)
    return value, [op.type for op in writer.block.ops[1:]]


def test_fixed_sizes_are_numbers() -> None:
    assert lowered("size(@0,1)", 2, 3) == (3, [])
    assert lowered("size(@0)", 2, 3) == ([2, 3], [])
    assert lowered("[size(@0,0),mul(size(@0,1),4),-1]", 2, 3) == ([2, 12, -1], [])
    assert lowered("[]", 2) == ([], [])
    assert lowered("None", 2) == (None, [])


def test_other_sizes_are_computed() -> None:
    value, ops = lowered("add(size(@0,1),1)", 2, "?")
    assert isinstance(value, Var)
    assert value.is_number
    assert ops == ["shape", "slice", "cast", "elementwise_add"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("@1", "expression: @1, but there are 1 inputs"),
        ("size(3,1)", "expression: size takes a tensor, got 3"),
        ("size(@0,1.5)", "expression: size takes a dimension that is a whole number, got 1.5"),
        ("size(@0,2)", "size 2 of 'x', which has 1 dimensions"),
        ("neg([@0])", "expected a tensor or a number, got [Var(name='x', is_number=False)]"),
        ("neg(None)", "expected a tensor or a number, got None"),
    ],
)
def test_refused(text: str, reason: str) -> None:
    with pytest.raises(ModelParseError) as error:
        lowered(text, 4)
    assert str(error.value) == reason
