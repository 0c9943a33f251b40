"""Programs that lack a required field."""

import pytest

from lite.errors import ModelParseError
from lite.model_parser.paddle.framework_pb2 import ProgramDesc
from lite.model_parser.paddle.required_fields import check_required
from tests.model_parser.paddle import wire as w


def parsed(data: bytes) -> ProgramDesc:
    message = ProgramDesc()
    message.ParseFromString(data)
    return message


@pytest.mark.parametrize(
    ("data", "where", "field"),
    [
        (w.msg(1, w.num(2, 0)), "m: block 0:", "idx"),
        (w.block(0, -1) + w.msg(1, w.num(1, 1)), "m: block 1:", "parent_idx"),
        (w.block(0, -1, w.op("a"), w.msg(4, w.num(5, 1))), "m: block 0, op 1 (no type):", "type"),
        (w.block(0, -1, w.op("a", w.msg(4, w.num(2, 0)))), "m: block 0, op 0 (a):", "attrs[0].name"),
        (w.block(0, -1, w.op("a", w.msg(4, w.text(1, "k")))), "m: block 0, op 0 (a):", "attrs[0].type"),
        (w.block(0, -1, w.op("a", slots=w.msg(1))), "m: block 0, op 0 (a):", "inputs[0].parameter"),
        (w.block(0, -1, w.msg(3, w.msg(2, w.num(1, 7)))), "m: block 0, variable 0 (''):", "name"),
        (w.block(0, -1, w.msg(3, w.text(1, "v"))), "m: block 0, variable 0 ('v'):", "type"),
        (
            w.block(0, -1, w.msg(3, w.text(1, "v"), w.msg(2, w.num(1, 7), w.msg(3, w.msg(1))))),
            "m: block 0, variable 0 ('v'):",
            "type.lod_tensor.tensor.data_type",
        ),
        (w.block(0, -1) + w.msg(5, w.msg(1, w.text(1, "a"))), "m: op_version_map:", "pair[0].op_version"),
    ],
)
def test_the_message_names_the_op_or_variable_and_the_field(data: bytes, where: str, field: str) -> None:
    with pytest.raises(ModelParseError) as caught:
        check_required(parsed(data), "m")
    text = str(caught.value)
    assert text.startswith(where)
    assert f"missing required fields: {field};" in text


def test_an_unknown_kind_of_variable_is_refused() -> None:
    data = w.block(0, -1, w.msg(3, w.text(1, "v"), w.msg(2, w.num(1, 99))))
    with pytest.raises(ModelParseError) as caught:
        check_required(parsed(data), "m")
    assert str(caught.value) == (
        "m: block 0, variable 0 ('v'): its kind is a number that this version of litebridge does not know"
    )


@pytest.mark.parametrize(
    "data",
    [
        w.block(0, -1),
        w.block(0, -1, w.op("a", w.msg(4, w.text(1, "k"), w.num(2, 99)))),
        w.block(0, -1, w.var("v", code=99)),
    ],
)
def test_a_complete_program_and_unknown_types_are_accepted(data: bytes) -> None:
    check_required(parsed(data), "m")
