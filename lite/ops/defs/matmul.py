"""Matrix products and inverses."""

from __future__ import annotations

from lite.ir.types import Dim, Shape
from lite.ops.rules import apply, broadcast_right, total
from lite.ops.schema import floats, ints, op
from lite.ops.view import Meta, OpView

_FUSED = {f"fused_{what}_{slot}": ints() for what in ("reshape", "transpose") for slot in ("X", "Y", "Out")}


def _check_inner(op: OpView, first: Dim, second: Dim) -> None:
    if isinstance(first, int) and isinstance(second, int) and first != second:
        raise op.error("Y", f"{first} rows to multiply with the columns of X", second)


def _check_not_fused(op: OpView) -> None:
    for name in _FUSED:
        if op.integers(name):
            raise op.error(f"attribute {name}", "[] (this is oneDNN's fused form)", op.integers(name))


def _transposed(shape: Shape, flag: bool) -> Shape:
    return (*shape[:-2], shape[-1], shape[-2]) if flag else shape


def _product(op: OpView, x: Shape, y: Shape) -> Shape:
    _check_inner(op, x[-1], y[-2])
    return (*broadcast_right(op, x[:-2], y[:-2]), x[-2], y[-1])


def _matmul_v2(op: OpView) -> Meta:
    _check_not_fused(op)
    x, y = op["X"].dims, op["Y"].dims
    rows = (1, x[0]) if len(x) == 1 else _transposed(x, op.flag("trans_x"))
    columns = (y[0], 1) if len(y) == 1 else _transposed(y, op.flag("trans_y"))
    shape = _product(op, rows, columns)
    if len(y) == 1:
        shape = shape[:-1]
    if len(x) == 1:
        shape = (*shape[: len(shape) - (1 if len(y) == 1 else 2)], *(() if len(y) == 1 else shape[-1:]))
    return Meta(op["X"].dtype, shape)


def _matmul(op: OpView) -> Meta:
    _check_not_fused(op)
    if op.integer("head_number") != 1:
        raise op.error("attribute head_number", "1", op.integer("head_number"))
    x, y = op["X"].dims, op["Y"].dims
    rows = _transposed((1, *x) if len(x) == 1 else x, op.flag("transpose_X"))
    columns = _transposed((*y, 1) if len(y) == 1 else y, op.flag("transpose_Y"))
    shape = _product(op, rows, columns)
    if len(y) == 1 and not op.flag("transpose_Y"):
        shape = shape[:-1]
    if len(x) == 1 and not op.flag("transpose_X"):
        shape = (*shape[:-2], shape[-1]) if len(shape) > 1 else shape
    return Meta(op["X"].dtype, shape or (1,))


def _bmm(op: OpView) -> Meta:
    x, y = op["X"].dims, op["Y"].dims
    return Meta(op["X"].dtype, _product(op, x, y))


def _mul(op: OpView) -> Meta:
    x, y = op["X"].dims, op["Y"].dims
    rows, columns = op.integer("x_num_col_dims"), op.integer("y_num_col_dims")
    if not 0 < rows < len(x) or not 0 < columns < len(y):
        raise op.error("x_num_col_dims, y_num_col_dims", "axes inside X and Y", f"{rows}, {columns}")
    _check_inner(op, total(x[rows:]), total(y[:columns]))
    return Meta(op["X"].dtype, (*x[:rows], *y[columns:]))


def _fc(op: OpView) -> Meta:
    x, w = op["Input"], op["W"].dims
    rows = op.integer("in_num_col_dims")
    if not 0 < rows < x.rank:
        raise op.error("attribute in_num_col_dims", f"1 to {x.rank - 1}", rows)
    # Padded weights carry four more rows and columns.
    inner, outer = (apply(dim, lambda size: size - 4) for dim in w) if op.flag("padding_weights") else w
    _check_inner(op, total(x.dims[rows:]), inner)
    return Meta(x.dtype, (*x.dims[:rows], outer))


def _inverse(op: OpView) -> Meta:
    x = op["Input"]
    rows, columns = x.dims[-2:]
    if isinstance(rows, int) and isinstance(columns, int) and rows != columns:
        raise op.error("Input", "square matrices", x)
    return Meta(x.dtype, x.shape)


def _determinant(op: OpView) -> Meta:
    return Meta(op["Input"].dtype, _inverse(op).dims[:-2])


op("matmul_v2", "X/1- Y/1-", "Out", _matmul_v2, attrs={"trans_x": False, "trans_y": False, **_FUSED}, lod="X")
op(
    "matmul",
    "X/1- Y/1-",
    "Out",
    _matmul,
    attrs={"transpose_X": False, "transpose_Y": False, "alpha": 1.0, "head_number": 1, **_FUSED},
    lod="X",
)
op("bmm", "X/3 Y/3", "Out", _bmm, lod="X")
op("mul", "X/2- Y/2-", "Out", _mul, attrs={"x_num_col_dims": 1, "y_num_col_dims": 1}, lod="X")
# Alpha and prelu_mode are ours: a fused prelu, whose activation is then "prelu".
op(
    "fc",
    "Input/2- W/2 Bias? Alpha?",
    "Out",
    _fc,
    attrs={
        "in_num_col_dims": 1,
        "activation_type": "",
        "padding_weights": False,
        "activation": "",
        "activation_params": floats(),
        "prelu_mode": "all",
    },
    lod="Input",
)
op("inverse", "Input:float/2-", "Output", _inverse)
op("determinant", "Input:float/2-", "Out", _determinant)
