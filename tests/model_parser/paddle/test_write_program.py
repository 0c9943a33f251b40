import pytest
from hypothesis import given, settings

from lite.errors import ModelParseError
from lite.ir.program import Attribute, AttrType, Block, Op, Program, Var
from lite.model_parser.paddle.framework_pb2 import ProgramDesc
from lite.model_parser.paddle.read_program import read_program
from lite.model_parser.paddle.write_program import write_program
from tests.model_parser.paddle import wire as w
from tests.model_parser.paddle.programs import programs


@settings(max_examples=150, deadline=None, derandomize=True)
@given(programs())
def test_writing_and_reading_gives_the_program_back(program: Program) -> None:
    data = write_program(program)
    again = read_program(data, "random")
    assert again == program
    # Equal dicts may differ in order, and the format keeps it.
    assert repr(again) == repr(program)
    assert write_program(again) == data


def test_extra_is_written_where_it_came_from() -> None:
    new = w.num(100, 7)
    op = Op("t", extra=new, attrs={"a": Attribute(AttrType.INT, 1, extra=new)})
    program = Program([Block(0, ops=[op], vars={"v": Var("v", extra=new)}, extra=new)], extra=new)
    assert write_program(program) == (
        w.block(
            0,
            -1,
            w.msg(3, w.text(1, "v"), w.msg(2, w.num(1, 7)), new),
            w.op("t", w.attr("a", 0, w.num(3, 1), new), new),
            new,
        )
        + new
    )


@pytest.mark.parametrize(
    ("block", "said"),
    [
        (Block(2**31), "m: block 2147483648: "),
        (Block(0, ops=[Op("a"), Op("t", {"X": ["\ud800"]})]), "m: block 0, op 1 (t): "),
        (
            Block(0, ops=[Op("t", {"X": "ab"})]),  # type: ignore[dict-item]
            "m: block 0, op 0 (t): the slot 'X' holds the text 'ab', expected a list of names",
        ),
        (
            Block(0, ops=[Op("t", attrs={"a": Attribute(AttrType.INT, "x")})]),
            "m: block 0, op 0 (t): the attribute 'a' of type INT cannot hold 'x': ",
        ),
        (
            Block(0, vars={"a": Var("b")}),
            "m: block 0, variable 'a': it is filed under another name than its own, 'b'",
        ),
        (Block(0, vars={"a": Var("a", extra=b"\xff")}), "m: block 0, variable 'a': "),
        (Block(0, extra=b"\xff"), "m: block 0: "),
    ],
)
def test_what_the_format_cannot_say(block: Block, said: str) -> None:
    with pytest.raises(ModelParseError) as caught:
        write_program(Program([block], source="m"))
    assert str(caught.value).startswith(said)


@pytest.mark.parametrize(
    "program",
    [
        Program(version=2**63, source="m"),
        Program(op_versions={"a": 2**31}, source="m"),
        Program(op_versions={"\ud800": 1}, source="m"),
        Program(extra=b"\xff", source="m"),
    ],
)
def test_what_the_format_cannot_say_of_the_whole(program: Program) -> None:
    with pytest.raises(ModelParseError, match=r"^m: the program cannot be written: "):
        write_program(program)


def test_the_bytes_are_what_protobuf_reads() -> None:
    op = Op("scale", {"X": ["x"]}, {"Out": ["y"]}, {"scale": Attribute(AttrType.FLOAT, 0.5)})
    message = ProgramDesc()
    message.ParseFromString(write_program(Program([Block(0, ops=[op])], version=3)))
    expected = ProgramDesc()
    block = expected.blocks.add(idx=0, parent_idx=-1)
    block.ops.add(
        type="scale",
        inputs=[{"parameter": "X", "arguments": ["x"]}],
        outputs=[{"parameter": "Out", "arguments": ["y"]}],
        attrs=[{"name": "scale", "type": "FLOAT", "f": 0.5}],
    )
    expected.version.version = 3
    assert message == expected
