"""Diagonals and triangles of matrices: reading, writing and making them."""

from __future__ import annotations

from lite.errors import GraphError
from lite.ir.types import UNKNOWN, Dim, DType
from lite.ops.attrs import number
from lite.ops.rules import apply, checked_axis, same_as
from lite.ops.schema import op
from lite.ops.view import Meta, OpView


def _plane(op: OpView, x: Meta, names: tuple[str, str]) -> tuple[int, int]:
    """The two axes of the matrices."""
    first, second = (checked_axis(op, x, op.integer(name), f"attribute {name}") for name in names)
    if first == second:
        raise op.error(f"attribute {names[1]}", f"another axis than {names[0]}", second)
    return first, second


def _length(rows: Dim, columns: Dim, offset: int) -> Dim:
    if not isinstance(rows, int) or not isinstance(columns, int):
        return UNKNOWN
    return max(min(rows - max(-offset, 0), columns - max(offset, 0)), 0)


def _rest(op: OpView) -> tuple[list[Dim], Dim]:
    """The other axes of Input, and the length of the diagonal."""
    x = op["Input"]
    first, second = _plane(op, x, ("axis1", "axis2"))
    rest = [dim for axis, dim in enumerate(x.dims) if axis not in (first, second)]
    return rest, _length(x.dims[first], x.dims[second], op.integer("offset"))


def _diagonal(op: OpView) -> Meta:
    rest, length = _rest(op)
    return Meta(op["Input"].dtype, (*rest, length))


def _trace(op: OpView) -> Meta:
    x = op["Input"]
    return Meta(x.dtype, tuple(_rest(op)[0]))


def _diag(op: OpView) -> Meta:
    x, offset = op["X"], op.integer("offset")
    if x.rank == 2:
        return Meta(x.dtype, (_length(x.dims[0], x.dims[1], offset),))
    size = apply(x.dims[0] if x.rank else 1, lambda n: n + abs(offset))
    return Meta(x.dtype, (size, size))


def _diag_embed(op: OpView) -> Meta:
    x, offset = op["Input"], op.integer("offset")
    size = apply(x.dims[-1], lambda n: n + abs(offset))
    rank = x.rank + 1
    axes = sorted(op.integer(name) % rank for name in ("dim1", "dim2"))
    dims = list(x.dims[:-1])
    for axis in axes:
        dims.insert(axis, size)
    if len(dims) != rank or axes[0] == axes[1]:
        raise GraphError(f"{op.op}: attributes dim1, dim2: expected two axes of rank {rank}, got {axes}")
    return Meta(x.dtype, tuple(dims))


def _eye(op: OpView) -> Meta:
    rows, columns = op.integer("num_rows"), op.integer("num_columns")
    return Meta(op.dtype("dtype", DType.FLOAT32), (rows, rows if columns < 0 else columns))


def _triangle(op: OpView) -> Meta:
    return Meta(op.dtype("dtype", DType.INT64), (2, UNKNOWN))


_SIZE = number(0, 0, 1 << 24)
_PLANE = {"offset": 0, "axis1": 0, "axis2": 1}

op("diagonal", "The diagonal of matrices on two axes.", "Input/2-", "Out", _diagonal, attrs=_PLANE)
op("trace", "The sum of the diagonal of matrices on two axes.", "Input/2-", "Out", _trace, attrs=_PLANE)
op(
    "diag_v2",
    "A matrix with X as diagonal, or the diagonal of the matrix X.",
    "X/0-2",
    "Out",
    _diag,
    attrs={"offset": 0, "padding_value": 0.0},
)
op(
    "diag_embed",
    "Matrices on two axes whose diagonals are the last axis of Input.",
    "Input/1-",
    "Out",
    _diag_embed,
    attrs={"offset": 0, "dim1": -2, "dim2": -1},
)
op(
    "eye",
    "Ones on the main diagonal, zeros elsewhere.",
    "",
    "Out",
    _eye,
    attrs={"num_rows": _SIZE, "num_columns": -1, "dtype": 5},
)
op(
    "tril_indices",
    "Rows and columns of the elements of a lower triangle.",
    "",
    "out",
    _triangle,
    attrs={"rows": _SIZE, "cols": _SIZE, "offset": 0, "dtype": 3},
)
op(
    "triu_indices",
    "Rows and columns of the elements of an upper triangle.",
    "",
    "out",
    _triangle,
    attrs={"row": _SIZE, "col": _SIZE, "offset": 0, "dtype": 3},
)
op(
    "fill_diagonal",
    "X with a value on a diagonal; `wrap` begins it again below a tall matrix.",
    "X/2-",
    "Out",
    same_as("X"),
    attrs={"value": 0.0, "offset": 0, "wrap": False},
)
op(
    "fill_diagonal_tensor",
    "X with the diagonals of matrices on two axes replaced by Y.",
    "X/2- Y",
    "Out",
    same_as("X"),
    attrs={"offset": 0, "dim1": 0, "dim2": 1},
)
