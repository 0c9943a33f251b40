"""top_k_v2, argsort → TopK; unique → Unique; arg_max, arg_min → ArgMax, ArgMin (ONNX opset 21).

TopK takes tensors of rank 1 or more, ArgMax and ArgMin take tensors with elements.
"""

from __future__ import annotations

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, converts
from lite.emission.onnx.builder import Attributes, Tensor
from lite.emission.onnx.shape_inputs import flat_int64, require_elements
from lite.ir.types import DType
from lite.plugin.device import BridgeOp


@converts("top_k_v2")
def top_k(op: BridgeOp, ctx: Context) -> None:
    """top_k_v2 → TopK."""
    b, k, x = ctx.builder, ctx.optional(op, "K"), ctx.input(op, "X")
    _check_rank(op)
    count = b.ints(op.integer("k")) if k is None else flat_int64(ctx, k, op["K"])
    best, indices = b.add_all(
        "TopK",
        [x, count],
        [x.dtype, DType.INT64],
        axis=op.integer("axis"),
        largest=int(op.flag("largest")),
        sorted=1,
    )
    ctx.output(op, best, "Out")
    if op.node.outputs.get("Indices"):
        ctx.output(op, indices, "Indices")


@converts("argsort")
def argsort(op: BridgeOp, ctx: Context) -> None:
    """argsort → TopK of the whole axis."""
    b, x = ctx.builder, ctx.input(op, "X")
    _check_rank(op)
    axis = op["X"].axis(op.integer("axis"))
    best, indices = b.add_all(
        "TopK",
        [x, b.size(x, axis)],
        [x.dtype, DType.INT64],
        axis=axis,
        largest=int(op.flag("descending")),
        sorted=1,
    )
    ctx.output(op, best, "Out")
    if op.node.outputs.get("Indices"):
        ctx.output(op, indices, "Indices")


def _check_rank(op: BridgeOp) -> None:
    if not op["X"].rank:
        raise Declined(f"X must have at least one axis, got {op['X']}")


@converts("unique")
def unique(op: BridgeOp, ctx: Context) -> None:
    """unique → Unique."""
    b, x, axes = ctx.builder, ctx.input(op, "X"), op.integers("axis")
    is_sorted = op.flag("is_sorted")
    x = _wide(ctx, x)
    kinds = [x.dtype, DType.INT64, DType.INT64, DType.INT64]
    along: Attributes = {"axis": axes[0]} if axes and op["X"].rank and is_sorted else {}
    outputs = b.add_all("Unique", [x], kinds, sorted=int(is_sorted), **along)
    dtype = op.dtype("dtype", DType.INT64)
    ctx.output(op, b.cast(outputs[0], op["X"].dtype), "Out")
    for slot, tensor in zip(("Indices", "Index", "Counts"), outputs[1:], strict=True):
        if not op.node.outputs.get(slot):
            continue
        result = b.cast(tensor, dtype)
        if slot == "Index" and not is_sorted:
            result = b.add("Reshape", result, b.sizes(x))
        ctx.output(op, result, slot)


def _wide(ctx: Context, x: Tensor) -> Tensor:
    """Integers as int64, for which ONNX Runtime has a kernel."""
    return ctx.builder.cast(x, DType.INT64) if x.dtype.is_integer else x


@converts("unique_with_counts")
def unique_with_counts(op: BridgeOp, ctx: Context) -> None:
    """unique_with_counts → Unique in the order of first appearance."""
    b, x = ctx.builder, _wide(ctx, ctx.input(op, "X"))
    kinds = [x.dtype, DType.INT64, DType.INT64, DType.INT64]
    values, _, inverse, counts = b.add_all("Unique", [x], kinds, sorted=0)
    dtype = op.dtype("dtype", DType.INT32)
    for slot, tensor in (
        ("Out", b.cast(values, op["X"].dtype)),
        ("Index", b.cast(inverse, dtype)),
        ("Count", b.cast(counts, dtype)),
    ):
        ctx.output(op, tensor, slot)


@converts("arg_max", "arg_min")
def arg_extreme(op: BridgeOp, ctx: Context) -> None:
    """arg_max, arg_min → ArgMax, ArgMin; with `flatten`, of the flattened tensor."""
    x, b, rank = ctx.input(op, "X"), ctx.builder, op["X"].rank
    require_elements(op["X"], "X")
    keep = int(op.flag("keepdims"))
    axis = op.integer("axis")
    whole = op.flag("flatten") or not rank
    op_type = "ArgMax" if op.op == "arg_max" else "ArgMin"
    index = b.add(
        op_type,
        b.flat(x) if whole else x,
        dtype=DType.INT64,
        axis=0 if whole else axis,
        keepdims=0 if whole else keep,
        select_last_index=int(op.flag("select_last_index")),
    )
    if whole and keep:
        index = b.reshape(index, *[1] * rank)
    ctx.output(op, b.cast(index, op.dtype("dtype", DType.INT64)))
