"""Unknown fields survive reading and writing."""

import pytest

from lite.ir.program import Attribute, AttrType
from lite.model_parser.paddle.framework_pb2 import OpDesc, ProgramDesc
from lite.model_parser.paddle.read_program import read_program
from lite.model_parser.paddle.unknown_fields import has_unknown_fields, is_empty, without
from lite.model_parser.paddle.write_model import write_program
from tests.model_parser.paddle import wire as w

NEW = w.num(100, 7) + w.text(101, "new")


@pytest.mark.parametrize(
    "data",
    [
        w.block(0, -1) + NEW,
        w.block(0, -1, NEW),
        w.block(0, -1) + w.msg(4, w.num(1, 5), NEW),
        w.block(0, -1) + w.msg(5, w.msg(1, w.text(1, "a"), w.msg(2, w.num(1, 5))), NEW),
        w.block(0, -1) + w.msg(5, w.msg(1, w.text(1, "a"), w.msg(2, w.num(1, 5)), NEW)),
        w.block(0, -1) + w.msg(5, w.msg(1, w.text(1, "a"), w.msg(2, w.num(1, 5), NEW))),
        w.block(0, -1, w.op("t", NEW)),
        w.block(0, -1, w.op("t", slots=w.msg(1, w.text(1, "X"), w.text(2, "x"), NEW))),
        w.block(0, -1, w.op("t", slots=w.msg(2, w.text(1, "Out"), w.text(2, "x"), NEW))),
        w.block(0, -1, w.op("t", w.attr("a", 0, w.num(3, 1), NEW))),
        w.block(0, -1, w.op("t", w.attr("a", 0, w.num(3, 1), w.f32(4, 2.0)))),
        w.block(0, -1, w.op("t", w.attr("a", 3, w.num(6, 1, 2), w.text(8, "b")))),
        w.block(0, -1, w.op("t", w.attr("a", 16, w.msg(20, w.num(1, 2), w.num(3, 9), NEW)))),
        w.block(
            0,
            -1,
            w.op("t", w.attr("a", 16, w.msg(20, w.num(1, 4), w.msg(5, w.f64(1, 1.0), w.f64(2, 2.0), NEW)))),
        ),
        w.block(
            0,
            -1,
            w.op(
                "t",
                w.attr(
                    "a",
                    17,
                    w.msg(21, w.num(1, 2), w.num(3, 9)),
                    w.msg(21, w.num(1, 1), w.num(2, 1), w.num(3, 4), NEW),
                    w.msg(21, w.num(1, 3), w.f64(4, 9.0)),
                ),
            ),
        ),
        w.block(0, -1, w.var("v", NEW)),
        w.block(0, -1, w.var("v", w.msg(7, w.text(1, "a"), w.num(2, 0), w.num(3, 4)))),
        w.block(0, -1, w.msg(3, w.text(1, "v"), w.msg(2, w.num(1, 7), NEW))),
        w.block(0, -1, w.msg(3, w.text(1, "v"), w.msg(2, w.num(1, 7), w.msg(3, w.msg(1, w.num(1, 5), NEW))))),
        w.block(0, -1, w.msg(3, w.text(1, "v"), w.msg(2, w.num(1, 7), w.msg(3, w.msg(1, w.num(1, 5)), NEW)))),
        w.block(0, -1, w.msg(3, w.text(1, "v"), w.msg(2, w.num(1, 17), w.msg(3, w.msg(1, w.num(1, 5)))))),
        w.block(
            0, -1, w.msg(3, w.text(1, "v"), w.msg(2, w.num(1, 15), w.msg(5, w.msg(1, w.msg(1, w.num(1, 5))))))
        ),
        w.block(0, -1, w.msg(3, w.text(1, "v"), w.msg(2, w.num(1, 18), w.msg(7, w.num(1, 5, 3))))),
        # SIZE_T, which is not an element type of tensors.
        w.block(0, -1, w.var("v", code=19)),
    ],
)  # fmt: skip
def test_unknown_fields_are_kept(data: bytes) -> None:
    program = read_program(data, "m")
    assert write_program(program) == data
    assert write_program(read_program(write_program(program), "m")) == data


def test_an_attribute_of_unknown_type_is_kept_in_extra() -> None:
    data = w.block(0, -1, w.op("t", w.attr("a", 0, w.num(3, 1)), w.msg(4, w.text(1, "new"), w.num(2, 99))))
    op = read_program(data, "m").blocks[0].ops[0]
    assert op.attrs == {"a": Attribute(AttrType.INT, 1)}
    again = read_program(write_program(read_program(data, "m")), "m")
    assert again.blocks[0].ops[0] == op
    assert op.extra != b""


def test_an_unknown_element_type_is_kept_in_extra() -> None:
    data = w.block(0, -1, w.var("v", code=77, dims=(2, 3)))
    program = read_program(data, "m")
    var = program.blocks[0].vars["v"]
    assert (var.dtype, var.shape) == (None, None)
    assert read_program(write_program(program), "m") == program
    assert var.extra != b""


def test_unknown_fields_of_a_removed_slot_are_dropped() -> None:
    slots = w.msg(1, w.text(1, "X"), w.text(2, "x"), NEW) + w.slot(1, "Y", "y")
    program = read_program(w.block(0, -1, w.op("t", slots=slots)), "m")
    del program.blocks[0].ops[0].inputs["X"]
    assert write_program(program) == w.block(0, -1, w.op("t", slots=w.slot(1, "Y", "y")))


def test_without_clears_fields_of_a_copy() -> None:
    message = OpDesc.FromString(w.text(3, "relu") + NEW)
    assert without(message, "type").SerializePartialToString() == NEW
    assert message.type == "relu"


def test_a_message_with_an_unknown_field_is_not_empty() -> None:
    assert is_empty(OpDesc())
    assert not is_empty(OpDesc.FromString(w.text(3, "relu")))
    message = OpDesc()
    message.ParseFromString(w.text(3, "relu") + NEW)
    assert not is_empty(without(message, "type"))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (w.block(0, -1, w.op("t", w.attr("a", 0, w.num(3, 1)))), False),
        (w.block(0, -1, w.op("t", w.attr("a", 0, w.num(3, 1), NEW))), True),
        (w.block(0, -1, w.var("v", code=77)), True),
    ],
    ids=["none", "in an attribute", "element type"],
)
def test_unknown_fields_are_found_at_any_level(data: bytes, expected: bool) -> None:
    assert has_unknown_fields(ProgramDesc.FromString(data)) is expected
