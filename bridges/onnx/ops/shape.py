"""reshape2, transpose2, squeeze2, unsqueeze2, flatten*, shape → Reshape, Transpose, … (ONNX opset 21).

The axes of squeeze2 and unsqueeze2 are constant.
"""

from __future__ import annotations

from lite.emission.conversion import Declined
from lite.emission.onnx.bridging import Context, converts, writes_files
from lite.emission.onnx.shape_inputs import (
    integer_tensor,
    known_integers,
    require_dims,
    require_integers,
)
from lite.ir.types import DType
from lite.plugin.device import BridgeOp


@converts("reshape2")
def reshape(op: BridgeOp, ctx: Context) -> None:
    """reshape2 → Reshape; ONNX's 0 is either a copied size or, with allowzero, a size of 0."""
    result, x = op.output("Out"), ctx.input(op, "X")
    if result.is_static and 0 in result.dims:
        # With allowzero, no size may be -1.
        target = ctx.builder.ints(*require_dims(result, "the result"))
        ctx.output(op, ctx.builder.add("Reshape", x, target, allowzero=1), "Out")
        return
    sizes = known_integers(op, "shape", "ShapeTensor", "Shape")
    if sizes is not None and 0 in sizes[op["X"].rank :]:
        raise Declined(f"shape {sizes} has a 0 after the {op['X'].rank} axes of X")
    target = integer_tensor(op, ctx, "shape", "ShapeTensor", "Shape")
    ctx.output(op, ctx.builder.add("Reshape", x, target), "Out")


@converts("transpose2")
def transpose(op: BridgeOp, ctx: Context) -> None:
    """transpose2 → Transpose."""
    perm = [axis % op["X"].rank for axis in op.integers("axis")]
    x, b = ctx.input(op, "X"), ctx.builder
    ctx.output(op, b.add("Transpose", x, perm=perm) if perm else b.add("Identity", x), "Out")


@converts("squeeze2")
def squeeze(op: BridgeOp, ctx: Context) -> None:
    """squeeze2 → Squeeze of the axes that have size 1, or of all such axes."""
    x, tensor = op["X"], ctx.input(op, "X")
    axes = require_integers(op, "axes", "AxesTensor")
    known = x.shape is not None and all(isinstance(x.dims[axis], int) for axis in axes)
    if axes and not known and writes_files(ctx.device):
        # In a file, Squeeze checks that these axes have size 1.
        ctx.output(op, ctx.builder.squeeze(tensor, *axes), "Out")
        return
    chosen = {x.axis(axis) for axis in axes} if axes else set(range(x.rank))
    if any(isinstance(x.dims[axis], str) for axis in chosen if axis < x.rank):
        raise Declined(f"which axes have size 1 must be known, got {x}")
    dropped = sorted(axis for axis in chosen if axis < x.rank and x.dims[axis] == 1)
    ctx.output(
        op, ctx.builder.squeeze(tensor, *dropped) if dropped else ctx.builder.add("Identity", tensor), "Out"
    )


@converts("unsqueeze2")
def unsqueeze(op: BridgeOp, ctx: Context) -> None:
    """unsqueeze2 → Unsqueeze; Paddle inserts one axis after the other."""
    axes = require_integers(op, "axes", "AxesTensorList", "AxesTensor")
    if op["X"].shape is None and len(axes) == 1:
        ctx.output(op, ctx.builder.unsqueeze(ctx.input(op, "X"), *axes), "Out")
        return
    is_new: list[bool] = [False] * op["X"].rank
    for axis in axes:
        is_new.insert(axis + len(is_new) + 1 if axis < 0 else axis, True)
    new = [axis for axis, added in enumerate(is_new) if added]
    x = ctx.input(op, "X")
    ctx.output(op, ctx.builder.unsqueeze(x, *new) if new else ctx.builder.add("Identity", x), "Out")


@converts("flatten2")
def flatten2(op: BridgeOp, ctx: Context) -> None:
    """flatten2 → Flatten."""
    x, b, rank = ctx.input(op, "X"), ctx.builder, op["X"].rank
    axis = op["X"].axis(op.integer("axis"))
    ctx.output(op, b.add("Flatten", x, axis=axis) if rank else b.flat(x), "Out")


@converts("flatten_contiguous_range")
def flatten_contiguous_range(op: BridgeOp, ctx: Context) -> None:
    """flatten_contiguous_range → Reshape that merges axes."""
    x, b, rank = ctx.input(op, "X"), ctx.builder, op["X"].rank
    if not rank:
        ctx.output(op, b.flat(x), "Out")
        return
    start, stop = op.integer("start_axis") % rank, op.integer("stop_axis") % rank
    tail = op["X"].dims[stop + 1 :]
    if stop == rank - 1:
        target = b.ints(*[0] * start, -1)
    elif start == 0 and all(isinstance(dim, int) for dim in tail) and 0 not in tail:
        target = b.ints(-1, *[dim for dim in tail if isinstance(dim, int)])
    else:
        rest = b.add("Shape", x, dtype=DType.INT64, start=stop + 1)
        target = b.add("Concat", b.ints(*[0] * start, -1), rest, axis=0)
    ctx.output(op, b.add("Reshape", x, target), "Out")


@converts("shape")
def shape(op: BridgeOp, ctx: Context) -> None:
    """shape → Shape, as int32."""
    b = ctx.builder
    ctx.output(op, b.cast(b.sizes(ctx.input(op, "Input")), DType.INT32))
