"""Bridges: a class for each op states whether a device can run the op, and converts it.

::

    @bridge("sim_npu", "relu", "sigmoid")
    class Activation:
        def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
            return None if op["X"].dtype is DType.FLOAT32 else f"X must be float32, got {op['X']}"

        def convert(self, op: BridgeOp, ctx: Conversion[Builder, Tensor]) -> None:
            ctx.output(op, ctx.builder.activation(op.op, ctx.input(op, "X")))

Ops that differ only in a parameter share a class, with an instance for each op::

    for name, kind in {"relu": "RELU", "sigmoid": "SIGMOID"}.items():
        bridge("sim_npu", name)(Activation(kind))

Write the op's name as a string literal in the file: the loader finds the file by it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from lite.errors import PluginError, suggest
from lite.ops.schema import SCHEMAS
from lite.plugin.device.bridge_op import BridgeOp
from lite.plugin.device.conversion import Conversion
from lite.plugin.device.devices import Device
from lite.plugin.registry import Registry


class Bridge(Protocol):
    """Translates one op, or a composite, to a device's own graph."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        """Why the device cannot run the op, in one sentence; None when it can.

        The sentence names the limit and the value that exceeds it.  The engine calls this method twice: when
        it plans regions, with the shapes known then, and before `convert`, with the shapes of the signature.
        If the second call returns a sentence, the host runs the region for this signature.
        """

    def convert(self, op: BridgeOp, ctx: Conversion[Any, Any]) -> None:
        """Add the op to the device's graph; called only after `why_not` returned None."""


BRIDGES: Registry[tuple[str, str], Bridge] = Registry("bridge")
"""Bridges by the name of the device and the name of the op or composite."""

B = TypeVar("B", bound="Bridge | type[Bridge]")


def bridge(device: str, *ops: str) -> Callable[[B], B]:
    """Register a bridge, as a class or an instance, for these ops of a device.

    A name with a dot is the name of a composite, which `Device.patterns` declares.  Raises `PluginError`
    for an op that has a bridge already and for a name that is not an op.
    """

    def register(cls_or_instance: B) -> B:
        entry: Bridge = cls_or_instance() if isinstance(cls_or_instance, type) else cls_or_instance
        owner = type(entry).__module__
        for op in ops:
            if "." not in op and op not in SCHEMAS:
                near = suggest(op, SCHEMAS)
                raise PluginError(f"bridge {device} {op} in {owner}: no op of that name has a schema{near}")
            BRIDGES.add((device, op), entry, owner)
        return cls_or_instance

    return register
