"""Ops that keep the elements and change the shape, and the shape itself."""

from __future__ import annotations

from typing import Any

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.row import Context, Row
from lite.bridges.openvino.shape_tensor import merged, numbers, numbers_tensor, unknown_numbers
from lite.bridges.openvino.support import ANY, refused
from lite.ir.types import DType
from lite.ops.defs.reshape import squeezed
from lite.plugin.device import BridgeOp, Device, bridge


@bridge("openvino", "reshape2")
class Reshape:
    """Reshape, in which 0 copies a size and -1 takes what is left."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        wanted = numbers(op, "shape", "ShapeTensor", "Shape")
        if wanted is not None and 0 in wanted[op["X"].rank :]:
            return f"shape {wanted} has a 0 behind the {op['X'].rank} axes of X"
        return refused(op, ANY)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        shape = numbers_tensor(op, ctx, "shape", "ShapeTensor", "Shape")
        ctx.output(op, ctx.builder.op.reshape(ctx.input(op, "X"), shape, special_zero=True), "Out")


def _why_not_squeeze(op: BridgeOp) -> str | None:
    reason = unknown_numbers(op, "axes", "AxesTensor")
    if reason is None and squeezed(op["X"].dims, op.integers("axes")) is None and not op.integers("axes"):
        return f"which axes are 1 is not known, X is {op['X']}"
    return reason


def _squeeze(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """Only axes of size 1 go; one of unknown size is taken to be 1, and the run fails where it is not."""
    rank, dims = op["X"].rank, op["X"].dims
    axes = {axis % rank for axis in numbers(op, "axes", "AxesTensor") or []} if rank else set()
    axes = axes or set(range(rank))
    chosen = [axis for axis in sorted(axes) if dims[axis] == 1 or isinstance(dims[axis], str)]
    return b.op.squeeze(x, b.ints(chosen)) if chosen else x


def _why_not_unsqueeze(op: BridgeOp) -> str | None:
    return unknown_numbers(op, "axes", "AxesTensorList", "AxesTensor")


def _unsqueeze(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    """Paddle inserts one axis after the other; OpenVINO wants where they are in the end."""
    places = [False] * op["X"].rank
    for axis in numbers(op, "axes", "AxesTensorList", "AxesTensor") or []:
        places.insert(axis + len(places) + 1 if axis < 0 else axis, True)
    new = [axis for axis, is_new in enumerate(places) if is_new]
    return b.op.unsqueeze(x, b.ints(new)) if new else x


def _flatten2(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    rank = op["X"].rank
    axis = op["X"].axis(op.integer("axis"))
    if not rank:
        return b.reshape(x, [1])
    return merged(b, x, op["X"].dims, [list(range(axis)), list(range(axis, rank))])


def _flatten_range(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    rank = op["X"].rank
    if not rank:
        return b.reshape(x, [1])
    start, stop = op["X"].axis(op.integer("start_axis")), op["X"].axis(op.integer("stop_axis"))
    groups = [[axis] for axis in range(rank)]
    groups[start : stop + 1] = [list(range(start, stop + 1))]
    return merged(b, x, op["X"].dims, groups)


def _transpose(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    return b.transpose(x, [op["X"].axis(axis) for axis in op.integers("axis")])


def _shape(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    return b.op.shape_of(x, "i32" if op.output().dtype == DType.INT32 else "i64")


def _assign(_: Builder, __: BridgeOp, x: Tensor) -> Tensor:
    return x


bridge("openvino", "squeeze2")(Row("X", _squeeze, ANY, why=_why_not_squeeze))
bridge("openvino", "unsqueeze2")(Row("X", _unsqueeze, ANY, why=_why_not_unsqueeze))
bridge("openvino", "flatten2")(Row("X", _flatten2, ANY))
bridge("openvino", "flatten_contiguous_range")(Row("X", _flatten_range, ANY))
bridge("openvino", "transpose2")(Row("X", _transpose, ANY))
bridge("openvino", "shape")(Row("Input", _shape, ANY))
bridge("openvino", "assign")(Row("X", _assign, ANY))
