"""Order, running sums, and sets of elements."""

from __future__ import annotations

from lite.bridges.onnxruntime.bridging import Context, converts
from lite.bridges.onnxruntime.builder import Attributes, Tensor
from lite.bridges.onnxruntime.ops.sizes import flat_int64
from lite.errors import CompileError
from lite.ir.types import DType
from lite.ops.view import product
from lite.plugin.device import BridgeOp


@converts("top_k_v2")
def top_k(op: BridgeOp, ctx: Context) -> None:
    """TopK."""
    b, given, x = ctx.builder, ctx.optional(op, "K"), ctx.input(op, "X")
    _check_rank(op)
    count = b.ints(op.integer("k")) if given is None else flat_int64(ctx, given, op["K"])
    best, places = b.add_all(
        "TopK",
        [x, count],
        [x.dtype, DType.INT64],
        axis=op.integer("axis"),
        largest=int(op.flag("largest")),
        sorted=1,
    )
    ctx.output(op, best, "Out")
    if op.node.outputs.get("Indices"):
        ctx.output(op, places, "Indices")


@converts("argsort")
def argsort(op: BridgeOp, ctx: Context) -> None:
    """TopK of all elements of the axis."""
    b, x = ctx.builder, ctx.input(op, "X")
    _check_rank(op)
    axis = op["X"].axis(op.integer("axis"))
    best, places = b.add_all(
        "TopK",
        [x, b.size(x, axis)],
        [x.dtype, DType.INT64],
        axis=axis,
        largest=int(op.flag("descending")),
        sorted=1,
    )
    ctx.output(op, best, "Out")
    if op.node.outputs.get("Indices"):
        ctx.output(op, places, "Indices")


def _check_rank(op: BridgeOp) -> None:
    if not op["X"].rank:
        raise CompileError("X must have an axis, got a single number")


@converts("cumsum")
def cumsum(op: BridgeOp, ctx: Context) -> None:
    """CumSum; Paddle's leaves a tensor of one element as it is, even if exclusive."""
    b, x = ctx.builder, ctx.input(op, "X")
    flat = op.flag("flatten")
    count = product(op["X"].dims)
    if op.flag("exclusive") and op.flag("keep_single") and count is None:
        raise CompileError(f"whether X is a single number must be known, got {op['X']}")
    if not op["X"].rank or (count == 1 and op.flag("keep_single")):
        ctx.output(op, b.flat(x) if flat else b.add("Identity", x))
        return
    along = ctx.optional(op, "AxisTensor")
    if flat or along is None:
        axis = b.scalar(0 if flat else op.integer("axis"), DType.INT64)
    else:
        axis = b.add("Reshape", b.cast(along, DType.INT64), b.ints())
    result = b.add(
        "CumSum",
        b.flat(x) if flat else x,
        axis,
        exclusive=int(op.flag("exclusive")),
        reverse=int(op.flag("reverse")),
    )
    ctx.output(op, result)


@converts("unique")
def unique(op: BridgeOp, ctx: Context) -> None:
    """Unique."""
    b, x, axes = ctx.builder, ctx.input(op, "X"), op.integers("axis")
    is_sorted = op.flag("is_sorted")
    x = _wide(ctx, x)
    kinds = [x.dtype, DType.INT64, DType.INT64, DType.INT64]
    along: Attributes = {"axis": axes[0]} if axes and op["X"].rank and is_sorted else {}
    outputs = b.add_all("Unique", [x], kinds, sorted=int(is_sorted), **along)
    wanted = op.dtype("dtype", DType.INT64)
    ctx.output(op, b.cast(outputs[0], op["X"].dtype), "Out")
    for slot, tensor in zip(("Indices", "Index", "Counts"), outputs[1:], strict=True):
        if not op.node.outputs.get(slot):
            continue
        found = b.cast(tensor, wanted)
        if slot == "Index" and not is_sorted:
            found = b.add("Reshape", found, b.sizes(x))
        ctx.output(op, found, slot)


def _wide(ctx: Context, x: Tensor) -> Tensor:
    """Integers as int64, of which ONNX Runtime has a kernel."""
    return ctx.builder.cast(x, DType.INT64) if x.dtype.is_integer else x


@converts("unique_with_counts")
def unique_with_counts(op: BridgeOp, ctx: Context) -> None:
    """Unique in the order of first appearance."""
    b, x = ctx.builder, _wide(ctx, ctx.input(op, "X"))
    kinds = [x.dtype, DType.INT64, DType.INT64, DType.INT64]
    found, _, inverse, counts = b.add_all("Unique", [x], kinds, sorted=0)
    wanted = op.dtype("dtype", DType.INT32)
    found = b.cast(found, op["X"].dtype)
    for slot, tensor in (
        ("Out", found),
        ("Index", b.cast(inverse, wanted)),
        ("Count", b.cast(counts, wanted)),
    ):
        ctx.output(op, tensor, slot)
