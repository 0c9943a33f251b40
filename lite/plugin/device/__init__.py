"""Everything that a device author imports: the device's class, its bridges, the conversion of regions.

A process without devices uses few of these modules, so each is loaded when one of its names is first used.
"""

from typing import TYPE_CHECKING

from lite.lazy_names import names_of_modules

if TYPE_CHECKING:
    from lite.plugin.device.bridge_op import BridgeOp, meta_of
    from lite.plugin.device.bridges import BRIDGES, Bridge, bridge
    from lite.plugin.device.bridging import convert
    from lite.plugin.device.c_source import CSource
    from lite.plugin.device.compiled_model import CompiledModel, Tensor
    from lite.plugin.device.conversion import Builder, Conversion, DescribesOutputs, QuantizedBuilder
    from lite.plugin.device.devices import (
        DEVICES,
        Device,
        Limits,
        LocalMemory,
        Memory,
        NoOptions,
        Settings,
        Signature,
        device,
    )
    from lite.plugin.device.environment import WorkerEnvironment
    from lite.plugin.device.evidence import Evidence
    from lite.plugin.device.model_group import ModelGroup
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
    "CSource",
    "CompiledModel",
    "Conversion",
    "DescribesOutputs",
    "Device",
    "Evidence",
    "FileOption",
    "Limits",
    "LocalMemory",
    "Memory",
    "ModelGroup",
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

_MODULES = {
    "BFLOAT16": "lite.plugin.device.precision",
    "BRIDGES": "lite.plugin.device.bridges",
    "Bridge": "lite.plugin.device.bridges",
    "BridgeOp": "lite.plugin.device.bridge_op",
    "Builder": "lite.plugin.device.conversion",
    "CSource": "lite.plugin.device.c_source",
    "CompiledModel": "lite.plugin.device.compiled_model",
    "Conversion": "lite.plugin.device.conversion",
    "DEVICES": "lite.plugin.device.devices",
    "DescribesOutputs": "lite.plugin.device.conversion",
    "Device": "lite.plugin.device.devices",
    "Evidence": "lite.plugin.device.evidence",
    "FLOAT16": "lite.plugin.device.precision",
    "FLOAT32": "lite.plugin.device.precision",
    "FileOption": "lite.spec.file_option",
    "Limits": "lite.plugin.device.devices",
    "LocalMemory": "lite.plugin.device.devices",
    "Memory": "lite.plugin.device.devices",
    "ModelGroup": "lite.plugin.device.model_group",
    "NoOptions": "lite.plugin.device.devices",
    "Precision": "lite.plugin.device.precision",
    "QuantizedBuilder": "lite.plugin.device.conversion",
    "Settings": "lite.plugin.device.devices",
    "Signature": "lite.plugin.device.devices",
    "Tensor": "lite.plugin.device.compiled_model",
    "TensorRule": "lite.plugin.device.tensor_rules",
    "TensorRules": "lite.plugin.device.tensor_rules",
    "WorkerEnvironment": "lite.plugin.device.environment",
    "bridge": "lite.plugin.device.bridges",
    "convert": "lite.plugin.device.bridging",
    "device": "lite.plugin.device.devices",
    "meta_of": "lite.plugin.device.bridge_op",
}
"""The module of each name."""


if not TYPE_CHECKING:  # type checkers report a wrong name
    __getattr__ = names_of_modules(globals(), _MODULES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
