"""Bridges that are one function each: a conversion to ONNX nodes, which also decides what is supported.

::

    @converts("relu6", "relu_clipped")
    def clipped(op: BridgeOp, ctx: Context) -> None:
        ...

`why_not` runs the conversion into a graph that is thrown away, and asks the device about each node there
(`OnnxTarget.why_not_node`): ONNX's schemas and the table of the chip say which nodes and element types it
takes.  So `why_not` cannot differ from `convert`, and no bridge repeats these tables.

A conversion that finds a limit of its own (an unknown size, a fused activation) raises `Declined`.  Such a
limit appears in the middle of a conversion, often in a function that several share; a check before it would
repeat the conversion up to there.  `Declined` is not an error: `why_not` catches it and returns its sentence.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol, TypeVar, cast

from lite.emission.onnx.builder import ONNX_CODES, Builder, OnnxNode, Tensor
from lite.emission.onnx.node_types import nested
from lite.ir.graph import Value
from lite.ir.program import VarKind
from lite.ir.quantized_arrays import real_array
from lite.ir.types import DType
from lite.ops.view import UnknownRank
from lite.plugin.device import BRIDGES, BridgeOp, Conversion, Device, bridge

SHARED = "onnx"
"""The name under which the bridges are registered."""

O = TypeVar("O")  # noqa: E741 - the type of a device's options

OPSET = 21
"""The ONNX opset of the nodes.

It is the newest that ONNX Runtime 1.20 and later run, and the first in which resizing with antialiasing (18),
splits into unequal parts (18), Gelu and three-dimensional sampling (20), group normalisation by channel and
quantisation in blocks (21) are ops.
"""


class Declined(Exception):  # noqa: N818 - the answer of a conversion, not a failure
    """Ends a conversion with the sentence that says why the op has no ONNX form."""


class Context(Protocol):
    """The second argument of a conversion: `lite.plugin.device.Conversion`, or a trial."""

    @property
    def builder(self) -> Builder:
        """The graph to add nodes to."""

    @property
    def device(self) -> Device[Any]:
        """The device that the graph is for."""

    def input(self, op: BridgeOp, slot: str) -> Tensor:
        """The tensor of an input."""

    def optional(self, op: BridgeOp, slot: str) -> Tensor | None:
        """The tensor of an input that may be absent."""

    def inputs(self, op: BridgeOp, slot: str) -> list[Tensor]:
        """The tensors of a repeated slot."""

    def output(self, op: BridgeOp, tensor: Tensor, slot: str | None = None) -> None:
        """Set the tensor of an output."""

    def outputs(self, op: BridgeOp, slot: str, tensors: Sequence[Tensor]) -> None:
        """Set the tensors of the outputs of a repeated slot."""


Convert = Callable[[BridgeOp, Context], None]

_TENSOR_TYPES = ONNX_CODES.keys() - {DType.STRING, DType.COMPLEX64, DType.COMPLEX128}


class OpBridge:
    """A conversion as a bridge."""

    def __init__(self, convert: Convert) -> None:
        self._convert = convert

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        """The limit that the conversion finds, or the device's reason against one of its nodes."""
        for value in (*op.node.all_inputs(), *op.node.all_outputs()):
            if value.kind == VarKind.TENSOR_ARRAY:
                return f"{value!r} is a tensor array"
            if value.dtype is not None and value.dtype not in _TENSOR_TYPES:
                return f"{value!r} has elements of {value.dtype}"
        trial = _Trial(device)
        try:
            self._convert(op, trial)
        except Declined as reason:
            return str(reason)
        except UnknownRank:
            return "the rank of an input is not known"
        return trial.why_not_outputs(op) or trial.why_not_nodes()

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        """Run the conversion."""
        self._convert(op, ctx)


Check = Callable[[BridgeOp], None]
"""Raises `Declined` for an op beyond a limit."""


class LimitedBridge:
    """A bridge that all devices share, with a further limit of one device."""

    def __init__(self, check: Check) -> None:
        self._check = check

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        """The device's own limit, or else the answer of the shared bridge."""
        try:
            self._check(op)
        except Declined as reason:
            return str(reason)
        except UnknownRank:
            return "the rank of an input is not known"
        return BRIDGES.get((SHARED, op.op)).why_not(op, device)

    def convert(self, op: BridgeOp, ctx: Context) -> None:
        """The conversion of the shared bridge."""
        BRIDGES.get((SHARED, op.op)).convert(op, cast("Conversion[Any, Any]", ctx))


def limits(device: str, *ops: str) -> Callable[[Check], Check]:
    """Register a check as a further limit of one device for these ops, whose shared bridges it uses."""

    def register(check: Check) -> Check:
        cls: type[LimitedBridge] = type("LimitedBridge", (LimitedBridge,), {"__module__": check.__module__})
        bridge(device, *ops)(cls(check))
        return check

    return register


def converts(*ops: str) -> Callable[[Convert], Convert]:
    """Register a conversion as the bridge of these ops that all devices share."""
    return converts_for(SHARED, *ops)


def converts_for(device: str, *ops: str) -> Callable[[Convert], Convert]:
    """Register a conversion as the bridge of these ops for one device."""

    def register(convert: Convert) -> Convert:
        # The registry takes the module of a bridge's class as its owner: that is the file of the conversion.
        cls: type[OpBridge] = type("OpBridge", (OpBridge,), {"__module__": convert.__module__})
        bridge(device, *ops)(cls(convert))
        return convert

    return register


class OnnxTarget(Device[O]):
    """The target of the nodes: a device whose SDK reads ONNX, or a file."""

    shared_bridges = SHARED
    is_file: ClassVar[bool] = False
    """Whether the target is a file, which has whole models and is run anywhere."""

    @abstractmethod
    def why_not_node(self, node: OnnxNode) -> str | None:
        """Why the target does not take a node, in one sentence; None when it does."""

    def why_not_nodes(self, nodes: Sequence[OnnxNode]) -> str | None:
        """Why the target does not take one of the nodes of an op, in running order; None when it does."""
        return next((reason for node in nodes if (reason := self.why_not_node(node))), None)


def writes_files(device: Device[Any]) -> bool:
    """Whether a device is the file format."""
    return isinstance(device, OnnxTarget) and device.is_file


class _Trial:
    """A conversion into a graph that is thrown away."""

    def __init__(self, device: Device[Any]) -> None:
        self.builder = Builder(OPSET)
        self.device = device
        self._tensors: dict[Value, Tensor] = {}

    def input(self, op: BridgeOp, slot: str) -> Tensor:
        return self.inputs(op, slot)[0]

    def optional(self, op: BridgeOp, slot: str) -> Tensor | None:
        tensors = self.inputs(op, slot)
        return tensors[0] if tensors else None

    def inputs(self, op: BridgeOp, slot: str) -> list[Tensor]:
        return [
            Tensor(value.name, value.dtype or DType.FLOAT32, real_array(value))
            for value in op.node.inputs.get(slot, ())
        ]

    def output(self, op: BridgeOp, tensor: Tensor, slot: str | None = None) -> None:
        self._tensors[op.node.output(slot)] = tensor

    def outputs(self, op: BridgeOp, slot: str, tensors: Sequence[Tensor]) -> None:
        self._tensors.update(zip(op.node.outputs[slot], tensors, strict=True))

    def why_not_outputs(self, op: BridgeOp) -> str | None:
        """Why an output that is read does not result from the conversion; None when all do."""
        for slot, values in op.node.outputs.items():
            for value in values:
                if not value.is_used:
                    continue
                tensor = self._tensors.get(value)
                if tensor is None:
                    return f"output {slot} is read, and ONNX does not compute it"
                if tensor.dtype is not (value.dtype or tensor.dtype):
                    return f"output {slot} is {value.dtype}, and ONNX computes {tensor.dtype}"
        return None

    def why_not_nodes(self) -> str | None:
        """Why the device does not take one of the nodes; None when it takes all."""
        if not isinstance(self.device, OnnxTarget):
            return None
        return self.device.why_not_nodes(list(nested(self.builder)))
