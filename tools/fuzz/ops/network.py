"""Layers: convolutions, pooling, matrix products, normalisations, resizing, recurrent networks."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from lite.tools.fuzz.draw import Draw, Value, row, rows_of_table
from lite.tools.fuzz.evaluate import Rejected
from lite.tools.fuzz.ops.shape import ints


def image(d: Draw, rank: int | None = None, where: Callable[[Value], bool] = lambda _: True) -> Value:
    """A value with a batch, channels and one to three spatial axes."""
    wanted = d.pick((4, 4, 4, 4, 3, 5)) if rank is None else rank
    sizes = {3: (4, 12), 4: (3, 9), 5: (2, 5)}[wanted]

    def fresh() -> Any:
        shape = (
            d.integer(1, 2),
            d.pick((1, 2, 3, 4, 8, 16)),
            *(d.integer(*sizes) for _ in range(wanted - 2)),
        )
        return d.array(shape)

    return d.value(rank=wanted, where=lambda v: 0 not in v.shape and where(v), fresh=fresh)


def window(d: Draw, spatial: tuple[int, ...], *, most: int = 3, pool: bool = False) -> dict[str, Any]:
    """The attributes of a window that fits into these sizes."""
    axes = len(spatial)
    kernel = [d.integer(1, min(most, size)) for size in spatial]
    attrs: dict[str, Any] = {"kernel_shape": kernel}
    if d.chance(0.5):
        attrs["strides"] = [d.integer(1, 3) for _ in range(axes)]
    if d.chance(0.25):
        attrs["dilations"] = [d.integer(1, 2) for _ in range(axes)]
    kind = d.integer(0, 4)
    if kind <= 1:
        limit = [(k - 1) if pool else k for k in kernel]
        attrs["pads"] = [d.integer(0, max(0, n)) for n in (*limit, *limit)]
        if d.chance(0.5):
            attrs["pads"] = [attrs["pads"][0]] * (2 * axes) if not pool else attrs["pads"]
    elif kind == 2:
        attrs["auto_pad"] = d.pick(("SAME_UPPER", "SAME_LOWER", "VALID"))
        # Engines differ where the stride exceeds the kernel.
        strides = attrs.get("strides", [1] * axes)
        if "SAME" in attrs["auto_pad"]:
            attrs.pop("dilations", None)
            attrs["strides"] = [min(s, k) for s, k in zip(strides, kernel, strict=True)]
    return attrs


@row(2.2)
def conv(d: Draw) -> Value:
    """Conv of rank 1 to 3: grouped, depthwise, dilated, strided, padded, with computed weights."""
    x = image(d)
    channels, spatial = x.shape[1], x.shape[2:]
    groups = d.pick([g for g in range(1, channels + 1) if channels % g == 0]) if d.chance(0.3) else 1
    if d.chance(0.15):
        groups = channels
    out = groups * d.pick((1, 2, 3, 4, 8) if groups < 4 else (1, 2))
    attrs = window(d, spatial)
    kernel = attrs["kernel_shape"]
    if d.chance(0.3):
        attrs.pop("kernel_shape")
    if groups > 1:
        attrs["group"] = groups
    w = d.array((out, channels // groups, *kernel)) / np.float32(np.sqrt(channels / groups * np.prod(kernel)))
    weight = d.constant(w.astype(np.float32)) if d.chance(0.85) else d.input(w.astype(np.float32))
    bias = [d.fresh(d.array((out,)), constant=0.9)] if d.chance(0.6) else []
    return d.node("Conv", [x, weight, *bias], **attrs)


@row(0.6)
def conv_transpose(d: Draw) -> Value:
    """ConvTranspose with output padding, output shape, groups."""
    x = image(d, d.pick((3, 4, 4)))
    channels, spatial = x.shape[1], x.shape[2:]
    groups = d.pick([g for g in range(1, channels + 1) if channels % g == 0]) if d.chance(0.3) else 1
    per_group = d.integer(1, 3)
    attrs = window(d, tuple(max(size, 3) for size in spatial))
    kernel = attrs["kernel_shape"]
    strides = attrs.get("strides", [1] * len(spatial))
    if attrs.get("auto_pad", "").startswith("SAME"):
        attrs.pop("auto_pad")
    if d.chance(0.3):
        attrs["output_padding"] = [d.integer(0, s - 1) for s in strides]
    if groups > 1:
        attrs["group"] = groups
    w = d.array((channels, per_group, *kernel)) / np.float32(np.sqrt(channels * np.prod(kernel)))
    bias = [d.constant(d.array((per_group * groups,)))] if d.chance(0.5) else []
    return d.node("ConvTranspose", [x, d.constant(w.astype(np.float32)), *bias], **attrs)


@row(1.0)
def pool(d: Draw) -> Value:
    """MaxPool, AveragePool and LpPool, with ceil_mode, indices and excluded padding."""
    x = image(d)
    op = d.pick(("MaxPool", "MaxPool", "AveragePool", "AveragePool", "LpPool"))
    attrs = window(d, x.shape[2:], pool=True)
    if op != "MaxPool" and d.opset < 19:
        attrs.pop("dilations", None)
    if op == "LpPool" and d.opset < 18:
        attrs.pop("dilations", None)
    if "auto_pad" in attrs:
        attrs.pop("dilations", None)
    if d.opset >= 10 and d.chance(0.25) and op != "LpPool":
        attrs["ceil_mode"] = 1
    if op == "AveragePool" and d.chance(0.4):
        attrs["count_include_pad"] = 1
    if op == "LpPool":
        attrs["p"] = d.integer(1, 3)
    if op == "MaxPool" and d.chance(0.15):
        return d.nodes_outputs(op, [x], 2, **attrs)[0]
    return d.node(op, [x], **attrs)


@row(0.6)
def global_pool(d: Draw) -> Value:
    """Global pools."""
    return d.node(d.pick(("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")), [image(d)])


@row(0.9)
def batch_norm(d: Draw) -> Value:
    """BatchNormalization on ranks 2 to 5."""
    x = d.value(low=2, high=5, where=lambda v: 0 not in v.shape)
    return batch_norm_of(d, x)


def batch_norm_of(d: Draw, x: Value, *, constant: bool | None = None) -> Value:
    """BatchNormalization of a value."""
    n = x.shape[1]
    fixed = d.chance(0.95) if constant is None else constant
    parameters = [d.array((n,)), d.array((n,)), d.array((n,)), np.abs(d.array((n,))) + np.float32(0.3)]
    inputs = [d.constant(p) if fixed else d.input(p) for p in parameters]
    return d.node("BatchNormalization", [x, *inputs], epsilon=d.pick((1e-5, 1e-3, 0.1)))


@row(0.4)
def layer_norm(d: Draw) -> Value:
    """All normalisations but BatchNormalization."""
    op = d.pick(
        (
            "LayerNormalization",
            "RMSNormalization",
            "InstanceNormalization",
            "GroupNormalization",
            "LpNormalization",
            "LRN",
            "MeanVarianceNormalization",
        )
    )
    if op in ("LayerNormalization", "RMSNormalization"):
        x = d.value(low=1, where=lambda v: 0 not in v.shape and v.shape[-1] > 1)
        axis = d.integer(0, x.rank - 1)
        shape = x.shape[axis:]
        inputs = [x, d.constant(d.array(shape))]
        if op == "LayerNormalization" and d.chance(0.7):
            inputs.append(d.constant(d.array(shape)))
        return d.node(op, inputs, axis=axis - x.rank if d.chance(0.5) else axis)
    x = image(d)
    n = x.shape[1]
    if op == "InstanceNormalization":
        return d.node(op, [x, d.constant(d.array((n,))), d.constant(d.array((n,)))])
    if op == "GroupNormalization":
        groups = d.pick([g for g in range(1, n + 1) if n % g == 0])
        size = groups if d.opset < 21 else n
        return d.node(op, [x, d.constant(d.array((size,))), d.constant(d.array((size,)))], num_groups=groups)
    if op == "LpNormalization":
        return d.node(op, [x], axis=d.integer(0, x.rank - 1), p=d.integer(1, 2))
    if op == "LRN":
        return d.node(
            op, [x], size=d.pick((1, 3, 5)), alpha=d.real(0.01, 0.5), beta=d.real(0.3, 1), bias=d.real(0.5, 2)
        )
    axes = [0, 2, 3] if x.rank == 4 and d.chance(0.5) else [1]
    return d.node(op, [x], axes=axes)


@row(1.4)
def matmul(d: Draw) -> Value:
    """MatMul of every combination of ranks, with constants on either side."""
    x = d.value(low=1, high=4, where=lambda v: 0 not in v.shape)
    inner = x.shape[-1]
    if d.chance(0.3) and x.rank >= 2:
        other = d.find(where=lambda v: v.rank >= 2 and v.shape[-2] == inner and v.shape[:-2] == x.shape[:-2])
        if other is not None:
            return d.node("MatMul", [x, other])
    columns = d.pick((1, 2, 3, 4, 8, 16))
    kind = d.integer(0, 4)
    shape: tuple[int, ...] = (inner, columns)
    if kind == 0:
        shape = (inner,)
    elif kind == 1 and x.rank > 2:
        shape = (*(n if d.chance(0.6) else 1 for n in x.shape[:-2]), inner, columns)
    elif kind == 2 and x.rank >= 2:
        rows = d.integer(1, 4)
        left = d.fresh(d.array((rows, x.shape[-2])), constant=0.7)
        return d.node("MatMul", [left, x])
    return d.node("MatMul", [x, d.fresh(d.array(shape), constant=0.8)])


@row(0.9)
def gemm(d: Draw) -> Value:
    """Gemm with transposes, scales, and biases of every broadcastable shape."""
    x = d.value(rank=2, where=lambda v: 0 not in v.shape)
    trans_a, trans_b = d.integer(0, 1), d.integer(0, 1)
    rows, inner = x.shape[::-1] if trans_a else x.shape
    columns = d.pick((1, 2, 3, 8))
    w = d.fresh(d.array((columns, inner) if trans_b else (inner, columns)), constant=0.85)
    c = []
    if d.chance(0.7):
        c = [d.fresh(d.array(d.pick(((columns,), (1, columns), (rows, 1), (rows, columns), (), (1,)))))]
    attrs: dict[str, Any] = {"alpha": d.real()} if d.chance(0.3) else {}
    attrs |= {"beta": d.real()} if d.chance(0.3) else {}
    return d.node("Gemm", [x, w, *c], transA=trans_a, transB=trans_b, **attrs)


@row(0.3)
def einsum(d: Draw) -> Value:
    """Einsum in common and odd forms."""
    b, n, m, k = (d.integer(1, 4) for _ in range(4))
    sizes = {"b": b, "n": n, "m": m, "k": k, "h": 2}
    equation = d.pick(
        (
            "bnk,bkm->bnm",
            "bhnk,bhmk->bhnm",
            "nk,mk->nm",
            "bn,bn->b",
            "nk->kn",
            "bnk->bk",
            "nk,k->n",
            "bnk,km->bnm",
            "bhnk,bhkm->bnhm",
            "nn->n",
            "bn,bm->nm",
        )
    )
    left = equation.split("->")[0]
    inputs = [d.fresh(d.array([sizes[c] for c in term])) for term in left.split(",")]
    return d.node("Einsum", inputs, equation=equation)


@row(0.7)
def resize(d: Draw) -> Value:
    """Resize by scales and sizes, all modes, coordinate transformations and roundings."""
    x = image(d, 4, where=lambda v: v.array.size < 3000)
    mode = d.pick(("nearest", "linear", "cubic"))
    if d.opset < 11:
        scales = d.constant(np.asarray([1, 1, *(d.pick((1, 2)) for _ in range(2))], np.float32))
        if mode == "cubic":
            mode = "linear"
        return d.node("Upsample" if d.opset < 10 else "Resize", [x, scales], mode=mode)
    attrs: dict[str, Any] = {"mode": mode}
    attrs["coordinate_transformation_mode"] = d.pick(
        ("half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel")
    )
    if mode == "nearest":
        attrs["nearest_mode"] = d.pick(("round_prefer_floor", "floor", "ceil", "round_prefer_ceil"))
    if mode == "cubic":
        attrs["cubic_coeff_a"] = d.pick((-0.75, -0.5))
        attrs["exclude_outside"] = d.integer(0, 1)
    if d.opset >= 18 and d.chance(0.2) and mode != "nearest":
        attrs["antialias"] = 1
    roi = None if d.opset >= 13 or d.chance(0.3) else d.constant(np.zeros(0, np.float32))
    if d.chance(0.5):
        sizes = [*x.shape[:2], *(d.integer(1, 9) for _ in range(2))]
        return d.node("Resize", [x, roi, None, ints(d, sizes)], **attrs)
    scales = d.constant(np.asarray([1, 1, *(d.pick((0.5, 1, 2, 3, 1.5, 0.7)) for _ in range(2))], np.float32))
    return d.node("Resize", [x, roi, scales], **attrs)


@row(0.35)
def grid_sample(d: Draw) -> Value:
    """GridSample in all modes and paddings; AffineGrid."""
    if d.opset < 16:
        raise Rejected("no GridSample yet")
    x = image(d, 4)
    rows, columns = d.integer(1, 4), d.integer(1, 4)
    if d.opset >= 20 and d.chance(0.3):
        theta = d.fresh(d.array((x.shape[0], 2, 3)))
        grid = d.node(
            "AffineGrid", [theta, ints(d, [*x.shape[:2], rows, columns])], align_corners=d.integer(0, 1)
        )
    else:
        grid = d.fresh(d.array((x.shape[0], rows, columns, 2)))
    modes = ("bilinear", "bicubic") if d.opset < 20 else ("linear", "cubic")
    return d.node(
        "GridSample",
        [x, grid],
        mode=d.pick(modes),
        padding_mode=d.pick(("zeros", "border", "reflection")),
        align_corners=d.integer(0, 1),
    )


@row(0.2)
def roi_align(d: Draw) -> Value:
    """RoiAlign, average and maximum."""
    x = image(d, 4)
    count = d.integer(1, 3)
    corners = np.sort(np.abs(d.array((count, 2, 2))), 1) * 2
    rois = d.fresh(corners.reshape(count, 4).astype(np.float32))
    batch = d.fresh(np.asarray([d.integer(0, x.shape[0] - 1) for _ in range(count)], "int64"))
    attrs: dict[str, Any] = {"mode": d.pick(("avg", "max"))}
    if d.opset >= 16:
        attrs["coordinate_transformation_mode"] = d.pick(("half_pixel", "output_half_pixel"))
    return d.node(
        "RoiAlign",
        [x, rois, batch],
        output_height=d.integer(1, 3),
        output_width=d.integer(1, 3),
        sampling_ratio=d.integer(0, 2),
        spatial_scale=d.pick((1.0, 0.5)),
        **attrs,
    )


def _recurrent(op: str, gates: int, d: Draw) -> None:
    steps, batch, size, hidden = (d.integer(1, n) for n in (5, 3, 4, 4))
    direction = d.pick(("forward", "reverse", "bidirectional"))
    ways = 2 if direction == "bidirectional" else 1
    x = d.value(
        rank=3,
        where=lambda v: 0 not in v.shape and v.array.size < 200,
        fresh=lambda: d.array((steps, batch, size)),
    )
    steps, batch, size = x.shape
    inputs: list[Value | None] = [
        x,
        d.constant(d.array((ways, gates * hidden, size)) / 2),
        d.constant(d.array((ways, gates * hidden, hidden)) / 2),
    ]
    tail: list[Value | None] = [
        d.constant(d.array((ways, 2 * gates * hidden))) if d.chance(0.6) else None,
        d.fresh(np.asarray([d.integer(1, steps) for _ in range(batch)], "int32")) if d.chance(0.25) else None,
        d.fresh(d.array((ways, batch, hidden))) if d.chance(0.4) else None,
    ]
    attrs: dict[str, Any] = {"hidden_size": hidden, "direction": direction}
    if op == "LSTM":
        tail.append(d.fresh(d.array((ways, batch, hidden))) if tail[-1] is not None else None)
        if d.chance(0.15):
            tail.append(d.constant(d.array((ways, 3 * hidden))))
    if op == "GRU" and d.chance(0.5):
        attrs["linear_before_reset"] = 1
    outputs = [d.chance(0.8), d.chance(0.6), *([d.chance(0.5)] if op == "LSTM" else [])]
    if not any(outputs):
        outputs[0] = True
    d.nodes_outputs(op, [*inputs, *tail], outputs, **attrs)


rows_of_table(
    {
        "RNN": functools.partial(_recurrent, "RNN", 1),
        "GRU": functools.partial(_recurrent, "GRU", 3),
        "LSTM": functools.partial(_recurrent, "LSTM", 4),
    },
    0.2,
)


@row(0.3)
def attention(d: Draw) -> Value:
    """Attention of opset 23, on three and four axes, with masks."""
    if d.opset < 23:
        raise Rejected("no Attention yet")
    batch, heads, queries, keys, size = (d.integer(1, 3) for _ in range(5))
    q, k, v = (d.fresh(d.array((batch, heads, n, size)), constant=0.2) for n in (queries, keys, keys))
    mask = [d.fresh(d.array((queries, keys), d.pick(("float32", "bool"))))] if d.chance(0.4) else []
    attrs: dict[str, Any] = {"is_causal": 1} if d.chance(0.3) and not mask else {}
    return d.node("Attention", [q, k, v, *mask], **attrs)


@row(0.3)
def quantize(d: Draw) -> Value:
    """QuantizeLinear → DequantizeLinear per tensor and per axis, and DynamicQuantizeLinear."""
    x = d.value(low=1, where=lambda v: v.is_exact and 0 not in v.shape)
    if d.opset >= 11 and d.chance(0.2):
        y, scale, zero = d.nodes_outputs("DynamicQuantizeLinear", [x], 3)
        return d.node("DequantizeLinear", [y, scale, zero], exact=False)
    dtype = d.pick(("int8", "uint8"))
    size: tuple[int, ...] = ()
    attrs: dict[str, Any] = {}
    if d.opset >= 13 and d.chance(0.4):
        axis = d.integer(0, x.rank - 1)
        size = (x.shape[axis],)
        attrs = {"axis": axis}
    scale = d.constant((np.abs(d.array(size)) * np.float32(0.03) + np.float32(0.0078125)).astype(np.float32))
    zero = d.constant(d.array(size, dtype))
    y = d.node("QuantizeLinear", [x, scale, zero], **attrs)
    return d.node("DequantizeLinear", [y, scale, zero], **attrs)


@row(0.15)
def integer_products(d: Draw) -> Value:
    """MatMulInteger and ConvInteger."""
    kind = d.pick(("int8", "uint8"))
    if d.chance(0.5):
        a, b = d.fresh(d.array((2, 3), "uint8")), d.constant(d.array((3, 4), kind))
        zeros = [d.constant(np.uint8(3))] if d.chance(0.6) else []
        return d.node("MatMulInteger", [a, b, *zeros])
    x, w = d.fresh(d.array((1, 2, 4, 4), "uint8")), d.constant(d.array((3, 2, 2, 2), kind))
    return d.node("ConvInteger", [x, w])


@row(0.1)
def determinants(d: Draw) -> Value:
    """Det, MaxUnpool's inverse pair, CumProd-like rarities."""
    n = d.integer(1, 3)
    return d.node("Det", [d.fresh(d.array((*d.dims(d.integer(0, 1)), n, n)))])
