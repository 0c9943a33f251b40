"""Which variables have parameters, and their types."""

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.program import Block, Op, Program, Var, VarKind, Weight
from lite.ir.types import DType, Shape
from lite.model_parser.paddle.parameters import check_weight, parameter_vars


def program(*blocks: list[Var]) -> Program:
    return Program(
        [Block(index, index - 1, {var.name: var for var in vars_}) for index, vars_ in enumerate(blocks)],
        source="m",
    )


def test_persistable_variables_of_the_first_block_are_sorted_by_bytes() -> None:
    kept = [Var(name, persistable=True) for name in ("b", "a", "B", "\uffff", "\U00010000", "a_1", "é")]
    others = [
        Var("feed", VarKind.FEED, persistable=True),
        Var("fetch", VarKind.FETCH, persistable=True),
        Var("raw", VarKind.RAW, persistable=True),
        Var("reader", VarKind.READER, persistable=True),
        Var("no", persistable=False),
        Var("unset"),
    ]
    names = [var.name for var in parameter_vars(program([*others, *kept], [Var("inner", persistable=True)]))]
    assert names == ["B", "a", "a_1", "b", "é", "\uffff", "\U00010000"]


def test_a_variable_that_ops_only_write_has_no_declared_type() -> None:
    variables = [
        Var(name, dtype=DType.INT64, shape=(0, 8), persistable=True) for name in ("mean", "shape", "w")
    ]
    written = program(variables)
    written.blocks[0].ops.append(Op("norm", {"X": ["w", "mean"]}, {"Mean": ["mean"], "XShape": ["shape"]}))
    assert parameter_vars(written) == [variables[0], Var("shape", persistable=True), variables[2]]


def test_a_persistable_variable_that_is_no_tensor_is_refused() -> None:
    with pytest.raises(ModelParseError) as caught:
        parameter_vars(program([Var("rows", VarKind.SELECTED_ROWS, persistable=True)]))
    assert str(caught.value).startswith(
        "m: persistable variable 'rows' is of kind SELECTED_ROWS, expected TENSOR;"
    )


@pytest.mark.parametrize(
    ("declared", "stored"),
    [
        ((2, 3), (2, 3)),
        ((-1, 3), (7, 3)),
        (("n", "?"), (7, 3)),
        ((-3,), (7,)),
        (None, (7, 3)),
        ((), ()),
        ((1,), ()),
        ((), (1,)),
    ],
)
def test_equal_shapes_are_accepted(declared: Shape | None, stored: tuple[int, ...]) -> None:
    check_weight(Var("w", dtype=DType.FLOAT32, shape=declared), Weight(np.zeros(stored, np.float32)))


@pytest.mark.parametrize(
    ("declared", "stored", "message"),
    [
        ((2, 3), (3, 2), "dims [2,3], as the program declares, got [3,2]"),
        ((6,), (2, 3), "dims [6], as the program declares, got [2,3]"),
        ((-1, 3), (7, 4), "dims [-1,3], as the program declares, got [7,4]"),
        ((), (2,), "dims [], as the program declares, got [2]"),
        ((2,), (), "dims [2], as the program declares, got []"),
        ((1, 1), (1,), "dims [1,1], as the program declares, got [1]"),
    ],
)
def test_a_different_shape_is_refused(declared: Shape, stored: tuple[int, ...], message: str) -> None:
    with pytest.raises(ModelParseError) as caught:
        check_weight(Var("w", dtype=DType.FLOAT32, shape=declared), Weight(np.zeros(stored, np.float32)))
    assert str(caught.value) == f"expected {message}"


def test_a_different_element_type_is_refused() -> None:
    with pytest.raises(ModelParseError) as caught:
        check_weight(Var("w", dtype=DType.FLOAT16, shape=(1,)), Weight(np.zeros(1, np.float32)))
    assert str(caught.value) == "expected element type float16, as the program declares, got float32"
