"""PIR ops that change shapes equal numpy, with constant operands and with operands known at the run."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.paddle.pir.builder import (
    Json,
    PirBuilder,
    check_equal,
    like,
    noise,
    run_op,
    tensor,
    vector,
)

X = noise(2, 3, 4)

_BY_OPERAND: dict[str, tuple[Array, list[int], Array]] = {
    "expand": (X[:, :1], [2, 3, -1], np.broadcast_to(X[:, :1], (2, 3, 4))),
    "legacy_reshape": (X, [0, -1], X.reshape(2, 12)),
    "reshape": (X, [0, -1], X.reshape(2, 12)),
    "squeeze": (X[:, :1], [1], X[:, 0]),
    "tile": (X, [2, 1, 1], np.tile(X, (2, 1, 1))),
    "unsqueeze": (X, [0, 2], X[None, :, None]),
}


@pytest.mark.parametrize("name", _BY_OPERAND)
@pytest.mark.parametrize("form", ["constant", "tensor", "list", "list of one"])
def test_ops_with_a_shape_operand(name: str, form: str) -> None:
    x, numbers, expected = _BY_OPERAND[name]
    builder = PirBuilder()
    source = builder.data("x", x)
    feeds: dict[str, Array] = {"x": x}
    if form == "constant":
        operand = builder.ints(*numbers)
    elif form in ("tensor", "list of one"):
        feeds["n"] = np.array(numbers, np.int64)
        operand = builder.data("n", feeds["n"])
        operand = builder.combine(operand) if form == "list of one" else operand
    else:
        feeds["last"] = np.array(numbers[-1], np.int32)
        scalars = [builder.full(number, [], "int32") for number in numbers[:-1]]
        operand = builder.combine(*scalars, builder.data("last", feeds["last"]))
    result = tensor("float32", [-1] * expected.ndim)
    out = builder.one(name, source, operand, result=result)
    check_equal(builder.fetch(out).run(**feeds)[0], expected)


def test_ops_with_attributes() -> None:
    check_equal(
        run_op("transpose", [X], {"perm": [2, 0, 1]}, tensor("float32", [4, 2, 3])), X.transpose(2, 0, 1)
    )
    attrs = {"start_axis": 1, "stop_axis": 2}
    check_equal(run_op("flatten", [X], attrs, tensor("float32", [2, 12])), X.reshape(2, 12))
    check_equal(run_op("flip", [X], {"axis": [1]}), X[:, ::-1])
    check_equal(run_op("tril", [X], {"diagonal": 1}), np.tril(X, 1))
    check_equal(run_op("triu", [X], {"diagonal": -1}), np.triu(X, -1))


def test_expand_as_takes_the_shape_of_the_second_operand() -> None:
    expected = np.broadcast_to(X[:, :1], X.shape)
    check_equal(run_op("expand_as", [X[:, :1], X], {"target_shape": [2, 3, 4]}, like(X)), expected)


def test_reverse_and_roll() -> None:
    builder = PirBuilder()
    x = builder.data("x", X)
    reverse = builder.one("reverse", x, builder.ints(0, 2))
    roll = builder.one("roll", x, builder.ints(1), attrs={"axis": [2]})
    outputs = builder.fetch(reverse, roll).run(x=X)
    check_equal(outputs[0], X[::-1, :, ::-1])
    check_equal(outputs[1], np.roll(X, 1, 2))


def test_axes_of_reverse_that_are_an_input_are_refused() -> None:
    builder = PirBuilder()
    axes = builder.data("axes", np.array([1]))
    builder.fetch(builder.one("reverse", builder.data("x", X), axes))
    with pytest.raises(
        ModelParseError, match=r"m: op 2 \(pd_op.reverse\): operand 'axis': expected a constant"
    ):
        builder.program()


def test_lists_are_joined_and_split() -> None:
    builder = PirBuilder()
    x = builder.data("x", X)
    parts = [tensor("float32", [2, size, 4]) for size in (1, 2)]
    ints, axis = builder.ints(1, 2), builder.full(1, dtype="int32")
    first, second = builder.split(builder.one("split", x, ints, axis, result=vector(*parts)))
    joined = builder.one("concat", builder.combine(second, first), axis, result=like(X))
    halves = vector(like(X[:1]), like(X[:1]))
    pair = builder.one("split_with_num", x, builder.full(0, dtype="int32"), result=halves, attrs={"num": 2})
    last = builder.op("0.slice", [pair], [like(X[:1])], {"index": 1})[0]
    stack = builder.one(
        "stack", builder.combine(x, x), result=tensor("float32", [2, 2, 3, 4]), attrs={"axis": 1}
    )
    outputs = builder.fetch(joined, last, stack).run(x=X)
    check_equal(outputs[0], X[:, [1, 2, 0]])
    check_equal(outputs[1], X[1:])
    check_equal(outputs[2], np.stack([X, X], 1))


@pytest.mark.parametrize("name", ["unbind", "unstack"])
def test_positions_of_an_axis_become_a_list(name: str) -> None:
    builder = PirBuilder()
    x = builder.data("x", X)
    items: list[Json] = [tensor("float32", [2, 4])] * 3
    parts = builder.split(builder.one(name, x, result=vector(*items), attrs={"axis": 1, "num": 3}))
    outputs = builder.fetch(*parts).run(x=X)
    for n, output in enumerate(outputs):
        check_equal(output, X[:, n])


def test_meshgrid() -> None:
    a, b = noise(2), noise(3)
    builder = PirBuilder()
    operands = builder.combine(builder.data("a", a), builder.data("b", b))
    grids = builder.split(builder.one("meshgrid", operands, result=vector(*[tensor("float32", [2, 3])] * 2)))
    outputs = builder.fetch(*grids).run(a=a, b=b)
    for output, expected in zip(outputs, np.meshgrid(a, b, indexing="ij"), strict=True):
        check_equal(output, expected)


def test_a_list_of_another_length_is_refused() -> None:
    builder = PirBuilder()
    axis = builder.full(1, dtype="int32")
    parts = vector(tensor("float32", [2, 1, 4]))
    builder.one("split", builder.data("x", X), builder.ints(1, 2), axis, result=parts)
    with pytest.raises(
        ModelParseError, match=r"op 3 \(pd_op.split\): expected a list of 2 as the result, got 1"
    ):
        builder.program()


def test_a_list_where_a_tensor_is_expected_is_refused() -> None:
    builder = PirBuilder()
    x = builder.data("x", X)
    builder.one("relu", builder.combine(x, x))
    with pytest.raises(ModelParseError, match=r"op 2 \(pd_op.relu\): .*expected a tensor, got a list of 2"):
        builder.program()
