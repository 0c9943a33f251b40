import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.program import Block, Op, Program, Var, VarKind, Weight
from lite.ir.types import DType, Shape
from lite.model_parser.paddle.weight_vars import check_weight, weight_vars


def program(*blocks: list[Var]) -> Program:
    return Program(
        [Block(index, index - 1, {var.name: var for var in vars_}) for index, vars_ in enumerate(blocks)],
        source="m",
    )


def test_persistable_ones_of_the_first_block_sorted_by_bytes() -> None:
    kept = [Var(name, persistable=True) for name in ("b", "a", "B", "\uffff", "\U00010000", "a_1", "é")]
    others = [
        Var("feed", VarKind.FEED, persistable=True),
        Var("fetch", VarKind.FETCH, persistable=True),
        Var("raw", VarKind.RAW, persistable=True),
        Var("reader", VarKind.READER, persistable=True),
        Var("no", persistable=False),
        Var("unsaid"),
    ]
    names = [var.name for var in weight_vars(program([*others, *kept], [Var("inner", persistable=True)]))]
    assert names == ["B", "a", "a_1", "b", "é", "\uffff", "\U00010000"]


def test_what_ops_only_write_is_not_held_to_the_programs_words() -> None:
    said = [Var(name, dtype=DType.INT64, shape=(0, 8), persistable=True) for name in ("mean", "shape", "w")]
    described = program(said)
    described.blocks[0].ops.append(Op("norm", {"X": ["w", "mean"]}, {"Mean": ["mean"], "XShape": ["shape"]}))
    assert weight_vars(described) == [said[0], Var("shape", persistable=True), said[2]]


def test_a_persistable_variable_of_another_kind() -> None:
    with pytest.raises(ModelParseError) as caught:
        weight_vars(program([Var("rows", VarKind.SELECTED_ROWS, persistable=True)]))
    assert str(caught.value).startswith(
        "m: persistable variable 'rows' is of kind SELECTED_ROWS, expected TENSOR;"
    )


@pytest.mark.parametrize(
    ("said", "found"),
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
def test_shapes_that_agree(said: Shape | None, found: tuple[int, ...]) -> None:
    check_weight(Var("w", dtype=DType.FLOAT32, shape=said), Weight(np.zeros(found, np.float32)))


@pytest.mark.parametrize(
    ("said", "found", "text"),
    [
        ((2, 3), (3, 2), "dims [2,3], found [3,2]"),
        ((6,), (2, 3), "dims [6], found [2,3]"),
        ((-1, 3), (7, 4), "dims [-1,3], found [7,4]"),
        ((), (2,), "dims [], found [2]"),
        ((2,), (), "dims [2], found []"),
        ((1, 1), (1,), "dims [1,1], found [1]"),
    ],
)
def test_shapes_that_differ(said: Shape, found: tuple[int, ...], text: str) -> None:
    with pytest.raises(ModelParseError) as caught:
        check_weight(Var("w", dtype=DType.FLOAT32, shape=said), Weight(np.zeros(found, np.float32)))
    assert str(caught.value) == f"the program says {text}"


def test_element_types_that_differ() -> None:
    with pytest.raises(ModelParseError) as caught:
        check_weight(Var("w", dtype=DType.FLOAT16, shape=(1,)), Weight(np.zeros(1, np.float32)))
    assert str(caught.value) == "the program says element type float16, found float32"
