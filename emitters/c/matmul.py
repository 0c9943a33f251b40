"""Matrix products: fc, mul, matmul and bmm."""

from __future__ import annotations

import math

import numpy as np

from lite.emitters.c.doubles import product as product_of_doubles
from lite.emitters.c.expression import INCLUDE, activation_fields, number
from lite.emitters.c.loops import broadcast_strides, loops, merged
from lite.emitters.c.panels import PANEL, packed, panel_fields
from lite.ir.types import Array, DType
from lite.plugin.emitter import Emission, EmitOp, EmitValue, emitter


def _fields(rows: int, count: int, columns: int, x_column: int, step: int) -> dict[str, int]:
    return {
        "images": 1,
        "rows": 1,
        "columns": rows,
        "x_column": x_column,
        "y_column": columns,
        "kh": 1,
        "kw": 1,
        "channels": count,
        "step": step,
        "outputs": columns,
    }


def _sizes(fields: dict[str, int]) -> str:
    return (
        "const lb_conv_sizes s = {" + ", ".join(f".{key} = {value}" for key, value in fields.items()) + "};"
    )


@emitter("c", "fc", "mul")
def fc(op: EmitOp, out: Emission) -> str | None:
    """Rows times constant weights, with bias and activation in registers."""
    is_fc = op.op == "fc"
    x, w, y = op["Input" if is_fc else "X"], op["W" if is_fc else "Y"], op.out()
    doubles = x.dtype is w.dtype is DType.FLOAT64
    if not doubles and (x.dtype is not DType.FLOAT32 or w.dtype is not DType.FLOAT32):
        return f"inputs must be float32, got {x} and {w}"
    columns_from = 1 if is_fc else op.integer("y_num_col_dims")
    rows_to = op.integer("in_num_col_dims" if is_fc else "x_num_col_dims")
    rows, count = math.prod(x.shape[:rows_to]), math.prod(x.shape[rows_to:])
    columns = math.prod(w.shape[columns_from:])
    if doubles:
        if is_fc and (op.text("activation") or op.flag("padding_weights")):
            return "float64 with an activation is not supported"
        bias = op.get("Bias") if is_fc else None
        product_of_doubles(out, x, w, y, (rows, count, columns), (count, 1), (columns, 1), bias=bias)
        return None
    if w.data is None:
        if is_fc and (op.get("Bias") is not None or op.text("activation")):
            return "a bias or an activation with computed weights is not supported"
        _product(out, x, w, y, (rows, count, columns), (count, 1), (columns, 1))
        return None
    matrix = w.data.reshape(math.prod(w.shape[:columns_from]), columns)
    if is_fc and op.flag("padding_weights"):
        matrix = matrix[:-4, :-4]
        columns = matrix.shape[1]
    _dense(op, out, x, y, matrix, rows)
    return None


def _dense(op: EmitOp, out: Emission, x: EmitValue, y: EmitValue, matrix: Array, rows: int) -> None:
    count, columns = matrix.shape
    out.use(INCLUDE / "epilogue.h")
    out.use(INCLUDE / "conv.h")
    out.read(x, "x")
    out.weights(packed(matrix, out.vector), "w")
    is_fc = op.op == "fc"
    parts, function = [".activation = LB_IDENTITY"], "0"
    prelu = is_fc and op.text("activation") == "prelu"
    if is_fc and not prelu:
        fields, function = activation_fields(op, out)
        parts = [fields]
    bias = op.get("Bias") if is_fc else None
    if bias is not None:
        out.read(bias, "bias")
        parts.append(".bias = bias")
    out.write(y, "y")
    out.code(_sizes({**_fields(rows, count, columns, count, 1), **panel_fields(count, columns, out.vector)}))
    out.code(f"const lb_epilogue e = {{{', '.join(parts)}}};", f"lb_conv(s, x, w, e, {function}, y);")
    if prelu:
        alpha = op["Alpha"]
        out.read(alpha, "alpha")
        at = "i1" if alpha.size == columns else "0"
        out.code(
            *loops(
                [rows, columns], [f"float *v = y + i0 * {columns} + i1; if (*v < 0.0f) *v *= alpha[{at}];"]
            )
        )


def rows_times_matrix(
    out: Emission, matrix: Array, rows: int, between_rows: int, batch: int, between_batches: int
) -> None:
    """Rows of the parameter x, which may overlap, times a constant matrix, to the rows of y."""
    count, columns = matrix.shape
    out.use(INCLUDE / "epilogue.h")
    out.use(INCLUDE / "conv.h")
    out.weights(packed(matrix, out.vector), "w")
    fields = {**_fields(rows, count, columns, between_rows, 1), **panel_fields(count, columns, out.vector)}
    call = f"lb_conv(s, x + i0 * {between_batches}, w, e, 0, y + i0 * {rows * columns});"
    out.code(_sizes(fields), "const lb_epilogue e = {.activation = LB_IDENTITY};", *loops([batch], [call]))


def _product(
    out: Emission,
    x: EmitValue,
    w: EmitValue,
    y: EmitValue,
    sizes: tuple[int, int, int],
    x_steps: tuple[int, int],
    w_steps: tuple[int, int],
    scale: float = 1.0,
) -> None:
    """Products of matrices; leading axes number them, and steps are between rows and between columns."""
    rows, count, columns = sizes
    batch = y.shape[:-2] if y.rank > 2 and y.size == math.prod(y.shape[:-2]) * rows * columns else ()
    lead = [
        [stride * size for stride in broadcast_strides(value.shape[:-2] if batch else (), batch)]
        for value, size in ((x, rows * count), (w, count * columns), (y, rows * columns))
    ]
    loop, strides = merged(batch, lead)
    at = [" + ".join(f"i{n} * {s}" for n, s in enumerate(each) if s) or "0" for each in strides]
    out.use(INCLUDE / "epilogue.h")
    out.use(INCLUDE / "conv.h")
    out.read(x, "x")
    out.read(w, "w")
    out.write(y, "y")
    body = [f"const float *b = w + {at[1]};"]
    if w_steps[1] != 1:
        out.scratch(count * columns, "transposed")
        body += [
            f"for (int k = 0; k < {count}; k++) for (int j = 0; j < {columns}; j++)",
            f"transposed[k * {columns} + j] = b[k * {w_steps[0]} + j * {w_steps[1]}];",
            "b = transposed;",
        ]
    width = min(PANEL, columns)
    fields = {
        **_fields(rows, count, columns, *x_steps),
        "panel": width,
        "w_panel": width,
        "w_step": columns,
        "w_last": columns,
        "exact": 1,
    }
    factor = number(scale)
    epilogue = (
        f".activation = LB_CLAMP, .slope = 1.0f, .low = -INFINITY, .high = INFINITY, .factor = {factor}"
        if scale != 1.0
        else ".activation = LB_IDENTITY"
    )
    body += [
        _sizes(fields),
        f"const lb_epilogue e = {{{epilogue}}};",
        f"lb_conv(s, x + {at[0]}, b, e, 0, y + {at[2]});",
    ]
    out.code(*loops(loop, body))


@emitter("c", "matmul_v2", "matmul", "bmm")
def matmul(op: EmitOp, out: Emission) -> str | None:
    """Batches of products; a transposed second operand is copied first, one matrix at a time."""
    x, w, y = op["X"], op["Y"], op.out()
    doubles = x.dtype is w.dtype is DType.FLOAT64
    if not doubles and (x.dtype is not DType.FLOAT32 or w.dtype is not DType.FLOAT32):
        return f"inputs must be float32, got {x} and {w}"
    product = product_of_doubles if doubles else _product
    flags = {"matmul_v2": ("trans_x", "trans_y"), "matmul": ("transpose_X", "transpose_Y"), "bmm": ()}[op.op]
    transposed_x, transposed_y = (op.flag(name) for name in flags) if flags else (False, False)
    if x.rank < 2 or w.rank < 2:
        count = x.shape[-1] if x.rank == 1 else w.shape[0]
        if x.rank <= 2 and w.rank <= 2 and not transposed_x and not transposed_y:
            rows = 1 if x.rank == 1 else x.shape[0]
            columns = 1 if w.rank == 1 else w.shape[1]
            scale = op.real("alpha") if op.op == "matmul" else 1.0
            product(out, x, w, y, (rows, count, columns), (count, 1), (columns, 1), scale)
            return None
        return f"products of vectors and batches are not supported: {x} and {w}"
    rows, count = (x.shape[-1], x.shape[-2]) if transposed_x else x.shape[-2:]
    columns = w.shape[-2] if transposed_y else w.shape[-1]
    x_steps = (1, rows) if transposed_x else (count, 1)
    w_steps = (1, count) if transposed_y else (columns, 1)
    scale = op.real("alpha") if op.op == "matmul" else 1.0
    if w.rank == 2 and x.rank > 2 and not transposed_x:
        rows *= math.prod(x.shape[:-2])
        if w.data is not None and scale == 1.0 and not doubles:
            matrix = w.data.T if transposed_y else w.data
            _dense(op, out, x, y, np.ascontiguousarray(matrix), rows)
            return None
        product(out, x, w, y, (rows, count, columns), x_steps, w_steps, scale)
        return None
    product(out, x, w, y, (rows, count, columns), x_steps, w_steps, scale)
    return None
