"""Variables in Paddle's format."""

import pytest

from lite.errors import ModelParseError
from lite.ir.program import Var, VarKind
from lite.ir.types import DType
from lite.model_parser.paddle.framework_pb2 import VarDesc
from lite.model_parser.paddle.variables import read_var, write_var
from tests.model_parser.paddle import wire as w

FIELDS = {8: 2, 25: 8, 26: 9, 27: 10, 30: 11, 31: 12}
"""Kind → the field of VarType with its TensorDesc, for kinds without a LoD level."""


def check(data: bytes, var: Var) -> None:
    """Reading `data` gives `var`, and writing `var` gives `data`."""
    message = VarDesc()
    message.ParseFromString(data)
    assert read_var(message, has_unknown=False) == var
    written = VarDesc()
    write_var(written, var)
    assert written.SerializeToString() == data


@pytest.mark.parametrize("dtype", [dtype for dtype in DType if dtype.in_paddle])
def test_every_element_type_is_read_and_written(dtype: DType) -> None:
    desc = w.msg(3, w.msg(1, w.tensor_desc(dtype.code, -1, 2**40)))
    check(w.text(1, "v") + w.msg(2, w.num(1, 7), desc), Var("v", dtype=dtype, shape=(-1, 2**40)))


@pytest.mark.parametrize("kind", [kind for kind in VarKind if kind not in FIELDS and kind not in (7, 13)])
def test_kinds_without_a_tensor_are_read_and_written(kind: VarKind) -> None:
    check(w.text(1, "v") + w.msg(2, w.num(1, kind)), Var("v", kind))


@pytest.mark.parametrize(("kind", "field"), FIELDS.items())
def test_kinds_with_a_tensor_are_read_and_written(kind: int, field: int) -> None:
    desc = w.msg(field, w.tensor_desc(3, 4))
    check(
        w.text(1, "v") + w.msg(2, w.num(1, kind), desc),
        Var("v", VarKind(kind), dtype=DType.INT64, shape=(4,)),
    )


@pytest.mark.parametrize(("kind", "field"), [(7, 3), (13, 4)])
@pytest.mark.parametrize("level", [None, 0, 2])
def test_kinds_with_a_lod_level_are_read_and_written(kind: int, field: int, level: int | None) -> None:
    desc = w.msg(field, w.msg(1, w.tensor_desc(5)), b"" if level is None else w.num(2, level))
    check(
        w.text(1, "v") + w.msg(2, w.num(1, kind), desc),
        Var("v", VarKind(kind), dtype=DType.FLOAT32, shape=(), lod_level=level),
    )


@pytest.mark.parametrize("value", [False, True])
def test_flags_are_read_and_written(value: bool) -> None:
    check(
        w.text(1, "v") + w.msg(2, w.num(1, 17)) + b"".join(w.num(field, value) for field in (3, 4, 5, 6)),
        Var("v", VarKind.RAW, None, None, None, value, value, value, value),
    )


def test_a_kind_that_is_an_element_type_is_refused() -> None:
    message = VarDesc()
    message.ParseFromString(w.text(1, "v") + w.msg(2, w.num(1, 5)))
    with pytest.raises(ModelParseError, match="the kind is not one of a variable; expected one of TENSOR, "):
        read_var(message, has_unknown=False)


def test_symbolic_and_unknown_dims_are_written_as_unknown() -> None:
    message = VarDesc()
    write_var(message, Var("v", dtype=DType.FLOAT32, shape=("n", "?", 3)))
    assert read_var(message, has_unknown=False).shape == (-1, -1, 3)


@pytest.mark.parametrize("kind", [VarKind.TENSOR, VarKind.TENSOR_ARRAY])
def test_an_unknown_rank_survives_unlike_a_scalar(kind: VarKind) -> None:
    for shape in (None, ()):
        message, again = VarDesc(), VarDesc()
        var = Var("v", kind, DType.INT8, shape, 0)
        write_var(message, var)

        loaded = read_var(message, has_unknown=False)
        write_var(again, loaded)

        assert loaded == var
        assert again == message


@pytest.mark.parametrize(
    ("var", "message"),
    [
        (Var("v", shape=(1,)), "it has a shape or LoD level but no element type; set its dtype"),
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
def test_a_variable_that_paddle_cannot_store_is_refused(var: Var, message: str) -> None:
    with pytest.raises(ModelParseError) as caught:
        write_var(VarDesc(), var)
    assert str(caught.value) == message


def test_an_element_type_that_paddle_lacks_is_refused() -> None:
    with pytest.raises(ModelParseError, match="Paddle has no element type int4"):
        write_var(VarDesc(), Var("v", dtype=DType.INT4, shape=(1,)))
