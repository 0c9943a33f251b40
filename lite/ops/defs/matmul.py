"""Matrix products, inverses, einsum and cosine similarity."""

from __future__ import annotations

from collections.abc import Sequence

from lite.ir.program import AttrType
from lite.ir.types import UNKNOWN, Dim, DType, Shape
from lite.ops.attrs import floats, ints, number, required
from lite.ops.broadcast import broadcast_right
from lite.ops.einsum_terms import terms
from lite.ops.fused_activation import renamed_activation
from lite.ops.rules import apply, total
from lite.ops.schema import op
from lite.ops.view import Meta, OpView, product

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


op(
    "matmul_v2",
    "Matrix product; leading axes broadcast.",
    "X/1- Y/1-",
    "Out",
    _matmul_v2,
    attrs={"trans_x": False, "trans_y": False, **_FUSED},
    lod="X",
)
op(
    "matmul",
    "alpha · X · Y; leading axes broadcast.",
    "X/1- Y/1-",
    "Out",
    _matmul,
    attrs={"transpose_X": False, "transpose_Y": False, "alpha": 1.0, "head_number": 1, **_FUSED},
    lod="X",
)
op("bmm", "Matrix products of two batches.", "X/3 Y/3", "Out", _bmm, lod="X")
op(
    "mul",
    "Matrix product of X and Y flattened to matrices.",
    "X/2- Y/2-",
    "Out",
    _mul,
    attrs={"x_num_col_dims": 1, "y_num_col_dims": 1},
    lod="X",
)
# Alpha and prelu_mode are litebridge's own: a fused prelu; activation is "prelu" then.
op(
    "fc",
    "activation(Input · W + Bias), the leading axes of Input flattened to rows.",
    "Input/2- W/2 Bias? Alpha?",
    "Out",
    _fc,
    attrs={
        "in_num_col_dims": 1,
        "padding_weights": False,
        "activation": "",
        "activation_params": floats(),
        "prelu_mode": "all",
    },
    lod="Input",
    respell=renamed_activation,
)


# With an out_scale, the result y is round(y / out_scale) + out_zero_point of type uint8, looked up in Table.
def _quantized_fc(op: OpView) -> Meta:
    x, w = op["Input"], op["W"].dims
    rows = op.integer("in_num_col_dims")
    if not 0 < rows < x.rank:
        raise op.error("attribute in_num_col_dims", f"1 to {x.rank - 1}", rows)
    _check_inner(op, total(x.dims[rows:]), w[0])
    return Meta(DType.UINT8 if op.real("out_scale") else DType.FLOAT32, (*x.dims[:rows], w[1]))


op(
    "quantized_fc",
    "fc of integers: the sums of (Input - zero_point) · W, times Scale.",
    "Input:uint8/2- W:int8/2 Scale:float32 Bias?:float32 Table?:uint8/1",
    "Out",
    _quantized_fc,
    attrs={
        "in_num_col_dims": 1,
        "activation": "",
        "activation_params": floats(),
        "zero_point": number(0, 0, 255),
        "out_scale": 0.0,
        "out_zero_point": number(0, 0, 255),
    },
    lod="Input",
)


# Zero points are one number, or one for each row of X (`[M]` or `[…, M, 1]`) and for each column of Y.
# The sums are int32.  With Scale, one number or one for each column, the result is
# y = sums · Scale + Bias in float32; with an out_scale, too, uint8 round(y / out_scale) + out_zero_point.
def _integer_matmul(op: OpView) -> Meta:
    x, y = op["X"].dims, op["Y"].dims
    columns = (y[0], 1) if len(y) == 1 else y
    shape = _product(op, (1, *x) if len(x) == 1 else x, columns)
    for slot, axis in (("XZeroPoint", -2), ("YZeroPoint", -1)):
        zero = op.get(slot)
        count = None if zero is None or zero.shape is None else product(zero.shape)
        size = shape[axis]
        if zero is None or count in (None, 1, size) or len(zero.dims) != 1 or not isinstance(size, int):
            continue
        raise op.error(f"slot {slot}", f"1 number, or {size}", zero)
    for vector, axis in ((y, -1), (x, -2 if len(y) > 1 else -1)):
        if len(vector) == 1:
            shape = (*shape[: len(shape) + axis], *shape[len(shape) + axis + 1 :])
    for slot in ("Scale", "Bias"):
        numbers = op.get(slot)
        count = None if numbers is None or numbers.shape is None else product(numbers.shape)
        if numbers is not None and count not in (None, 1, shape[-1]) and isinstance(shape[-1], int):
            raise op.error(f"slot {slot}", f"1 number, or {shape[-1]}, one for each column", numbers)
    if op.get("Scale") is None:
        return Meta(DType.INT32, shape)
    return Meta(DType.UINT8 if op.real("out_scale") else DType.FLOAT32, shape)


op(
    "integer_matmul",
    "Matrix product of integers less their zero points, after ONNX MatMulInteger.",
    "X:int8|uint8/1- Y:int8|uint8/1- XZeroPoint?:int8|uint8 YZeroPoint?:int8|uint8 "
    "Scale?:float32 Bias?:float32",
    "Out",
    _integer_matmul,
    attrs={"out_scale": 0.0, "out_zero_point": number(0, 0, 255)},
    lod="X",
)


# Scale and ZeroPoint have one number for each column of W, or a row of them for each block of its rows.
# uint8 holds the numbers of two rows, 4 bits each, the first one in the low bits.
def _stored_fc(op: OpView) -> Meta:
    x, w, scale = op["Input"], op["W"].dims, op.get("Scale")
    rows = op.integer("in_num_col_dims")
    if not 0 < rows < x.rank:
        raise op.error("attribute in_num_col_dims", f"1 to {x.rank - 1}", rows)
    depth, stored = total(x.dims[rows:]), w[0]
    if op["W"].dtype is DType.UINT8 and isinstance(depth, int):
        depth = -(-depth // 2)
    _check_inner(op, depth, stored)
    if scale is not None and scale.shape is not None and scale.dims[-1] not in (w[1], UNKNOWN):
        raise op.error("slot Scale", f"{w[1]} numbers, one for each column of W", scale)
    return Meta(DType.FLOAT32, (*x.dims[:rows], w[1]))


op(
    "stored_fc",
    "fc of float32 with weights (W - ZeroPoint) · Scale of a smaller type. litebridge's own.",
    "Input:float32/2- W:float16|bfloat16|int8|uint8/2 Scale?:float32 ZeroPoint?:float32 Bias?:float32",
    "Out",
    _stored_fc,
    attrs={"in_num_col_dims": 1, "activation": "", "activation_params": floats()},
    lod="Input",
)
op("inverse", "Inverse of square matrices.", "Input:float/2-", "Output", _inverse)
op("determinant", "Determinant of square matrices.", "Input:float/2-", "Out", _determinant)


def _einsum(op: OpView) -> Meta:
    metas = op.all("Operands")
    operands, result = terms(op.text("equation"))
    if len(operands) != len(metas):
        raise op.error("attribute equation", f"{len(metas)} operands", op.text("equation"))
    sizes: dict[str, Dim] = {}
    rest: Shape = ()
    for letters, meta in zip(operands, metas, strict=True):
        dims = _named(op, letters, meta)
        for letter, dim in zip(letters.replace(".", ""), dims[0], strict=True):
            known = sizes.get(letter, 1)
            if isinstance(known, int) and isinstance(dim, int) and known != dim and 1 not in (known, dim):
                raise op.error(f"axis {letter}", f"size {known} in every operand", meta)
            sizes[letter] = dim if known == 1 or not isinstance(known, int) else known
        rest = broadcast_right(op, rest, dims[1])
    shape: list[Dim] = []
    for letter in result:
        shape += rest if letter == "." else [sizes[letter]]
    return Meta(metas[0].dtype, tuple(shape))


def _named(op: OpView, letters: str, meta: Meta) -> tuple[Sequence[Dim], Shape]:
    """The sizes of the named axes in the order of the letters, and the sizes of the ellipsis."""
    before, dots, after = letters.partition(".")
    free = meta.rank - len(before) - len(after)
    if free < 0 or (free and not dots):
        raise op.error("slot Operands", f"{len(before) + len(after)} axes for {letters!r}", meta)
    named = (*meta.dims[: len(before)], *meta.dims[meta.rank - len(after) :])
    return named, meta.dims[len(before) : len(before) + free]


op(
    "einsum",
    "Sum of products of tensors by the names of their axes.",
    "Operands*:number",
    "Out",
    _einsum,
    attrs={"equation": required(AttrType.STRING)},
)


def _cos_sim(op: OpView) -> dict[str, Meta]:
    x, y = op["X"], op["Y"]
    rows, others = x.dims[0], y.dims[0]
    if isinstance(others, int) and isinstance(rows, int) and others not in (1, rows):
        raise op.error("Y", f"1 row or as many as X, {rows}", others)
    return {
        "Out": Meta(x.dtype, (rows, 1)),
        "XNorm": Meta(x.dtype, (rows, 1)),
        "YNorm": Meta(y.dtype, (others, 1)),
    }


op(
    "cos_sim",
    "Cosine similarity of the rows of X and Y.",
    "X:float/2- Y:float/2-",
    "Out XNorm? YNorm?",
    _cos_sim,
    lod="X",
)
