"""What every bridge of this folder is: a function that adds nodes, tried before it is promised.

::

    @converts("relu6", "relu_clipped")
    def clipped(op: BridgeOp, ctx: Context) -> None:
        ...

Whether an op can be had is found out by converting it into a graph that nobody keeps: then it is
known which ONNX nodes of which element types it takes.  What a conversion needs to know and does not
(a size, say) is a `CompileError`, whose sentence is the answer.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol, TypeVar

from lite.bridges.onnxruntime.builder import ONNX_CODES, Builder, OnnxNode, Tensor
from lite.bridges.onnxruntime.kernel_types import nested
from lite.errors import CompileError
from lite.ir.graph import Value
from lite.ir.program import VarKind
from lite.ir.types import DType
from lite.ops.view import UnknownRank
from lite.plugin.device import BridgeOp, Device, bridge

DEVICE = "onnxruntime"

O = TypeVar("O")  # noqa: E741 - the type of a device's options

OPSET = 21
"""The opset that is written.

It is the newest that all of ONNX Runtime 1.20 and newer run, and the first in which resizing with
antialiasing (18), splits in unequal parts (18), Gelu and three-dimensional sampling (20), group
normalisation by channel and quantisation in blocks (21) are ops of their own.
"""


class Context(Protocol):
    """What a conversion sees: `lite.plugin.device.convert.Conversion`, or a trial."""

    @property
    def builder(self) -> Builder:
        """The graph to add nodes to."""

    @property
    def device(self) -> Device[Any]:
        """For which device."""

    def input(self, op: BridgeOp, slot: str) -> Tensor:
        """The tensor of an input."""

    def optional(self, op: BridgeOp, slot: str) -> Tensor | None:
        """The tensor of an input that may be absent."""

    def inputs(self, op: BridgeOp, slot: str) -> list[Tensor]:
        """The tensors of a repeated slot."""

    def output(self, op: BridgeOp, tensor: Tensor, slot: str | None = None) -> None:
        """Say which tensor an output is."""

    def outputs(self, op: BridgeOp, slot: str, tensors: Sequence[Tensor]) -> None:
        """Say which tensors the outputs of a repeated slot are."""


Convert = Callable[[BridgeOp, Context], None]

_NUMBERS = ONNX_CODES.keys() - {DType.STRING, DType.COMPLEX64, DType.COMPLEX128}


class OpBridge:
    """A function that converts, as a bridge."""

    def __init__(self, convert: Convert) -> None:
        self._convert = convert

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        for value in (*op.node.all_inputs(), *op.node.all_outputs()):
            if value.kind == VarKind.TENSOR_ARRAY:
                return f"{value!r} is a tensor array"
            if value.dtype is not None and value.dtype not in _NUMBERS:
                return f"{value!r} has elements of {value.dtype}"
        trial = _Trial(device)
        try:
            self._convert(op, trial)
        except CompileError as error:
            return str(error)
        except UnknownRank:
            return "the number of dimensions of an input is not known"
        return trial.missing(op) or trial.why_not_nodes()

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        self._convert(op, ctx)


def converts(*ops: str) -> Callable[[Convert], Convert]:
    """Register a function as the bridge of these ops."""

    def register(convert: Convert) -> Convert:
        # A class of the function's own file: that is what the registry calls the bridge's owner.
        kind: type[OpBridge] = type("OpBridge", (OpBridge,), {"__module__": convert.__module__})
        bridge(DEVICE, *ops)(kind(convert))
        return convert

    return register


class OnnxTarget(Device[O]):
    """For whom nodes are made: ONNX Runtime, or a file."""

    name = DEVICE
    is_file: ClassVar[bool] = False
    """Whether whole models are written, to be run as their authors meant."""

    @abstractmethod
    def why_not_node(self, node: OnnxNode) -> str | None:
        """Why not this node, in one sentence; None where it can be had."""


def writes_files(device: Device[Any]) -> bool:
    """Whether a device is the file format."""
    return isinstance(device, OnnxTarget) and device.is_file


class _Trial:
    """A conversion whose graph nobody keeps."""

    def __init__(self, device: Device[Any]) -> None:
        self.builder = Builder(OPSET)
        self.device = device
        self._made: dict[Value, Tensor] = {}

    def input(self, op: BridgeOp, slot: str) -> Tensor:
        return self.inputs(op, slot)[0]

    def optional(self, op: BridgeOp, slot: str) -> Tensor | None:
        found = self.inputs(op, slot)
        return found[0] if found else None

    def inputs(self, op: BridgeOp, slot: str) -> list[Tensor]:
        return [
            Tensor(value.name, value.dtype or DType.FLOAT32, value.data)
            for value in op.node.inputs.get(slot, ())
        ]

    def output(self, op: BridgeOp, tensor: Tensor, slot: str | None = None) -> None:
        self._made[op.node.output(slot)] = tensor

    def outputs(self, op: BridgeOp, slot: str, tensors: Sequence[Tensor]) -> None:
        self._made.update(zip(op.node.outputs[slot], tensors, strict=True))

    def missing(self, op: BridgeOp) -> str | None:
        """A sentence when an output that is read was not made, or has another element type."""
        for slot, values in op.node.outputs.items():
            for value in values:
                made = self._made.get(value)
                if made is None and value.is_used:
                    return f"its output {slot} is read"
                if made is not None and value.is_used and made.dtype is not (value.dtype or made.dtype):
                    return f"its output {slot} would be {made.dtype} instead of {value.dtype}"
        return None

    def why_not_nodes(self) -> str | None:
        """Why the device cannot run one of the nodes; None where it runs all."""
        if not isinstance(self.device, OnnxTarget):
            return None
        check = self.device.why_not_node
        return next((reason for node in nested(self.builder) if (reason := check(node))), None)
