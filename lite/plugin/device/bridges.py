"""What a bridge author writes: for one op of one device, a class that answers two questions.

::

    @bridge("sim_npu", "relu", "sigmoid")
    class Activation:
        def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
            return None if op["X"].dtype is DType.FLOAT32 else f"X must be float32, got {op['X']}"

        def convert(self, op: BridgeOp, ctx: Context) -> None:
            ctx.output(op, ctx.builder.activation(op.op, ctx.input(op, "X")))

Uniform ops are rows of a table, each row an instance::

    for name, kind in {"relu": "RELU", "sigmoid": "SIGMOID"}.items():
        bridge("sim_npu", name)(Activation(kind))

`why_not` is asked when regions are looked for, with the shapes known then, and again with concrete
ones before `convert`; a sentence then means that the host answers this signature.  Name the limit and
what was found.  Spell the op's name as a string literal in the file: that is how the loader finds it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from lite.errors import PluginError, suggest
from lite.ops.schema import SCHEMAS
from lite.plugin.device.bridge_op import BridgeOp
from lite.plugin.registry import Registry

if TYPE_CHECKING:
    from lite.plugin.device.convert import Conversion
    from lite.plugin.device.devices import Device


class Bridge(Protocol):
    """How one op becomes a device's."""

    def why_not(self, op: BridgeOp, device: Device[Any]) -> str | None:
        """Why the device cannot run the op, in one sentence; None when it can."""

    def convert(self, op: BridgeOp, ctx: Conversion[Any, Any]) -> None:
        """Add the op to the device's graph; called only after `why_not` answered None."""


BRIDGES: Registry[tuple[str, str], Bridge] = Registry("bridge")
"""Bridges by device and op (or composite)."""

B = TypeVar("B", bound="Bridge | type[Bridge]")


def bridge(device: str, *ops: str) -> Callable[[B], B]:
    """Register a bridge, as a class or an instance, for these ops of `device`.

    A name with a dot is that of a composite, which the device's `patterns` declare.  Raises
    `PluginError` when there is one already and when no op has that name.
    """

    def register(made: B) -> B:
        entry: Bridge = made() if isinstance(made, type) else made
        owner = type(entry).__module__
        for op in ops:
            if "." not in op and op not in SCHEMAS:
                near = suggest(op, SCHEMAS)
                raise PluginError(f"bridge {device} {op} in {owner}: no op of that name has a schema{near}")
            BRIDGES.add((device, op), entry, owner)
        return made

    return register
