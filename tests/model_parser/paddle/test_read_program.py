"""Programs in Paddle's format."""

import pytest

from lite.errors import ModelParseError
from lite.ir.program import Attribute, AttrType, Block, Op, Program, Var, VarKind
from lite.ir.types import DType
from lite.model_parser.paddle.read_program import read_program
from lite.model_parser.paddle.write_model import write_program
from tests.model_parser.paddle import wire as w


def check_error(data: bytes, message: str) -> None:
    with pytest.raises(ModelParseError) as caught:
        read_program(data, "m")
    assert str(caught.value) == message


def test_every_field_is_read_and_written() -> None:
    data = (
        w.block(
            0,
            -1,
            w.var("x", w.num(4, 1), dims=(-1, 3)),
            w.weight("w", code=22, dims=()),
            w.msg(3, w.text(1, "feed"), w.msg(2, w.num(1, 9)), w.num(3, 1)),
            w.op(
                "scale",
                w.attr("scale", 1, w.f32(4, 0.5)),
                w.attr("sub_block", 8, w.num(12, 1)),
                w.num(5, 0),
                slots=w.slot(1, "X", "x", "x") + w.slot(1, "Empty") + w.slot(2, "Out", "y"),
            ),
        )
        + w.block(1, 0, w.num(5, -1))
        + w.msg(4, w.num(1, 3000000))
        + w.msg(5, w.msg(1, w.text(1, "scale"), w.msg(2, w.num(1, 2))))
    )
    expected = Program(
        [
            Block(
                0,
                -1,
                {
                    "x": Var("x", dtype=DType.FLOAT32, shape=(-1, 3), need_check_feed=True),
                    "w": Var("w", dtype=DType.BFLOAT16, shape=(), persistable=True),
                    "feed": Var("feed", VarKind.FEED, persistable=True),
                },
                [
                    Op(
                        "scale",
                        {"X": ["x", "x"], "Empty": []},
                        {"Out": ["y"]},
                        {
                            "scale": Attribute(AttrType.FLOAT, 0.5),
                            "sub_block": Attribute(AttrType.BLOCK, 1),
                        },
                        is_target=False,
                    )
                ],
            ),
            Block(1, 0, forward_block=-1),
        ],
        version=3000000,
        op_versions={"scale": 2},
        source="m",
    )
    program = read_program(data, "m")
    assert program == expected
    assert write_program(program) == data


def test_vars_slots_and_attributes_keep_their_order() -> None:
    slots = w.slot(1, "Z", "z") + w.slot(1, "A", "a")
    data = w.block(
        0,
        -1,
        w.var("b"),
        w.var("a"),
        w.op("t", w.attr("z", 0, w.num(3, 1)), w.attr("a", 0, w.num(3, 2)), slots=slots),
    )
    block = read_program(data, "m").blocks[0]
    assert (list(block.vars), list(block.ops[0].inputs), list(block.ops[0].attrs)) == (
        ["b", "a"],
        ["Z", "A"],
        ["z", "a"],
    )


def test_absent_fields_are_none_and_are_not_written() -> None:
    data = w.block(0, -1, w.msg(3, w.text(1, "v"), w.msg(2, w.num(1, 17))), w.op("t"))
    program = read_program(data, "m")
    assert program == Program([Block(0, -1, {"v": Var("v", VarKind.RAW)}, [Op("t")])], source="m")
    assert write_program(program) == data


@pytest.mark.parametrize(
    "tail", [w.msg(4), w.msg(5), w.msg(4, w.num(1, 0)), w.msg(4) + w.msg(5)], ids=["v", "m", "v0", "both"]
)
def test_empty_messages_are_kept(tail: bytes) -> None:
    data = w.block(0, -1) + tail
    assert write_program(read_program(data, "m")) == data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "m: is empty, expected a Paddle program; copy or export the model again"),
        (w.msg(4, w.num(1, 0)), "m: the program has no block; export the model again"),
        (w.block(1, -1), "m: the block at position 0 has the index 1, expected 0"),
        (w.block(0, 1), "m: block 0 has the parent 1, expected -1 to 0"),
        (w.block(0, -2), "m: block 0 has the parent -2, expected -1 to 0"),
        (w.block(0, 0), "m: the blocks [0, 0] are parents of one another in a cycle"),
        (
            w.block(0, -1) + w.block(1, 2) + w.block(2, 1),
            "m: the blocks [1, 2, 1] are parents of one another in a cycle",
        ),
        (
            w.block(0, -1, w.op("while", w.attr("sub_block", 8, w.num(12, 1)))),
            "m: block 0, op 0 (while): the attribute 'sub_block' names block 1, expected 0 to 0",
        ),
        (
            w.block(0, -1, w.op("go", w.attr("subs", 10, w.num(14, 0, -3)))),
            "m: block 0, op 0 (go): the attribute 'subs' names block -3, expected 0 to 0",
        ),
        (
            w.block(0, -1, w.op("while", w.attr("sub_block", 8))),
            "m: block 0, op 0 (while): the attribute 'sub_block' of type BLOCK has no value",
        ),
        (
            w.block(0, -1, w.op("a"), w.op("t", slots=w.slot(1, "X", "a") + w.slot(1, "X", "b"))),
            "m: block 0, op 1 (t): the input slot 'X' is given twice",
        ),
        (
            w.block(0, -1, w.op("t", slots=w.slot(2, "Out", "a") + w.slot(2, "Out", "a"))),
            "m: block 0, op 0 (t): the output slot 'Out' is given twice",
        ),
        (
            w.block(0, -1, w.op("t", w.attr("a", 0, w.num(3, 1)), w.attr("a", 0, w.num(3, 1)))),
            "m: block 0, op 0 (t): the attribute 'a' is given twice",
        ),
        (
            w.block(0, -1, w.var("v"), w.var("v")),
            "m: block 0, variable 'v': the block has two variables of this name; names must be unique",
        ),
        (
            w.block(0, -1, w.op("t", w.attr("a", 2, w.msg(5, b"\xff")))),
            "m: block 0, op 0 (t): the attribute 'a' holds text that is not UTF-8",
        ),
        (
            w.block(0, -1, w.op("t", w.attr("a", 5, w.text(8, "ok"), w.msg(8, b"\xff")))),
            "m: block 0, op 0 (t): the attribute 'a' holds text that is not UTF-8",
        ),
        (
            w.block(0, -1, w.op("t", w.msg(4, w.msg(1, b"\xff"), w.num(2, 0), w.num(3, 1)))),
            "m: block 0, op 0 (t): the attribute name b'\\xff' is not UTF-8 text",
        ),
        (
            w.block(0, -1, w.op("t", slots=w.msg(1, w.text(1, "X"), w.msg(2, b"\xff")))),
            "m: block 0, op 0 (t): the input slot 'X' holds text that is not UTF-8",
        ),
        (
            w.block(0, -1, w.msg(4, w.msg(3, b"\xff"))),
            "m: block 0, op 0 (b'\\xff'): the op's type is not UTF-8 text",
        ),
        (
            w.block(0, -1, w.msg(3, w.msg(1, b"\xff"), w.msg(2, w.num(1, 17)))),
            "m: block 0, variable b'\\xff': the name is not UTF-8 text",
        ),
        (
            w.block(0, -1) + w.msg(5, *2 * [w.msg(1, w.text(1, "a"), w.msg(2, w.num(1, 5)))]),
            "m: the op versions name 'a' twice, or not in UTF-8 text",
        ),
        (
            w.stream(w.floats(1, 2)),
            (
                "m: is a Paddle parameter stream, expected a Paddle program; "
                "were the model and params files swapped?"
            ),
        ),
    ],
)
def test_a_malformed_program_is_refused(data: bytes, message: str) -> None:
    check_error(data, message)


@pytest.mark.parametrize("data", [w.block(0, -1, w.op("relu"))[:-1], bytes(range(1, 256)), b"\x00" * 9])
def test_unreadable_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(
        ModelParseError, match=r"^m: not a readable Paddle program \(\d+ bytes\): .*export it again$"
    ):
        read_program(data, "m")


def test_a_long_chain_of_blocks_is_accepted() -> None:
    data = b"".join(w.block(index, index - 1) for index in range(1000))
    assert [block.parent for block in read_program(data, "m").blocks] == list(range(-1, 999))
