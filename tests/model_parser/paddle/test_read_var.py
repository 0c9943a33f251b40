import pytest

from lite.errors import ModelParseError
from lite.ir.program import Var, VarKind
from lite.ir.types import DType
from lite.model_parser.paddle.framework_pb2 import VarDesc
from lite.model_parser.paddle.read_var import read_var
from lite.model_parser.paddle.write_var import write_var
from tests.model_parser.paddle import wire as w

FIELDS = {8: 2, 25: 8, 26: 9, 27: 10, 30: 11, 31: 12}
"""VarType's field of each kind that has a plain TensorDesc."""


def check(data: bytes, var: Var) -> None:
    """`data` reads as `var`, and `var` writes as `data`."""
    message = VarDesc()
    message.ParseFromString(data)
    assert read_var(message, unknown=False) == var
    written = VarDesc()
    write_var(written, var)
    assert written.SerializeToString() == data


@pytest.mark.parametrize("dtype", [dtype for dtype in DType if dtype.in_paddle])
def test_every_element_type(dtype: DType) -> None:
    desc = w.msg(3, w.msg(1, w.tensor_desc(dtype.code, -1, 2**40)))
    check(w.text(1, "v") + w.msg(2, w.num(1, 7), desc), Var("v", dtype=dtype, shape=(-1, 2**40)))


@pytest.mark.parametrize("kind", [kind for kind in VarKind if kind not in FIELDS and kind not in (7, 13)])
def test_kinds_without_a_tensor(kind: VarKind) -> None:
    check(w.text(1, "v") + w.msg(2, w.num(1, kind)), Var("v", kind))


@pytest.mark.parametrize(("kind", "field"), FIELDS.items())
def test_kinds_with_a_tensor(kind: int, field: int) -> None:
    desc = w.msg(field, w.tensor_desc(3, 4))
    check(
        w.text(1, "v") + w.msg(2, w.num(1, kind), desc),
        Var("v", VarKind(kind), dtype=DType.INT64, shape=(4,)),
    )


@pytest.mark.parametrize(("kind", "field"), [(7, 3), (13, 4)])
@pytest.mark.parametrize("level", [None, 0, 2])
def test_kinds_with_a_lod_level(kind: int, field: int, level: int | None) -> None:
    desc = w.msg(field, w.msg(1, w.tensor_desc(5)), b"" if level is None else w.num(2, level))
    check(
        w.text(1, "v") + w.msg(2, w.num(1, kind), desc),
        Var("v", VarKind(kind), dtype=DType.FLOAT32, shape=(), lod_level=level),
    )


@pytest.mark.parametrize("value", [False, True])
def test_flags(value: bool) -> None:
    check(
        w.text(1, "v") + w.msg(2, w.num(1, 17)) + b"".join(w.num(field, value) for field in (3, 4, 5, 6)),
        Var("v", VarKind.RAW, None, None, None, value, value, value, value),
    )


def test_a_kind_that_variables_do_not_have() -> None:
    message = VarDesc()
    message.ParseFromString(w.text(1, "v") + w.msg(2, w.num(1, 5)))
    with pytest.raises(ModelParseError, match="its kind is not one that variables have; known: TENSOR, "):
        read_var(message, unknown=False)


def test_named_and_unknown_dims_are_written_as_unknown() -> None:
    message = VarDesc()
    write_var(message, Var("v", dtype=DType.FLOAT32, shape=("n", "?", 3)))
    assert read_var(message, unknown=False).shape == (-1, -1, 3)


@pytest.mark.parametrize(
    ("var", "said"),
    [
        (Var("v", shape=(1,)), "it has a shape or LoD level but no element type; set its dtype"),
        (
            Var("v", dtype=DType.INT8),
            "it has an element type but no shape; Paddle cannot say an unknown rank",
        ),
        (
            Var("v", VarKind.FEED, DType.INT8, (1,)),
            "a variable of kind FEED has no element type and no shape",
        ),
        (
            Var("v", VarKind.SELECTED_ROWS, DType.INT8, (1,), lod_level=1),
            "a variable of kind SELECTED_ROWS has no LoD level",
        ),
    ],
)
def test_what_paddle_cannot_say(var: Var, said: str) -> None:
    with pytest.raises(ModelParseError) as caught:
        write_var(VarDesc(), var)
    assert str(caught.value) == said


def test_an_element_type_that_paddle_lacks() -> None:
    with pytest.raises(ModelParseError, match="Paddle has no element type int4"):
        write_var(VarDesc(), Var("v", dtype=DType.INT4, shape=(1,)))
