"""Loops and branches, for whole models: in regions there are none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.bridges.onnxruntime.bridging import DEVICE, Context, converts, writes_files
from lite.bridges.onnxruntime.builder import Builder, Tensor
from lite.ir.graph import Value
from lite.ir.program import VarKind
from lite.ir.types import DType
from lite.ops.view import Meta
from lite.plugin.device import BridgeOp, Device, bridge, convert

_FALSE = np.zeros(1, np.bool_)


class Body(Builder):
    """The graph of a nested block, whose inputs are tensors that are there already."""

    def __init__(self, outer: Builder, given: Sequence[Tensor]) -> None:
        super().__init__(outer.opset, outer)
        self._given = list(given)

    def give(self, tensors: Sequence[Tensor]) -> None:
        """Name the tensors that `input` answers."""
        self._given = list(tensors)

    def input(self, name: str, meta: Meta) -> Tensor:
        """The next of them."""
        return self._given.pop(0)

    def parameter(self, name: str, dtype: DType, shape: tuple[int, ...] | None = None) -> Tensor:
        """An input of the nested graph itself."""
        return super().input(name, Meta(dtype, shape))


class _ControlFlow:
    """A node with a block; whether its ops can be had is asked of them."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        values = [*op.node.all_inputs(), *op.node.all_outputs(), *op.node.blocks[0].results]
        arrays = [value for value in values if value.kind == VarKind.TENSOR_ARRAY]
        return f"{arrays[0]!r} is a tensor array" if arrays else None


@bridge(DEVICE, "while")
class While(_ControlFlow):
    """Loop without a limit; what it carries are its states, what it only reads comes from outside."""

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, carried = ctx.builder, op.integer("carried")
        condition = ctx.input(op, "Condition")
        values = ctx.inputs(op, "X")
        states, constants = values[: carried - 1], values[carried - 1 :]
        block = op.node.blocks[0]
        body = Body(b, [])
        body.parameter("iteration", DType.INT64, ())
        holds = body.parameter("condition", DType.BOOL, ())
        inner = [body.parameter(value.name, _dtype(value)) for value in block.args[1:carried]]
        # Paddle's condition is a vector of one element.
        rank = len(op.node.input("Condition").shape or (1,))
        first = body.reshape(holds, *[1] * rank) if rank else holds
        body.give([first, *inner, *constants])
        _convert_block(op, ctx, body)
        last = body.outputs[0][0]
        body.outputs[0] = (body.add("Reshape", last, body.ints()), None)
        outputs = b.add_all(
            "Loop",
            [None, b.add("Reshape", condition, b.ints()), *states],
            [_dtype(value) for value in block.results[1:carried]],
            body=body,
        )
        # Behind a loop its condition does not hold.
        done = b.add("ConstantOfShape", b.ints(*[1] * rank), dtype=DType.BOOL, value=_FALSE)
        ctx.outputs(op, "Out", [done, *outputs])


@bridge(DEVICE, "conditional_block", "conditional_block_infer")
class Conditional(_ControlFlow):
    """If; where the condition does not hold, carried values stay, and what else it writes has no meaning."""

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, carried = ctx.builder, op.integer("carried")
        given = ctx.inputs(op, "Input")
        taken = Body(b, given)
        _convert_block(op, ctx, taken)
        left = Body(b, [])
        dtypes = [tensor.dtype for tensor, _ in taken.outputs]
        for n, dtype in enumerate(dtypes):
            tensor = given[n] if n < carried else left.scalar(0, dtype)
            left.output(f"kept_{n}", left.add("Identity", tensor))
        outputs = b.add_all("If", [self._condition(op, ctx)], dtypes, then_branch=taken, else_branch=left)
        ctx.outputs(op, "Out", outputs)

    def _condition(self, op: BridgeOp, ctx: Context) -> Tensor:
        """A scalar condition itself; of tensors, whether all have elements."""
        b, given = ctx.builder, ctx.inputs(op, "Cond")
        if op.flag("is_scalar_condition"):
            return b.add("Reshape", given[0], b.ints())
        sizes = [b.add("Size", tensor, dtype=DType.INT64) for tensor in given]
        least = sizes[0] if len(sizes) == 1 else b.add("Min", *sizes)
        return b.add("Greater", least, b.scalar(0, DType.INT64), dtype=DType.BOOL)


@bridge(DEVICE, "select_input")
class SelectInput:
    """If between two tensors, of which one may have no meaning."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        if not writes_files(device):
            return "what it does not choose may not exist"
        count = len(op.all("X"))
        return None if count == 2 else f"a choice among {count} tensors has no ONNX op"

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, choices = ctx.builder, ctx.inputs(op, "X")
        branches = []
        for tensor in choices:
            branch = Body(b, [])
            branch.output("chosen", branch.add("Identity", tensor))
            branches.append(branch)
        mask = b.add("Reshape", b.cast(ctx.input(op, "Mask"), DType.BOOL), b.ints())
        chosen = b.add("If", mask, dtype=choices[1].dtype, then_branch=branches[1], else_branch=branches[0])
        ctx.output(op, chosen)


@converts("uninitialized")
def uninitialized(op: BridgeOp, ctx: Context) -> None:
    """A zero that is written before it is read."""
    value = op.node.output()
    ctx.output(op, ctx.builder.add("Identity", ctx.builder.scalar(0, _dtype(value))))


def _convert_block(op: BridgeOp, ctx: Context, body: Body) -> None:
    convert(op.node.blocks[0], ctx.device, body)


def _dtype(value: Value) -> DType:
    return value.dtype or DType.FLOAT32
