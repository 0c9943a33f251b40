"""Everything that a device author imports: the device's class, its bridges, the conversion of regions."""

from lite.plugin.device.bridge_op import BridgeOp, meta_of
from lite.plugin.device.bridges import BRIDGES, Bridge, bridge
from lite.plugin.device.conversion import Builder, Conversion, QuantizedBuilder
from lite.plugin.device.convert import convert
from lite.plugin.device.devices import (
    DEVICES,
    CompiledModel,
    Device,
    Limits,
    Memory,
    NoOptions,
    Settings,
    Signature,
    Tensor,
    device,
)

__all__ = [
    "BRIDGES",
    "DEVICES",
    "Bridge",
    "BridgeOp",
    "Builder",
    "CompiledModel",
    "Conversion",
    "Device",
    "Limits",
    "Memory",
    "NoOptions",
    "QuantizedBuilder",
    "Settings",
    "Signature",
    "Tensor",
    "bridge",
    "convert",
    "device",
    "meta_of",
]
