"""Bridges to ONNX, which every device with an SDK that reads ONNX shares.

::

    @converts("relu6", "relu_clipped")
    def clipped(op: BridgeOp, ctx: Context) -> None:
        ...

`OnnxTarget.why_not_node` is asked about each node of the conversion on trial: ONNX's schemas and the table of
the chip say which nodes and element types it takes, so no bridge repeats these tables.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar, cast

from lite.emission import conversion
from lite.emission.conversion import ConversionBridge, Declined, Trial
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


Context = conversion.Context[Builder, Tensor]
Convert = Callable[[BridgeOp, Context], None]

_TENSOR_TYPES = ONNX_CODES.keys() - {DType.STRING, DType.COMPLEX64, DType.COMPLEX128}


class OpBridge(ConversionBridge[Builder, Tensor]):
    """A conversion as a bridge."""

    def why_not_value(self, value: Value) -> str | None:
        """Why ONNX cannot have a value; None when it can."""
        if value.kind == VarKind.TENSOR_ARRAY:
            return f"{value!r} is a tensor array"
        if value.dtype is not None and value.dtype not in _TENSOR_TYPES:
            return f"{value!r} has elements of {value.dtype}"
        return None

    def tried(self, op: BridgeOp, device: Device[Any]) -> str | None:
        """Why an output has no ONNX form, or the device's reason against one of the nodes."""
        trial = _Trial(Builder(OPSET), device)
        self.conversion(op, trial)
        reason = trial.why_not_outputs(op)
        if reason is not None or not isinstance(device, OnnxTarget):
            return reason
        return device.why_not_nodes(list(nested(trial.builder)))


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

    def add(convert: Convert) -> Convert:
        conversion.register(OpBridge, device, convert.__module__, dict.fromkeys(ops, convert))
        return convert

    return add


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


class _Trial(Trial[Builder, Tensor]):
    format = "ONNX"

    def read(self, value: Value) -> Tensor:
        return Tensor(value.name, value.dtype or DType.FLOAT32, real_array(value))

    def dtype(self, tensor: Tensor, value: Value) -> DType:
        return tensor.dtype
