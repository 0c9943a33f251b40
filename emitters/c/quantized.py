"""Convolutions and products of integers, with the bits of the engine's own kernels."""

from __future__ import annotations

import math

import numpy as np

from lite.emitters.c.conv import filter_of, has_border, interface, output_steps
from lite.emitters.c.expression import INCLUDE, activation_fields, number
from lite.emitters.c.image import Image
from lite.emitters.c.panels import packed_quads, panel_fields
from lite.ir.types import Array, DType
from lite.ops.image_attributes import ConvAttributes
from lite.plugin.emitter import Emission, EmitOp, emitter


def _result(op: EmitOp) -> dict[str, str]:
    """The factor and the zero point of a result in bytes; 0 for floats."""
    scale = op.real("out_scale")
    if not scale:
        return {"factor": "0.0f", "zero_point": "0.0f"}
    factor = np.float32(1) / np.float32(scale)
    return {"factor": number(float(factor)), "zero_point": number(op.integer("out_zero_point"))}


def _sizes(fields: dict[str, int], result: dict[str, str]) -> str:
    text = ", ".join(f".{key} = {value}" for key, value in {**fields, **result}.items())
    return f"const lb_quantized_sizes s = {{{text}}};"


def _start(weights: Array, zero_point: int, vector: int) -> Array:
    """Minus the zero point times the sum of the weights of each of the last axis, padded."""
    sums = weights.reshape(-1, weights.shape[-1]).astype(np.int64).sum(axis=0)
    start = (-zero_point * sums).astype(np.int32)
    return np.pad(start, (0, -len(start) % vector))


def _vector(value: Array, count: int) -> Array:
    flat = value.reshape(-1).astype(np.float32)
    return np.repeat(flat, count) if flat.size == 1 else flat


@emitter("c", "quantized_conv2d", channels_last=True)
def quantized_conv2d(op: EmitOp, out: Emission) -> str | None:
    """Sums in int32, then the float steps in the order of the engine's kernels."""
    weights, scale = filter_of(op), op["Scale"].data
    if op.get("Table") is not None:
        return "a table of results is not supported"
    if isinstance(weights, str) or scale is None:
        return weights if isinstance(weights, str) else "the scale must be constant"
    x, y, attrs = Image.of(op["Input"]), Image.of(op.out()), op.read(ConvAttributes)
    if not op.in_nhwc and not attrs.is_channel_last:
        return "images must be in NHWC"
    down, right = attrs.windows((x.height, x.width), weights.shape[1:3])
    function = interface(op, out, y)
    zero, groups = op.integer("zero_point"), attrs.groups
    out.use(INCLUDE / "quantized.h")
    out.weights(_vector(scale, y.channels), "scale")
    result = _result(op)
    if groups == x.channels == y.channels and x.channels > 1:
        out.weights(np.ascontiguousarray(weights[..., 0].transpose(1, 2, 0)), "w")
        sizes = (
            *(x.images, x.height, x.width, x.channels, y.height, y.width, *weights.shape[1:3]),
            *(down.stride, right.stride, down.dilation, right.dilation, down.before, right.before, zero),
        )
        out.code(
            _sizes({}, result),
            f"lb_quantized_depthwise({', '.join(map(str, sizes))}, s, x, w, scale, e, {function}, y);",
        )
        return None
    per, c = y.channels // groups, x.channels
    rows = (y.height - 1) * down.stride + down.extent
    columns = (y.width - 1) * right.stride + right.extent
    border = has_border(x, down, right, rows, columns)
    width = columns if border else x.width
    source = "border" if border else f"x + {(-down.before * x.width - right.before) * c}"
    image = ""
    if border:
        out.scratch(rows * columns * c, "border", DType.UINT8)
        out.code(
            f"for (int n = 0; n < {x.images}; n++) {{\n"
            f"lb_byte_border(x + (ptrdiff_t)n * {x.height * x.width * c}, border, {x.height}, {x.width}, "
            f"{c}, {-down.before}, {-right.before}, {rows}, {columns}, {zero});"
        )
        image = f"(ptrdiff_t)n * {y.height * y.width * y.channels} + "
    merged = groups == 1 and right.dilation == 1
    kh, kw, depth = weights.shape[1:]
    for group in range(groups):
        part = weights[group * per : (group + 1) * per].transpose(1, 2, 3, 0)
        taps = part.reshape(kh, kw * depth, per) if merged else part.reshape(kh * kw, depth, per)
        out.weights(packed_quads(taps, out.vector), f"w{group}")
        out.weights(_start(part, zero, out.vector), f"start{group}")
        fields = {
            "images": 1 if border else x.images,
            "rows": y.height,
            "columns": y.width,
            "x_image": x.height * x.width * c,
            "x_row": down.stride * width * c,
            "x_column": right.stride * c,
            **output_steps(y, 1, 1),
            "kh": kh,
            "kw": 1 if merged else kw,
            "channels": kw * depth if merged else depth,
            "tap_row": down.dilation * width * c,
            "tap_column": right.dilation * c,
            "outputs": per,
            **panel_fields(taps.shape[0] * -(-taps.shape[1] // 4) * 4, per, out.vector),
        }
        at = f"{image}{group * per}"
        out.code(
            f"{{ {_sizes(fields, result)}",
            f"lb_quantized(s, {source} + {group * depth}, w{group}, start{group}, scale + {group * per}, "
            f"lb_shifted(e, {group * per}, {at}), {function}, y + ({at})); }}",
        )
    if border:
        out.code("}")
    return None


@emitter("c", "quantized_fc")
def quantized_fc(op: EmitOp, out: Emission) -> str | None:
    """Rows of bytes times int8 weights."""
    w, scale = op["W"].data, op["Scale"].data
    if w is None or scale is None:
        return "weights and scale must be constant"
    if op.get("Table") is not None:
        return "a table of results is not supported"
    x, y, zero = op["Input"], op.out(), op.integer("zero_point")
    rows, (count, columns) = math.prod(x.shape[: op.integer("in_num_col_dims")]), w.shape
    out.use(INCLUDE / "quantized.h")
    fields, function = activation_fields(op, out)
    out.read(x, "x")
    out.weights(_vector(scale, columns), "scale")
    out.weights(packed_quads(w[None], out.vector), "w")
    out.weights(_start(w, zero, out.vector), "start")
    parts = [fields]
    bias = op.get("Bias")
    if bias is not None:
        out.read(bias, "bias")
        parts.append(".bias = bias")
    out.write(y, "y")
    sizes = {
        "images": 1,
        "rows": 1,
        "columns": rows,
        "x_column": count,
        "y_column": columns,
        "kh": 1,
        "kw": 1,
        "channels": count,
        "outputs": columns,
        **panel_fields(-(-count // 4) * 4, columns, out.vector),
    }
    out.code(
        _sizes(sizes, _result(op)),
        f"const lb_epilogue e = {{{', '.join(parts)}}};",
        f"lb_quantized(s, x, w, start, scale, e, {function}, y);",
    )
    return None
