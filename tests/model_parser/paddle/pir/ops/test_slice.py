"""PIR ops that cut, pad and replace equal numpy."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.paddle.pir.builder import PirBuilder, check_equal, like, noise, tensor

X = noise(3, 4)


@pytest.mark.parametrize("form", ["constant", "tensor", "list"])
def test_slice(form: str) -> None:
    builder = PirBuilder()
    feeds: dict[str, Array] = {"x": X}
    x = builder.data("x", X)
    if form == "constant":
        ends = builder.ints(3, 1)
    elif form == "tensor":
        feeds["ends"] = np.array([3, 1])
        ends = builder.data("ends", feeds["ends"])
    else:
        feeds["end"] = np.array(3)
        ends = builder.combine(builder.data("end", feeds["end"]), builder.full(1, [], "int64"))
    attrs = {"axes": [0, 1], "infer_flags": [1, 1], "decrease_axis": [1]}
    out = builder.one("slice", x, builder.ints(1, 0), ends, result=tensor("float32", [-1]), attrs=attrs)
    check_equal(builder.fetch(out).run(**feeds)[0], X[1:3, 0])


def test_strided_slice() -> None:
    builder = PirBuilder()
    operands = [builder.data("x", X), builder.ints(3), builder.ints(0), builder.ints(-2)]
    out = builder.one("strided_slice", *operands, result=tensor("float32", [3, 2]), attrs={"axes": [1]})
    check_equal(builder.fetch(out).run(x=X)[0], X[:, 3:0:-2])


def test_crop() -> None:
    builder = PirBuilder()
    operands = [builder.data("x", X), builder.ints(2, -1), builder.ints(1, 1)]
    out = builder.one("crop", *operands, result=tensor("float32", [2, 3]))
    check_equal(builder.fetch(out).run(x=X)[0], X[1:3, 1:])


def test_pad_with_a_constant() -> None:
    builder = PirBuilder()
    attrs = {"paddings": [1, 0, 0, 2]}
    out = builder.one(
        "pad", builder.data("x", X), builder.full(7), result=tensor("float32", [4, 6]), attrs=attrs
    )
    check_equal(builder.fetch(out).run(x=X)[0], np.pad(X, ((1, 0), (0, 2)), constant_values=7))


def test_a_value_of_pad_that_is_an_input_is_refused() -> None:
    builder = PirBuilder()
    value = builder.data("v", np.ones(1, np.float32))
    builder.one("pad", builder.data("x", X), value, attrs={"paddings": [1, 0, 0, 2]})
    with pytest.raises(ModelParseError, match="operand 'pad_value': expected a constant"):
        builder.program()


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate"])
def test_pad3d(mode: str) -> None:
    x = noise(1, 1, 2, 3, 4)
    builder = PirBuilder()
    attrs = {"mode": mode, "pad_value": 0.5, "data_format": "NCDHW"}
    operands = [builder.data("x", x), builder.ints(1, 2, 1, 0, 0, 1)]
    out = builder.one("pad3d", *operands, result=tensor("float32", [1, 1, 3, 4, 7]), attrs=attrs)
    widths = ((0, 0), (0, 0), (0, 1), (1, 0), (1, 2))
    keywords = {"constant_values": 0.5} if mode == "constant" else {}
    numpy_mode = {"constant": "constant", "reflect": "reflect", "replicate": "edge"}[mode]
    expected = np.pad(x, widths, numpy_mode, **keywords)  # type: ignore[call-overload]
    check_equal(builder.fetch(out).run(x=x)[0], expected)


def test_set_value_of_a_tensor_and_of_an_attribute() -> None:
    builder = PirBuilder()
    x, values = builder.data("x", X), builder.data("v", X[:1])
    ranges = [builder.ints(1), builder.ints(2), builder.ints(1)]
    attrs: dict[str, object] = {"axes": [0], "decrease_axes": [], "none_axes": []}
    by_tensor = builder.one("set_value_with_tensor", x, values, *ranges, attrs=attrs)
    by_number = builder.one("set_value_", x, *ranges, attrs={**attrs, "shape": [1], "values": [5.0]})
    outputs = builder.fetch(by_tensor, by_number).run(x=X, v=X[:1])
    check_equal(outputs[0], X[[0, 0, 2]])
    expected = X.copy()
    expected[1] = 5
    check_equal(outputs[1], expected)


def test_a_number_that_is_not_an_integer_is_refused_as_a_range() -> None:
    builder = PirBuilder()
    half = builder.full(0.5)
    builder.one("slice", builder.data("x", X), half, builder.ints(1), attrs={"axes": [0]}, result=like(X))
    with pytest.raises(ModelParseError, match=r"value 'full_1': expected integers, got \[0.5\]"):
        builder.program()
