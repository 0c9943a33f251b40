"""pool_nd → MaxPool, AveragePool, LpPool; max_unpool → MaxUnpool (ONNX opset 21).

They are ONNX's poolings over any number of spatial axes: X float32[N, C, …].
"""

from __future__ import annotations

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.builder import Attributes
from lite.ir.types import DType
from lite.ops.window import ONNX_SAME, windows
from lite.plugin.device import BridgeOp


@converts("pool_nd")
def pool_nd(op: BridgeOp, ctx: Context) -> None:
    """pool_nd → MaxPool, AveragePool or LpPool."""
    kind = op.text("pooling_type")
    pads = op.integers("paddings")
    attributes: Attributes = {
        "kernel_shape": op.integers("ksize"),
        "strides": op.integers("strides"),
        "dilations": op.integers("dilations"),
        "ceil_mode": int(op.flag("ceil_mode")),
    }
    if op.text("padding_algorithm") == "SAME":
        image_windows = windows(
            op["X"].dims[2:],
            op.integers("ksize"),
            op.integers("strides"),
            op.integers("dilations"),
            pads,
            "SAME",
        )
        if op["X"].is_static:
            attributes["pads"] = [w.before for w in image_windows] + [w.after for w in image_windows]
        else:
            attributes["auto_pad"] = "SAME_UPPER"
    elif op.text("padding_algorithm") in ONNX_SAME:
        if max(op.integers("dilations")) > 1:
            raise Declined("ONNX Runtime's auto_pad ignores dilations")
        attributes["auto_pad"] = op.text("padding_algorithm")
    elif op.text("padding_algorithm") == "EXPLICIT":
        half = len(pads) == op["X"].rank - 2
        attributes["pads"] = [*pads, *pads] if half else [*pads[::2], *pads[1::2]]
    x, b = ctx.input(op, "X"), ctx.builder
    if kind == "max":
        attributes["storage_order"] = int(op.flag("column_major"))
        kinds = [x.dtype, DType.INT64] if op.node.outputs.get("Indices") else [x.dtype]
        outputs = b.add_all("MaxPool", [x], kinds, **attributes)
        for slot, tensor in zip(("Out", "Indices"), outputs, strict=False):
            ctx.output(op, tensor, slot)
    elif kind == "avg":
        include = int(not op.flag("exclusive"))
        ctx.output(op, b.add("AveragePool", x, count_include_pad=include, **attributes), "Out")
    else:
        ctx.output(op, b.add("LpPool", x, p=op.integer("norm"), **attributes), "Out")


@converts("max_unpool")
def max_unpool(op: BridgeOp, ctx: Context) -> None:
    """max_unpool → MaxUnpool, without Shape."""
    pads = op.integers("paddings")
    if op.get("Shape") is not None:
        raise Declined(
            "it has Shape: ONNX counts indices in the result without it, ONNX Runtime in a result of Shape"
        )
    b = ctx.builder
    result = b.add(
        "MaxUnpool",
        ctx.input(op, "X"),
        b.cast(ctx.input(op, "Indices"), DType.INT64),
        kernel_shape=op.integers("ksize"),
        strides=op.integers("strides"),
        pads=[*pads[::2], *pads[1::2]],
    )
    ctx.output(op, result)
