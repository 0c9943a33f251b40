"""PIR branches, loops, tensor arrays, and the inputs and outputs of a model."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ModelParseError
from tests.model_parser.paddle.pir.builder import (
    PirBuilder,
    array_type,
    check_equal,
    like,
    noise,
    tensor,
    translated,
)

X = noise(2, 3)
BOOL = tensor("bool", [1])
COUNT = tensor("int64", [1])


def branch_program() -> PirBuilder:
    """x * 2 and x where the condition holds, else x - 1 and a constant."""
    builder = PirBuilder()
    x, condition = builder.data("x", X), builder.data("c", np.array([True]))
    factor = builder.full(2)
    then, otherwise = PirBuilder(builder), PirBuilder(builder)
    then.yields(then.one("scale", x, factor, attrs={"bias": 0.0}), x)
    one = otherwise.full(1, [])
    otherwise.yields(otherwise.one("subtract", x, one), otherwise.full(5, [2, 3]))
    results = builder.op("1.if", [condition], [like(X), like(X)], regions=[then, otherwise])
    return builder.fetch(*results)


@pytest.mark.parametrize("condition", [True, False])
def test_a_branch(condition: bool) -> None:
    first, second = branch_program().run(x=X, c=np.array([condition]))
    check_equal(first, X * 2 if condition else X - 1)
    check_equal(second, X if condition else np.full((2, 3), 5, np.float32))


@pytest.mark.parametrize("condition", [True, False])
def test_a_branch_inside_a_branch(condition: bool) -> None:
    builder = PirBuilder()
    x, outer_condition = builder.data("x", X), builder.data("c", np.array(condition))
    then, otherwise = PirBuilder(builder), PirBuilder(builder)
    inner_then, inner_else = PirBuilder(then), PirBuilder(then)
    inner_then.yields(inner_then.one("exp", x))
    inner_else.yields(inner_else.one("tanh", x))
    opposite = then.one("logical_not", outer_condition)
    then.yields(then.op("1.if", [opposite], [like(X)], regions=[inner_then, inner_else])[0])
    otherwise.yields(x)
    out = builder.op("1.if", [outer_condition], [like(X)], regions=[then, otherwise])[0]
    check_equal(builder.fetch(out).run(x=X, c=np.array(condition))[0], np.tanh(X) if condition else X)


def loop_program() -> PirBuilder:
    """The Fibonacci numbers a, b after n steps: the body swaps its carried values."""
    builder = PirBuilder()
    limit = builder.data("n", np.array([5]))
    zero, one = builder.full(0, dtype="int64"), builder.full(1, dtype="int64")
    condition = builder.one("less_than", zero, limit, result=BOOL)
    body = PirBuilder(builder)
    i, a, b = (body.argument(COUNT) for _ in range(3))
    next_i = body.one("add", i, one)
    body.yields(body.one("less_than", next_i, limit, result=BOOL), next_i, b, body.one("add", a, b))
    results = builder.op("1.while", [condition, zero, zero, one], [COUNT] * 3, regions=[body])
    return builder.fetch(*results)


@pytest.mark.parametrize(("count", "expected"), [(0, (0, 0, 1)), (1, (1, 1, 1)), (5, (5, 5, 8))])
def test_a_loop(count: int, expected: tuple[int, int, int]) -> None:
    outputs = loop_program().run(n=np.array([count]))
    assert [output.tolist() for output in outputs] == [[number] for number in expected]


def test_a_carried_value_may_grow() -> None:
    builder = PirBuilder()
    x = builder.data("x", X)
    limit, zero, one = (builder.full(number, [], "int64") for number in (3, 0, 1))
    condition = builder.one("less_than", zero, limit, result=tensor("bool", []))
    body = PirBuilder(builder)
    i, rows = body.argument(tensor("int64", [])), body.argument(tensor("float32", [-1, 3]))
    next_i = body.one("add", i, one)
    longer = body.one(
        "concat", body.combine(rows, x), body.full(0, dtype="int32"), result=tensor("float32", [-1, 3])
    )
    body.yields(body.one("less_than", next_i, limit, result=tensor("bool", [])), next_i, longer)
    types = [tensor("int64", []), tensor("float32", [-1, 3])]
    rows_out = builder.op("1.while", [condition, zero, x], types, regions=[body])[1]
    check_equal(builder.fetch(rows_out).run(x=X)[0], np.concatenate([X] * 4))


def test_a_tensor_array_that_a_loop_writes() -> None:
    builder = PirBuilder()
    x = builder.data("x", X)
    limit, zero, one = (builder.full(number, dtype="int64") for number in (3, 0, 1))
    array = builder.op("1.create_array", (), [array_type("float32")])[0]
    condition = builder.one("less_than", zero, limit, result=BOOL)
    body = PirBuilder(builder)
    i, value = body.argument(COUNT), body.argument(like(X))
    body.one("array_write_", array, value, i)
    next_i = body.one("add", i, one)
    body.yields(body.one("less_than", next_i, limit, result=BOOL), next_i, body.one("add", value, x))
    builder.op("1.while", [condition, zero, x], [COUNT, like(X)], regions=[body])
    length = builder.one("array_length", array, result=COUNT)
    second = builder.one("array_read", array, one, result=like(X))
    types = [tensor("float32", [6, 3]), tensor("int32", [3])]
    joined = builder.op("1.array_to_tensor", [array], types, {"axis": 0, "use_stack": False})[0]
    outputs = builder.fetch(length, second, joined).run(x=X)
    assert outputs[0].tolist() == [3]
    check_equal(outputs[1], 2 * X)
    check_equal(outputs[2], np.concatenate([X, 2 * X, 3 * X]))


def test_parts_of_a_tensor_array() -> None:
    """An element, a part, and the elements that are taken away, from either end."""
    builder = PirBuilder()
    x = builder.data("x", X)
    array = builder.op("1.create_array", (), [array_type("float32")])[0]
    for number in range(4):
        value = builder.one("add", x, builder.full(number))
        builder.one("array_write_", array, value, builder.full(number, dtype="int64"))
    part = builder.op("1.slice_array", [array, builder.ints(1), builder.ints(3)], [array_type("float32")])[0]
    last = builder.one("slice_array_dense", array, builder.ints(-1), result=like(X))
    taken = [
        builder.op("1.array_pop", [array], [array_type("float32"), like(X)], {"index": index})[1]
        for index in (-1, 0)
    ]
    types = [tensor("float32", [4, 3]), tensor("int32", [2])]
    joined, rest = (
        builder.op("1.array_to_tensor", [each], types, {"axis": 0, "use_stack": False})[0]
        for each in (part, array)
    )
    outputs = builder.fetch(last, *taken, joined, rest).run(x=X)
    for output, expected in zip(outputs[:3], (X + 3, X + 3, X), strict=True):
        check_equal(output, expected)
    for output in outputs[3:]:
        check_equal(output, np.concatenate([X + 1, X + 2]))


def test_a_region_that_yields_another_number_of_values_is_refused() -> None:
    builder = branch_program()
    builder.ops[-3]["regions"][1]["blocks"][0]["ops"][-1]["I"].pop()
    with pytest.raises(
        ModelParseError, match=r"m: op 3 \(pd_op.if\): region 1: expected 2 results, as the op has, got 1"
    ):
        builder.program()


def test_a_region_without_yield_is_refused() -> None:
    builder = loop_program()
    builder.ops[4]["regions"][0]["blocks"][0]["ops"].pop()
    with pytest.raises(
        ModelParseError, match=r"op 4 \(pd_op.while\): region 0: expected cf.yield as the last op"
    ):
        builder.program()


def test_an_error_in_a_region_names_its_place() -> None:
    builder = loop_program()
    builder.ops[4]["regions"][0]["blocks"][0]["ops"][0]["I"].pop()
    message = (
        r"op 4 \(pd_op.while\): region 0, op 0 \(pd_op.add\): expected operands for X, Y, got none for Y"
    )
    with pytest.raises(ModelParseError, match=message):
        builder.program()


def test_a_value_of_another_region_is_refused() -> None:
    builder = branch_program()
    blocks = [region["blocks"][0] for region in builder.ops[3]["regions"]]
    inner = blocks[0]["ops"][0]["O"][0]["%"]
    blocks[1]["ops"][1]["I"][0]["%"] = inner
    with pytest.raises(ModelParseError, match=rf"region 1, op 1 .*: value {inner} is not defined before"):
        builder.program()


def test_a_condition_that_is_not_bool_is_refused() -> None:
    builder = branch_program()
    builder.ops[3]["I"][0]["%"] = builder.ops[2]["O"][0]["%"]
    with pytest.raises(ModelParseError, match="condition 'full_3': expected bool, got float32"):
        builder.program()


def test_outputs_have_the_names_of_the_fetches() -> None:
    builder = PirBuilder()
    x = builder.data("x", X)
    y = builder.one("relu", x)
    program = builder.fetch(y, x, y).program()
    fetches = [op for op in program.blocks[0].ops if op.type == "fetch"]
    assert [op.inputs["X"] for op in fetches] == [["fetch_name_0"], ["fetch_name_1"], ["fetch_name_2"]]
    assert [op.type for op in translated(builder)] == ["relu", "assign", "assign"]
    outputs = builder.run(x=X)
    for output, expected in zip(outputs, [X.clip(0), X, X.clip(0)], strict=True):
        check_equal(output, expected)


def test_an_output_may_be_a_shadow_output() -> None:
    builder = PirBuilder()
    builder.op("0.shadow_output", [builder.one("relu", builder.data("x", X))], [], {"output_name": "y"})
    program = builder.program()
    assert program.blocks[0].ops[-1].inputs == {"X": ["y"]}


def test_two_inputs_of_one_name_are_refused() -> None:
    builder = PirBuilder()
    builder.data("x", X)
    builder.data("x", X)
    with pytest.raises(ModelParseError, match=r"op 1 \(pd_op.data\): expected a name that no other input"):
        builder.program()


def test_an_input_with_the_name_of_the_list_of_inputs_is_refused() -> None:
    builder = PirBuilder()
    builder.data("feed", X)
    with pytest.raises(
        ModelParseError, match=r"expected a name that no other input or parameter has, got 'feed'"
    ):
        builder.program()


def test_copies_and_prints_pass_the_value_on() -> None:
    builder = PirBuilder()
    x = builder.data("x", X)
    shared = builder.one("share_data_", x)
    copied = builder.one("assign_out_", shared, x)
    attrs = {"first_n": -1, "message": "m", "summarize": 1, "print_tensor_shape": True, "is_forward": True}
    printed = builder.one("print", copied, attrs=attrs)
    check_equal(builder.fetch(printed).run(x=X)[0], X)
