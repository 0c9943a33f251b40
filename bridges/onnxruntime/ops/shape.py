"""Ops that keep the elements: reshapes, transposes, and shapes as numbers."""

from __future__ import annotations

import numpy as np

from lite.bridges.onnxruntime.bridging import Context, converts, writes_files
from lite.bridges.onnxruntime.builder import Tensor
from lite.bridges.onnxruntime.ops.sizes import known_dims, known_numbers, numbers, vector
from lite.errors import CompileError
from lite.ir.types import DType
from lite.plugin.device import BridgeOp


@converts("reshape2")
def reshape(op: BridgeOp, ctx: Context) -> None:
    """Reshape; a 0 behind the input's axes is a size, those within copy, which ONNX cannot say at once."""
    result, x = op.output("Out"), ctx.input(op, "X")
    if result.is_static and 0 in result.dims:
        # A 0 is a size here, and -1 cannot stand beside it.
        target = ctx.builder.ints(*known_dims(result, "the result"))
        ctx.output(op, ctx.builder.add("Reshape", x, target, allowzero=1), "Out")
        return
    sizes = numbers(op, "shape", "ShapeTensor", "Shape")
    if sizes is not None and 0 in sizes[op["X"].rank :]:
        raise CompileError(f"a size of 0 in {sizes}, behind the axes of {op['X']}")
    target = vector(op, ctx, "shape", "ShapeTensor", "Shape")
    ctx.output(op, ctx.builder.add("Reshape", x, target), "Out")


@converts("transpose2")
def transpose(op: BridgeOp, ctx: Context) -> None:
    """Transpose."""
    perm = [axis % op["X"].rank for axis in op.integers("axis")]
    ctx.output(op, ctx.builder.add("Transpose", ctx.input(op, "X"), perm=perm), "Out")


@converts("squeeze2")
def squeeze(op: BridgeOp, ctx: Context) -> None:
    """Squeeze of those of the axes that have size 1; all that have it, for none."""
    x, tensor = op["X"], ctx.input(op, "X")
    axes = known_numbers(op, "axes", "AxesTensor")
    known = x.shape is not None and all(isinstance(x.dims[axis], int) for axis in axes)
    if axes and not known and writes_files(ctx.device):
        # That these axes have size 1 is taken on trust.
        ctx.output(op, ctx.builder.squeeze(tensor, *axes), "Out")
        return
    chosen = {x.axis(axis) for axis in axes} if axes else set(range(x.rank))
    if any(isinstance(x.dims[axis], str) for axis in chosen if axis < x.rank):
        raise CompileError(f"which axes are dropped must be known, got {x}")
    dropped = sorted(axis for axis in chosen if axis < x.rank and x.dims[axis] == 1)
    ctx.output(
        op, ctx.builder.squeeze(tensor, *dropped) if dropped else ctx.builder.add("Identity", tensor), "Out"
    )


@converts("unsqueeze2")
def unsqueeze(op: BridgeOp, ctx: Context) -> None:
    """Unsqueeze at places counted as the axes go in, one after another."""
    axes = known_numbers(op, "axes", "AxesTensorList", "AxesTensor")
    if op["X"].shape is None and len(axes) == 1:
        ctx.output(op, ctx.builder.unsqueeze(ctx.input(op, "X"), *axes), "Out")
        return
    places: list[bool] = [False] * op["X"].rank
    for axis in axes:
        places.insert(axis + len(places) + 1 if axis < 0 else axis, True)
    new = [place for place, is_new in enumerate(places) if is_new]
    x = ctx.input(op, "X")
    ctx.output(op, ctx.builder.unsqueeze(x, *new) if new else ctx.builder.add("Identity", x), "Out")


@converts("flatten2")
def flatten2(op: BridgeOp, ctx: Context) -> None:
    """Flatten to a matrix."""
    x, b, rank = ctx.input(op, "X"), ctx.builder, op["X"].rank
    axis = op["X"].axis(op.integer("axis"))
    ctx.output(op, b.add("Flatten", x, axis=axis) if rank else b.flat(x), "Out")


@converts("flatten_contiguous_range")
def flatten_contiguous_range(op: BridgeOp, ctx: Context) -> None:
    """Reshape that makes one axis of several."""
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
    """Shape, as int32."""
    b = ctx.builder
    ctx.output(op, b.cast(b.sizes(ctx.input(op, "Input")), DType.INT32))


@converts("is_empty")
def is_empty(op: BridgeOp, ctx: Context) -> None:
    """Size equals 0."""
    b = ctx.builder
    count = b.add("Size", ctx.input(op, "X"), dtype=DType.INT64)
    ctx.output(op, b.add("Equal", count, b.scalar(0, DType.INT64), dtype=DType.BOOL))


@converts("expand_v2", "broadcast_to")
def expand(op: BridgeOp, ctx: Context) -> None:
    """Expand; in expand_v2 a size of -1 keeps the axis."""
    b = ctx.builder
    slots = ("Shape", "expand_shapes_tensor") if op.op == "expand_v2" else ("Shape",)
    wanted = numbers(op, "shape", *slots)
    if wanted is not None:
        target = b.ints(*[1 if size == -1 else size for size in wanted])
    else:
        given = vector(op, ctx, "shape", *slots)
        target = b.add("Max", given, b.scalar(1, DType.INT64)) if op.op == "expand_v2" else given
    ctx.output(op, b.add("Expand", ctx.input(op, "X"), target))


@converts("expand_as_v2")
def expand_as_v2(op: BridgeOp, ctx: Context) -> None:
    """Expand to the shape of Y."""
    b = ctx.builder
    y = ctx.optional(op, "Y")
    if y is None:
        target = b.ints(*[1 if size == -1 else size for size in op.integers("target_shape")])
    else:
        target = b.sizes(y)
    ctx.output(op, b.add("Expand", ctx.input(op, "X"), target))


@converts("expand_as")
def expand_as(op: BridgeOp, ctx: Context) -> None:
    """Tile up to the shape of the target."""
    x, b = ctx.input(op, "X"), ctx.builder
    times = b.add("Div", b.sizes(ctx.input(op, "target_tensor")), b.sizes(x))
    if op["X"].shape is None or 0 in op["X"].dims:
        raise CompileError(f"X must have elements, got {op['X']}")
    ctx.output(op, b.add("Tile", x, times))


@converts("tile")
def tile(op: BridgeOp, ctx: Context) -> None:
    """Tile; the shorter of shape and numbers is completed by ones in front."""
    x, b, rank = ctx.input(op, "X"), ctx.builder, op["X"].rank
    times = numbers(op, "repeat_times", "RepeatTimes", "repeat_times_tensor")
    if times is None:
        given = vector(op, ctx, "repeat_times", "RepeatTimes", "repeat_times_tensor")
        count = op["RepeatTimes"].dims[0] if op.get("RepeatTimes") else len(op.all("repeat_times_tensor"))
        if not isinstance(count, int) or count > rank:
            raise CompileError(f"how often each axis of {op['X']} is repeated must be known before the run")
        front = b.ints(*[1] * (rank - count))
        target = given if count == rank else b.add("Concat", front, given, axis=0)
    else:
        x = b.unsqueeze(x, *range(max(len(times) - rank, 0)))
        target = b.ints(*[1] * (rank - len(times)), *times)
    ctx.output(op, b.add("Tile", x, target))


@converts("shuffle_channel")
def shuffle_channel(op: BridgeOp, ctx: Context) -> None:
    """Groups of channels become the inner axis."""
    x, b, group = ctx.input(op, "X"), ctx.builder, op.integer("group")
    lead = b.cut(b.sizes(x), [0], [1], [0])
    tail = b.cut(b.sizes(x), [2], [4], [0])
    split = b.add("Reshape", x, b.add("Concat", lead, b.ints(group, -1), tail, axis=0))
    ctx.output(
        op,
        b.add(
            "Reshape", b.transpose(split, [0, 2, 1, 3, 4]), b.add("Concat", lead, b.ints(-1), tail, axis=0)
        ),
    )


@converts("pixel_shuffle")
def pixel_shuffle(op: BridgeOp, ctx: Context) -> None:
    """DepthToSpace, channel by channel."""
    b, factor = ctx.builder, op.integer("upscale_factor")
    x = ctx.input(op, "X")
    last = op.text("data_format") == "NHWC"
    image = b.transpose(x, [0, 3, 1, 2]) if last else x
    result = b.add("DepthToSpace", image, blocksize=factor, mode="CRD")
    ctx.output(op, b.transpose(result, [0, 2, 3, 1]) if last else result)


@converts("flip")
def flip(op: BridgeOp, ctx: Context) -> None:
    """Slice backwards."""
    axes = op.integers("axis")
    count = len(axes)
    least = int(np.iinfo(np.int64).min)
    result = ctx.builder.cut(ctx.input(op, "X"), [-1] * count, [least] * count, axes, [-1] * count)
    ctx.output(op, result)


@converts("roll")
def roll(op: BridgeOp, ctx: Context) -> None:
    """What is pushed out behind comes in again in front."""
    b, shifts, axes = ctx.builder, known_numbers(op, "shifts", "ShiftsTensor"), op.integers("axis")
    x = ctx.input(op, "X")
    result = x if axes else b.flat(x)
    for axis, shift in zip(axes or [0], shifts, strict=True):
        result = _rolled(op, ctx, result, axis, shift, whole=not axes)
    ctx.output(op, result if axes else b.add("Reshape", result, b.sizes(x)))


def _rolled(op: BridgeOp, ctx: Context, x: Tensor, axis: int, shift: int, *, whole: bool) -> Tensor:
    b = ctx.builder
    size = None
    if not whole:
        dim = op["X"].dims[axis]
        size = dim if isinstance(dim, int) else None
    elif op["X"].is_static:
        size = int(np.prod([dim for dim in op["X"].dims if isinstance(dim, int)], dtype=np.int64))
    if size is None:
        raise CompileError(f"the size of a rolled axis must be known, got {op['X']}")
    cut = -shift % size if size else 0
    if not cut:
        return b.add("Identity", x)
    parts = [b.cut(x, [cut], [size], [axis]), b.cut(x, [0], [cut], [axis])]
    return b.add("Concat", *parts, axis=axis)


@converts("depth_to_space", "space_to_depth")
def blocks(op: BridgeOp, ctx: Context) -> None:
    """DepthToSpace or SpaceToDepth."""
    if op.op == "depth_to_space":
        ctx.output(op, ctx.builder.add("DepthToSpace", ctx.input(op, "X"), blocksize=op.integer("blocksize")))
        return
    if op.flag("channels_first"):
        raise CompileError("blocks whose channels come first have no ONNX op")
    ctx.output(op, ctx.builder.add("SpaceToDepth", ctx.input(op, "X"), blocksize=op.integer("blocksize")))
