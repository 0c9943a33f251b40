"""Everything that a device author imports: the device's class, its bridges, the conversion of regions."""

from lite.plugin.device.bridge_op import BridgeOp, meta_of
from lite.plugin.device.bridges import BRIDGES, Bridge, bridge
from lite.plugin.device.conversion import Builder, Conversion, DescribesOutputs, QuantizedBuilder
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
from lite.plugin.device.environment import WorkerEnvironment
from lite.plugin.device.evidence import Evidence
from lite.plugin.device.precision import BFLOAT16, FLOAT16, FLOAT32, Precision
from lite.plugin.device.tensor_rules import TensorRule, TensorRules
from lite.spec.file_option import FileOption

__all__ = [
    "BFLOAT16",
    "BRIDGES",
    "DEVICES",
    "FLOAT16",
    "FLOAT32",
    "Bridge",
    "BridgeOp",
    "Builder",
    "CompiledModel",
    "Conversion",
    "DescribesOutputs",
    "Device",
    "Evidence",
    "FileOption",
    "Limits",
    "Memory",
    "NoOptions",
    "Precision",
    "QuantizedBuilder",
    "Settings",
    "Signature",
    "Tensor",
    "TensorRule",
    "TensorRules",
    "WorkerEnvironment",
    "bridge",
    "convert",
    "device",
    "meta_of",
]
