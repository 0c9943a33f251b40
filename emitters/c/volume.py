"""Convolutions of volumes and of integers, and poolings of any number of axes, in NC….

Loops over the taps of a window; a tap outside of the image is left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lite.emitters.c.expression import INCLUDE, activated, number
from lite.emitters.c.loops import loops, strides_of
from lite.ir.types import DType
from lite.ops.image_attributes import FilterAttributes
from lite.ops.window import Window, onnx_windows, windows
from lite.plugin.emitter import Emission, EmitOp, emitter

_BYTES = (DType.INT8, DType.UINT8)


@emitter("c", "conv3d")
def conv3d(op: EmitOp, out: Emission) -> str | None:
    """Rows of the result are sums of rows of the volume, times one weight each."""
    x, w, y, bias = op["Input"], op["Filter"], op.out(), op.get("Bias")
    attrs = op.read(FilterAttributes)
    if x.dtype is not DType.FLOAT32 or w.dtype is not DType.FLOAT32:
        return f"inputs must be float32, got {x} and {w}"
    if op.text("data_format") not in ("NCDHW", "AnyLayout"):
        return f"volumes must be in NCDHW, got {op.text('data_format')}"
    over = attrs.windows(x.shape[2:], w.shape[2:])
    out.use(INCLUDE / "volume.h")
    out.read(x, "x")
    out.read(w, "w")
    if bias is not None:
        out.read(bias, "bias")
    out.write(y, "y")
    sizes = [", ".join(map(str, each)) for each in (x.shape[2:], y.shape[2:], w.shape[2:])]
    steps = [
        ", ".join(str(getattr(window, name)) for window in over) for name in ("stride", "before", "dilation")
    ]
    fields = [f"{{{each}}}" for each in (*sizes, *steps)]
    out.code(
        f"static const lb_volume s = {{{x.shape[0]}, {x.shape[1]}, {y.shape[1]}, {attrs.groups}, "
        f"{', '.join(fields)}}};",
        f"lb_conv3d(&s, x, w, {'0' if bias is None else 'bias'}, y);",
    )
    text = activated(op, "y[i]")
    if text != "y[i]":
        out.use(INCLUDE / "scalar.h")
        out.code(f"for (long i = 0; i < {math.prod(y.shape)}; ++i) y[i] = {text};")
    return None


@emitter("c", "conv_integer")
def conv_integer(op: EmitOp, out: Emission) -> str | None:
    """Sums of products of integers minus their zero points."""
    x, w, y = op["X"], op["Filter"], op.out()
    if x.dtype not in _BYTES or w.dtype not in _BYTES or y.dtype is not DType.INT32:
        return f"has no form from {x} and {w} to {y}"
    over = onnx_windows(
        x.shape[2:],
        w.shape[2:],
        op.integers("strides"),
        op.integers("dilations"),
        op.integers("pads"),
        op.text("auto_pad"),
    )
    out.read(x, "x")
    out.read(w, "w")
    zeros = []
    for slot, name, at in (("XZeroPoint", "zx", "c"), ("FilterZeroPoint", "zw", "i1")):
        zero = op.get(slot)
        zeros.append("0" if zero is None else f"{name}[{at if zero.size > 1 else 0}]")
        if zero is not None:
            out.read(zero, name)
    out.write(y, "y")
    group = op.integer("group")
    inputs, outputs = x.shape[1] // group, y.shape[1] // group
    body = ["int32_t total = 0;", f"for (ptrdiff_t k = 0; k < {inputs}; k++) {{"]
    body.append(f"const ptrdiff_t c = i1 / {outputs} * {inputs} + k; (void)c;")
    lines, x_at, w_at = _taps(over, x.shape[2:], w.shape[2:])
    body += lines
    body.append(
        f"total += ((int32_t)x[(i0 * {x.shape[1]} + c) * {math.prod(x.shape[2:])} + {x_at}] - {zeros[0]}) * "
        f"((int32_t)w[(i1 * {inputs} + k) * {math.prod(w.shape[2:])} + {w_at}] - {zeros[1]});"
    )
    body.append("}" * len(over) + "}")
    body.append(f"y[{_at(y.shape)}] = total;")
    out.code(*loops(y.shape, body))
    return None


def _taps(over: Sequence[Window], image: Sequence[int], kernel: Sequence[int]) -> tuple[list[str], str, str]:
    """Loops over the taps j0, j1, … inside of the image, for the output at i2, i3, …; the indices there."""
    lines = []
    for n, window in enumerate(over):
        at = f"i{n + 2} * {window.stride} - {window.before} + j{n} * {window.dilation}"
        lines += [
            f"for (ptrdiff_t j{n} = 0; j{n} < {window.kernel}; j{n}++) {{",
            f"const ptrdiff_t p{n} = {at};",
            f"if (p{n} < 0 || p{n} >= {image[n]}) continue;",
        ]
    x_at, w_at = (
        " + ".join(f"{name}{n} * {stride}" for n, stride in enumerate(strides_of(sizes)))
        for name, sizes in (("p", image), ("j", kernel))
    )
    return lines, f"({x_at})", f"({w_at})"


def _at(shape: Sequence[int]) -> str:
    return " + ".join(f"i{n} * {stride}" for n, stride in enumerate(strides_of(shape)))


@emitter("c", "pool_nd")
def pool_nd(op: EmitOp, out: Emission) -> str | None:
    """Maxima with their positions, averages, or lengths of windows."""
    x, y, kind = op["X"], op.out("Out"), op.text("pooling_type")
    if x.dtype is not DType.FLOAT32:
        return f"X must be float32, got {x}"
    image = x.shape[2:]
    sizes, strides, dilations, paddings = (
        op.integers(name) for name in ("ksize", "strides", "dilations", "paddings")
    )
    over = windows(image, sizes, strides, dilations, paddings, op.text("padding_algorithm"))
    out.read(x, "x")
    out.write(y, "y")
    lines, at, _ = _taps(over, image, [window.kernel for window in over])
    close = "}" * len(over)
    plane = f"(i0 * {x.shape[1]} + i1) * {math.prod(image)}"
    if kind == "max":
        body = ["float best = -INFINITY;", "int64_t place = -1;", *lines]
        body.append(f"const float v = x[{plane} + {at}];")
        order = list(reversed(strides_of(image[::-1]))) if op.flag("column_major") else strides_of(image)
        place = " + ".join(f"p{n} * {stride}" for n, stride in enumerate(order))
        body += [f"if (place < 0 || v > best) {{ best = v; place = {place}; }}", close]
        body.append(f"y[{_at(y.shape)}] = best;")
        if not op.unused("Indices"):
            out.write(op.out("Indices"), "places")
            body.append(f"places[{_at(y.shape)}] = place + {plane};")
        else:
            body.append("(void)place;")
    elif kind == "lp":
        norm = op.integer("norm")
        step = f"total += powf(fabsf(x[{plane} + {at}]), {number(norm)});"
        root = f"powf(total, {number(1)} / {number(norm)})"
        body = ["float total = 0.0f;", *lines, step, close, f"y[{_at(y.shape)}] = {root};"]
    else:
        body = ["float total = 0.0f;", *lines, f"total += x[{plane} + {at}];", close]
        factors = []
        for n, (window, size) in enumerate(zip(over, image, strict=True)):
            low, high = (0, size) if op.flag("exclusive") else (-window.before, size + window.after)
            starts = [i * window.stride - window.before for i in range(y.shape[n + 2])]
            counts = [
                sum(low <= start + j * window.dilation < high for j in range(window.kernel))
                for start in starts
            ]
            out.weights(np.array(counts, np.float32), f"count{n}")
            factors.append(f"count{n}[i{n + 2}]")
        body.append(f"y[{_at(y.shape)}] = total / ({' * '.join(factors)});")
    out.code(*loops(y.shape, body))
    return None


@emitter("c", "max_pool2d_with_index")
def max_pool2d_with_index(op: EmitOp, out: Emission) -> str | None:
    """Maxima of windows or bins, and their positions in the image."""
    x, y = op["X"], op.out("Out")
    if x.dtype is not DType.FLOAT32:
        return f"X must be float32, got {x}"
    image = x.shape[2:]
    ranges = []
    if op.flag("global_pooling"):
        ranges = [[(0, size)] for size in image]
    elif op.flag("adaptive"):
        counts = y.shape[2:]
        ranges = [
            [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]
            for size, count in zip(image, counts, strict=True)
        ]
    else:
        over = windows(
            image, op.integers("ksize"), op.integers("strides"), [1, 1], op.integers("paddings"), "EXPLICIT"
        )
        for window, size, count in zip(over, image, y.shape[2:], strict=True):
            starts = [i * window.stride - window.before for i in range(count)]
            ranges.append([(max(start, 0), min(start + window.kernel, size)) for start in starts])
    out.read(x, "x")
    for n, each in enumerate(ranges):
        out.weights(np.array(each, np.int32), f"range{n}")
    out.write(y, "y")
    body = ["float best = -INFINITY;", "int32_t place = -1;"]
    for n, letter in enumerate("ij"):
        first = f"range{n}[i{n + 2} * 2]"
        body.append(f"for (int {letter} = {first}; {letter} < range{n}[i{n + 2} * 2 + 1]; {letter}++)")
    plane = f"(i0 * {x.shape[1]} + i1) * {math.prod(image)}"
    body += [
        f"{{ const float v = x[{plane} + i * {image[1]} + j];",
        f"if (place < 0 || v > best) {{ best = v; place = i * {image[1]} + j; }} }}",
        f"y[{_at(y.shape)}] = best;",
    ]
    if op.unused("Mask"):
        body.append("(void)place;")
    else:
        out.write(op.out("Mask"), "mask")
        body.append(f"mask[{_at(y.shape)}] = place;")
    out.code(*loops(y.shape, body))
    return None
