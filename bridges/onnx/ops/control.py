"""while → Loop, conditional_block and select_input → If, is_empty → Size (ONNX opset 21).

Control flow is converted for files only: regions have none.  Tensor arrays are declined.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lite.emission.onnx.bridging import SHARED, Context, converts, writes_files
from lite.emission.onnx.builder import Builder, Tensor
from lite.ir.graph import Value
from lite.ir.program import VarKind
from lite.ir.types import DType
from lite.ops.view import Meta
from lite.plugin.device import BridgeOp, Device, bridge, convert

_FALSE = np.zeros(1, np.bool_)


class Body(Builder):
    """The graph of a nested block; its inputs are existing tensors."""

    def __init__(self, outer: Builder, inputs: Sequence[Tensor]) -> None:
        super().__init__(outer.opset, outer)
        self._next_inputs = list(inputs)

    def set_inputs(self, tensors: Sequence[Tensor]) -> None:
        """Set the tensors that `input` returns, one after the other."""
        self._next_inputs = list(tensors)

    def input(self, name: str, meta: Meta) -> Tensor:
        """The next of the existing tensors."""
        return self._next_inputs.pop(0)

    def parameter(self, name: str, dtype: DType, shape: tuple[int, ...] | None = None) -> Tensor:
        """A new input of the nested graph."""
        return super().input(name, Meta(dtype, shape))


class _ControlFlow:
    """An op with a block; the ops in the block have their own bridges."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        values = [*op.node.all_inputs(), *op.node.all_outputs(), *op.node.blocks[0].results]
        arrays = [value for value in values if value.kind == VarKind.TENSOR_ARRAY]
        return f"{arrays[0]!r} is a tensor array" if arrays else None


@bridge(SHARED, "while")
class While(_ControlFlow):
    """while → Loop without a limit; carried values are its states, others are tensors of the outer graph."""

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
        body.set_inputs([first, *inner, *constants])
        _convert_block(op, ctx, body)
        last = body.outputs[0][0]
        body.outputs[0] = (body.add("Reshape", last, body.ints()), None)
        outputs = b.add_all(
            "Loop",
            [None, b.rank_0(condition), *states],
            [_dtype(value) for value in block.results[1:carried]],
            body=body,
        )
        # After a loop its condition is false.
        condition_after = b.add("ConstantOfShape", b.ints(*[1] * rank), dtype=DType.BOOL, value=_FALSE)
        ctx.outputs(op, "Out", [condition_after, *outputs])


@bridge(SHARED, "conditional_block", "conditional_block_infer")
class Conditional(_ControlFlow):
    """conditional_block → If; where the condition is false, carried values stay and others are undefined."""

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, carried = ctx.builder, op.integer("carried")
        inputs = ctx.inputs(op, "Input")
        then = Body(b, inputs)
        _convert_block(op, ctx, then)
        otherwise = Body(b, [])
        dtypes = [tensor.dtype for tensor, _ in then.outputs]
        for n, dtype in enumerate(dtypes):
            tensor = inputs[n] if n < carried else otherwise.scalar(0, dtype)
            otherwise.output(f"kept_{n}", otherwise.add("Identity", tensor))
        outputs = b.add_all("If", [self._condition(op, ctx)], dtypes, then_branch=then, else_branch=otherwise)
        ctx.outputs(op, "Out", outputs)

    def _condition(self, op: BridgeOp, ctx: Context) -> Tensor:
        """A scalar condition, or whether all tensors of the condition have elements."""
        b, conditions = ctx.builder, ctx.inputs(op, "Cond")
        if op.flag("is_scalar_condition"):
            return b.rank_0(conditions[0])
        sizes = [b.add("Size", tensor, dtype=DType.INT64) for tensor in conditions]
        least = sizes[0] if len(sizes) == 1 else b.add("Min", *sizes)
        return b.add("Greater", least, b.scalar(0, DType.INT64), dtype=DType.BOOL)


@bridge(SHARED, "select_input")
class SelectInput:
    """select_input → If between two tensors, of which one may be undefined; in files only."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        if not writes_files(device):
            return "the tensor that it does not select may not exist"
        count = len(op.all("X"))
        return None if count == 2 else f"it selects among {count} tensors; ONNX's If selects between 2"

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        b, choices = ctx.builder, ctx.inputs(op, "X")
        branches = []
        for tensor in choices:
            branch = Body(b, [])
            branch.output("chosen", branch.add("Identity", tensor))
            branches.append(branch)
        mask = b.rank_0(b.cast(ctx.input(op, "Mask"), DType.BOOL))
        chosen = b.add("If", mask, dtype=choices[1].dtype, then_branch=branches[1], else_branch=branches[0])
        ctx.output(op, chosen)


@converts("uninitialized")
def uninitialized(op: BridgeOp, ctx: Context) -> None:
    """uninitialized → a zero, which the model overwrites before it reads it."""
    value = op.node.output()
    ctx.output(op, ctx.builder.add("Identity", ctx.builder.scalar(0, _dtype(value))))


def _convert_block(op: BridgeOp, ctx: Context, body: Body) -> None:
    convert(op.node.blocks[0], ctx.device, body)


def _dtype(value: Value) -> DType:
    return value.dtype or DType.FLOAT32


@converts("is_empty")
def is_empty(op: BridgeOp, ctx: Context) -> None:
    """is_empty → Size equal to 0."""
    b = ctx.builder
    count = b.add("Size", ctx.input(op, "X"), dtype=DType.INT64)
    ctx.output(op, b.add("Equal", count, b.scalar(0, DType.INT64), dtype=DType.BOOL))
