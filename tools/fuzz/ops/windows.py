"""Layers with windows: convolutions and poolings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lite.tools.fuzz.draw import Draw, Value, row


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
