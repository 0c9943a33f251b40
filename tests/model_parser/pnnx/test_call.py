"""Operands, parameters and weights of an operator."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lite.errors import ModelParseError
from lite.ir.types import DType
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.param_file import Operator
from lite.model_parser.pnnx.writer import Writer

PARAMS = {"n": "3", "r": "0.5", "w": "word", "l": "(1,2)", "none": "None", "old": "1", "bad": "1x"}


@pytest.fixture
def call() -> Call:
    writer = Writer("m")
    x = writer.feed("x", DType.FLOAT32, (2, 3, 4), 0)
    operator = Operator("t", "o", ["x", "y"], ["z"], "m: line 1", dict(PARAMS))
    operator.named = [("first", "x"), ("count", "y")]
    return Call(operator, [x, 7], writer, None, "no weights file")


def test_arguments_are_read_by_type(call: Call) -> None:
    assert call.integer("n") == 3
    assert call.integer("count") == 7
    assert call.integer("absent", 5) == 5
    assert call.real("n") == 3.0
    assert call.real("none", 1.5) == 1.5
    assert call.flag("old", False) is True
    assert call.string("w", "") == "word"
    assert call.integers("l", 2) == [1, 2]
    assert call.integers("n", 2) == [3, 3]
    assert call.reals("r", 3) == [0.5, 0.5, 0.5]
    assert call.axis("absent", call.x, -1) == 2
    assert call.has("n")
    assert not call.has("none")
    assert not call.has("absent")
    assert call.tensor("first") == call.x
    assert call.writer.dtype(call.tensor("count")) is DType.INT64


@pytest.mark.parametrize(
    ("read", "reason"),
    [
        (lambda c: c.integer("r"), "parameter r: expected an integer, got 0.5"),
        (lambda c: c.integer("absent"), "parameter absent: expected a number, got None"),
        (lambda c: c.number("w"), "parameter w: expected a number, got 'word'"),
        (lambda c: c.number("bad"), "parameter bad: expected a number, got '1x'"),
        (lambda c: c.string("n", ""), "parameter n: expected a string, got 3"),
        (lambda c: c.choice("w", "a", "a", "b"), "parameter w: expected one of a, b, got 'word'"),
        (lambda c: c.integers("l", 3), "parameter l: expected 3 numbers, got [1, 2]"),
        (lambda c: c.integers("r"), "parameter r: expected integers, got [0.5]"),
        (lambda c: c.reals("l", 3), "parameter l: expected 3 numbers, got [1, 2]"),
        (lambda c: c.sizes("w"), "argument w: expected integers, got ['word']"),
        (lambda c: c.items("absent"), "argument absent is missing"),
        (lambda c: c.axis("n", c.x), "parameter n: expected axes of 3 dimensions, got [3]"),
        (lambda c: c.tensor(2), "input 2 is missing, got 2 inputs"),
        (lambda c: c.tensor("w"), "expected a tensor as input w, got 'word'"),
        (lambda c: c.raw("absent"), "parameter absent is missing"),
        (lambda c: c.image(2), "expected an input of 4 dimensions, got 3"),
        (lambda c: c.weight("w"), "weight @w is missing"),
        (
            lambda c: c.dtype("w", DType.BOOL),
            "parameter w: element type 'word', expected one of torch.float, ",
        ),
    ],
)
def test_arguments_of_another_type_are_refused(
    call: Call, read: Callable[[Call], object], reason: str
) -> None:
    with pytest.raises(ModelParseError) as error:
        read(call)
    assert str(error.value).startswith(f"m: line 1: t 'o': {reason}")
