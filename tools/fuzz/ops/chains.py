"""Chains that fusions and layout passes look for, complete and almost complete."""

from __future__ import annotations

import numpy as np

from lite.tools.fuzz.draw import Draw, Value, row
from lite.tools.fuzz.evaluate import Rejected
from lite.tools.fuzz.ops.elementwise import broadcastable
from lite.tools.fuzz.ops.matmul import gemm, matmul
from lite.tools.fuzz.ops.norm import batch_norm_of
from lite.tools.fuzz.ops.shape import with_axes
from lite.tools.fuzz.ops.windows import conv, image, pool

_AFTER = (
    "Relu",
    "Sigmoid",
    "HardSwish",
    "Tanh",
    "LeakyRelu",
    "Elu",
    "HardSigmoid",
    "clip6",
    "swish",
    "Mish",
    "Softplus",
)


def number(d: Draw, value: float, dtype: str = "float32") -> Value:
    """A constant close to a formula's, usually exactly it, sometimes of shape [1] or not quite it."""
    if d.chance(0.1):
        value *= 1.01
    shape = () if d.chance(0.6) else (1,)
    return d.constant(np.full(shape, value, dtype))


def activate(d: Draw, x: Value, kind: str | None = None) -> Value:
    """An activation as one node or as a formula."""
    kind = kind or d.pick(_AFTER)
    if kind == "HardSwish" and d.opset < 14:
        kind = "hswish"
    if kind == "clip6":
        if d.opset < 11:
            return d.node("Clip", [x], min=0.0, max=6.0)
        return d.node("Clip", [x, d.constant(np.float32(0)), d.constant(np.float32(6))])
    if kind == "swish":
        return d.node("Mul", [x, d.node("Sigmoid", [x])])
    if kind == "hswish":
        gate = d.node("Add", [x, number(d, 3)])
        gate = (
            d.node("Clip", [gate], min=0.0, max=6.0)
            if d.opset < 11
            else d.node("Clip", [gate, d.constant(np.float32(0)), d.constant(np.float32(6))])
        )
        return d.node("Div", [d.node("Mul", [x, gate]), number(d, 6)])
    return d.node(kind, [x])


def spy(d: Draw, x: Value) -> None:
    """Sometimes, a second reader of an inner value."""
    if d.chance(0.15):
        d.node(d.pick(("Relu", "Identity", "Neg", "Sigmoid")), [x])


def same_shape(d: Draw, x: Value) -> Value:
    """Another value of the shape of `x`, or a new input."""
    return d.find(where=lambda v: v.shape == x.shape) or d.input(d.array(x.shape))


@row(2.0)
def conv_block(d: Draw) -> None:
    """Conv, batch norm, scale, residual, activation: each there or not, in the usual and unusual orders."""
    y = conv(d)
    spy(d, y)
    for _ in range(d.integer(1, 4)):
        kind = d.integer(0, 5)
        if kind == 0:
            y = batch_norm_of(d, y)
        elif kind == 1:
            y = activate(d, y)
        elif kind == 2:
            other = same_shape(d, y)
            y = d.node("Add", [y, other] if d.chance(0.5) else [other, y])
        elif kind == 3:
            scale = d.constant(d.array((y.shape[1], *[1] * (y.rank - 2))))
            y = d.node(d.pick(("Mul", "Add")), [y, scale])
        elif kind == 4:
            y = d.node(d.pick(("Mul", "Add", "Div", "Sub")), [y, number(d, d.pick((0.5, 2.0, 1.0)))])
        else:
            y = d.node("Transpose", [y], perm=d.pick(([0, 2, 3, 1], [0, 1, 3, 2]))) if y.rank == 4 else y
        spy(d, y)


@row(0.8)
def affine_before_conv(d: Draw) -> None:
    """A scale or batch norm in front of a convolution, a pool between."""
    x = image(d, 4)
    x = batch_norm_of(d, x) if d.chance(0.5) else d.node("Mul", [x, number(d, 0.5)])
    spy(d, x)
    if d.chance(0.3):
        x = (
            d.node("Pad", [x, d.constant(np.asarray([0, 0, 1, 1, 0, 0, 1, 1], "int64"))])
            if d.opset >= 11
            else x
        )
    w = d.constant(d.array((d.integer(1, 4), x.shape[1], 1, 1)))
    d.node("Conv", [x, w], pads=[1, 1, 1, 1] if d.chance(0.3) else [0, 0, 0, 0])


@row(0.5)
def padded_conv(d: Draw) -> None:
    """A border around an image, quantised or not, before a convolution with padding of its own."""
    if d.opset < 11:
        raise Rejected("Pad has no inputs yet")
    x = image(d, 4)
    sides = [d.integer(0, 2) for _ in range(4)]
    inputs = [x, d.constant(np.asarray([0, 0, *sides[:2], 0, 0, *sides[2:]], "int64"))]
    if d.chance(0.5):
        inputs.append(d.constant(np.asarray(d.pick((0.0, 0.0, 1.0)), np.float32)))
    x = d.node("Pad", inputs)
    spy(d, x)
    if d.chance(0.3):
        grid = [d.constant(np.asarray(0.05, np.float32)), d.constant(np.asarray(d.pick((0, 128)), np.uint8))]
        x = d.node("DequantizeLinear", [d.node("QuantizeLinear", [x, *grid]), *grid])
    size, step = d.integer(1, 3), d.integer(1, 2)
    w = d.constant(d.array((d.integer(1, 4), x.shape[1], size, size)))
    pads, strides = [d.integer(0, 1) for _ in range(4)], [d.integer(1, 2)] * 2
    d.node("Conv", [x, w], pads=pads, strides=strides, dilations=[step] * 2)


@row(0.8)
def squeeze_excite(d: Draw) -> None:
    """Global pool, two 1×1 convolutions or matrix products, a gate, a product."""
    x = image(d, 4)
    n = x.shape[1]
    y = (
        d.node("GlobalAveragePool", [x])
        if d.chance(0.6)
        else with_axes(d, "ReduceMean", x, [2, 3], 18, keepdims=1)
    )
    if d.chance(0.3):
        y = with_axes(d, "Squeeze", y, [2, 3], 13)
        y = d.node("MatMul", [y, d.constant(d.array((n, n)))])
        y = d.node("Sigmoid", [y])
        y = with_axes(d, "Unsqueeze", y, [2, 3], 13)
    else:
        y = d.node("Conv", [y, d.constant(d.array((2, n, 1, 1)))])
        y = activate(d, y, "Relu")
        y = d.node("Conv", [y, d.constant(d.array((n, 2, 1, 1))), d.constant(d.array((n,)))])
        y = d.node(d.pick(("Sigmoid", "HardSigmoid")), [y])
    spy(d, y)
    d.node("Mul", [x, y] if d.chance(0.5) else [y, x])


@row(0.8)
def dense_block(d: Draw) -> None:
    """MatMul or Gemm, bias, activation, scale, dropout."""
    y = gemm(d) if d.chance(0.3) else matmul(d)
    spy(d, y)
    if y.rank:
        y = d.node(
            "Add", [y, d.constant(d.array((y.shape[-1],)))] if d.chance(0.8) else [y, broadcastable(d, y)]
        )
    if d.chance(0.5):
        y = activate(d, y)
    if d.chance(0.3):
        y = d.node("Mul", [y, number(d, 0.5)])
    spy(d, y)


@row(0.7)
def layer_norm_formula(d: Draw) -> None:
    """Layer normalisation as a formula, with the last steps there or not."""
    x = d.value(low=2, where=lambda v: 0 not in v.shape and v.shape[-1] > 1)
    axes = [-1] if d.chance(0.8) else [x.rank - 1]
    mean = with_axes(d, "ReduceMean", x, axes, 18)
    centred = d.node("Sub", [x, mean])
    spy(d, centred)
    power = d.node("Pow", [centred, number(d, 2)]) if d.chance(0.6) else d.node("Mul", [centred, centred])
    variance = with_axes(d, "ReduceMean", power, axes, 18)
    root = d.node("Sqrt", [d.node("Add", [variance, number(d, 1e-3)])])
    y = d.node("Div", [centred, root])
    if d.chance(0.8):
        y = d.node("Mul", [y, d.constant(d.array((x.shape[-1],)))])
    if d.chance(0.8):
        d.node("Add", [y, d.constant(d.array((x.shape[-1],)))])


@row(0.5)
def gelu_formula(d: Draw) -> None:
    """Gelu by erf or tanh as exporters spell it."""
    x = d.value()
    if d.chance(0.6):
        inner = d.node("Erf", [d.node("Div", [x, number(d, float(np.sqrt(2)))])])
    else:
        cube = (
            d.node("Pow", [x, number(d, 3)]) if d.chance(0.5) else d.node("Mul", [x, d.node("Mul", [x, x])])
        )
        inner = d.node("Add", [x, d.node("Mul", [cube, number(d, 0.044715)])])
        inner = d.node("Tanh", [d.node("Mul", [inner, number(d, float(np.sqrt(2 / np.pi)))])])
    one = d.node("Add", [inner, number(d, 1)])
    if d.chance(0.5):
        d.node("Mul", [d.node("Mul", [x, one]), number(d, 0.5)])
    else:
        d.node("Mul", [d.node("Mul", [x, number(d, 0.5)]), one])


@row(0.7)
def attention_formula(d: Draw) -> None:
    """Multi-head attention from projections, with a scale, a mask and a last reshape there or not."""
    batch, length, heads, size = (d.integer(1, 3) for _ in range(4))
    width = heads * size
    x = d.input(d.array((batch, length, width)))
    parts = []
    for _ in range(3):
        y = d.node("MatMul", [x, d.constant(d.array((width, width)) / 2)])
        if d.chance(0.7):
            y = d.node("Add", [y, d.constant(d.array((width,)))])
        y = d.node(
            "Reshape", [y, d.constant(np.asarray([0 if d.chance(0.5) else batch, -1, heads, size], "int64"))]
        )
        parts.append(d.node("Transpose", [y], perm=[0, 2, 1, 3]))
    q, k, v = parts
    k = d.node("Transpose", [k], perm=[0, 1, 3, 2])
    scores = d.node("MatMul", [q, k])
    if d.chance(0.7):
        scores = d.node(d.pick(("Mul", "Div")), [scores, number(d, float(np.sqrt(size)))])
    if d.chance(0.4):
        scores = d.node("Add", [scores, d.fresh(d.array(d.pick(((batch, 1, 1, length), (length, length)))))])
    weights = d.node("Softmax", [scores], axis=-1 if d.opset >= 13 else 3)
    spy(d, weights)
    y = d.node("Transpose", [d.node("MatMul", [weights, v])], perm=[0, 2, 1, 3])
    d.node("Reshape", [y, d.constant(np.asarray([batch, length, width], "int64"))])


@row(0.6)
def transposes(d: Draw) -> None:
    """A transpose, elementwise ops or a reduction, and the inverse transpose or nearly it."""
    x = image(d, 4)
    y = d.node("Transpose", [x], perm=[0, 2, 3, 1])
    for _ in range(d.integer(0, 3)):
        kind = d.integer(0, 3)
        if kind == 0:
            y = activate(d, y)
        elif kind == 1:
            y = d.node("Add", [y, d.constant(d.array((y.shape[-1],)))])
        elif kind == 2:
            y = d.node("Softmax", [y], axis=d.pick((-1, 1, 3)))
        else:
            y = with_axes(d, "ReduceMean", y, [d.integer(1, 3)], 18, keepdims=1)
        spy(d, y)
    d.node("Transpose", [y], perm=d.pick(([0, 3, 1, 2], [0, 3, 1, 2], [0, 3, 2, 1])))


@row(0.5)
def squeeze_broadcast(d: Draw) -> None:
    """A squeezed pool that broadcasts with tensors of lower or higher rank."""
    x = image(d, d.pick((3, 4)))
    y = d.node("GlobalAveragePool", [x])
    axes = list(range(2, x.rank))
    y = with_axes(d, "Squeeze", y, None if d.chance(0.2) and 1 not in x.shape[:2] else axes, 13)
    y = d.node(d.pick(("Add", "Mul", "Max")), [y, broadcastable(d, y)])
    if d.chance(0.5):
        activate(d, y)


@row(0.4)
def shuffle_channels(d: Draw) -> None:
    """Reshape, transpose, reshape: a channel shuffle or nearly one."""
    x = image(d, 4, where=lambda v: v.shape[1] % 2 == 0)
    n, c, h, w = x.shape
    if c % 2:
        raise Rejected("odd channels")
    y = d.node("Reshape", [x, d.constant(np.asarray([n, 2, c // 2, h, w], "int64"))])
    y = d.node("Transpose", [y], perm=d.pick(([0, 2, 1, 3, 4], [0, 2, 1, 3, 4], [0, 1, 2, 4, 3])))
    d.node("Reshape", [y, d.constant(np.asarray([n, c, -1, w], "int64"))])


@row(0.4)
def branches_and_concat(d: Draw) -> None:
    """Branches of convolutions and pools that meet in a Concat or a sum, as in detection heads."""
    x = image(d, 4)
    outputs = []
    for _ in range(d.integer(2, 3)):
        w = d.constant(d.array((4, x.shape[1], 1, 1)))
        outputs.append(activate(d, d.node("Conv", [x, w])))
    y = d.node("Concat", outputs, axis=1) if d.chance(0.6) else d.node("Add", outputs[:2])
    if d.chance(0.5):
        y = d.node("Conv", [y, d.constant(d.array((2, y.shape[1], 1, 1)))])
    if d.chance(0.3):
        d.node(
            "Resize", [y, None, d.constant(np.asarray([1, 1, 2, 2], np.float32))], mode="nearest"
        ) if d.opset >= 13 else None


@row(0.3)
def pools_in_a_row(d: Draw) -> None:
    """Pools on pools with padding and ceil_mode."""
    for _ in range(2):
        pool(d)
