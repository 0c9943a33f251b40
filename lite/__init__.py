"""litebridge: runs Paddle, ONNX, PNNX and TFLite models on the CPU and on other devices.

>>> import lite
>>> predictor = lite.create_predictor(lite.Config("model_dir"))     # doctest: +SKIP
>>> outputs = predictor.run({"x": array})                           # doctest: +SKIP

- `Config` names a model and says how to run it.  `create_predictor` loads, optimises and plans the model, and
  `Predictor` runs it.
- `list_devices` lists the installed devices for ``Config(devices=…)``.
- `save_artifact` writes a planned model into one file, which ``Config("model.lbm")`` loads at once.
- `load_program` and `save_program` read and write models without running them.
- `Limits` are the most that a model may ask for while it is loaded.
- `quantize` writes a model with int8 weights and activations.
- `op`, `kernel` and `onnx_op` add a program's own ops, kernels and rules for ONNX ops.
- All errors derive from `LiteError`.
"""

from typing import TYPE_CHECKING

from lite.config import Config
from lite.errors import (
    CompileError,
    ConfigError,
    ExecutionError,
    GraphError,
    InputError,
    LiteError,
    ModelParseError,
    PassError,
    PluginError,
    VerifyError,
)
from lite.ir.limits import Limits
from lite.ir.types import DType, Layout, Place
from lite.lazy_names import names_of_modules
from lite.version import VERSION

if TYPE_CHECKING:
    from lite.io.load import load_program
    from lite.io.save import save_program
    from lite.plugin.device.opening import DeviceInfo
    from lite.plugin.kernel import kernel
    from lite.plugin.user_ops import onnx_op, op
    from lite.quantization import quantize
    from lite.session.devices import list_devices
    from lite.session.predictor import Predictor, create_predictor
    from lite.session.save_artifact import save_artifact
    from lite.subgraph.report import PlacementReport

__version__ = VERSION

__all__ = [
    "CompileError",
    "Config",
    "ConfigError",
    "DType",
    "DeviceInfo",
    "ExecutionError",
    "GraphError",
    "InputError",
    "Layout",
    "Limits",
    "LiteError",
    "ModelParseError",
    "PassError",
    "Place",
    "PlacementReport",
    "PluginError",
    "Predictor",
    "VerifyError",
    "create_predictor",
    "kernel",
    "list_devices",
    "load_program",
    "onnx_op",
    "op",
    "quantize",
    "save_artifact",
    "save_program",
]

_LOADED_AT_FIRST_USE = {
    "DeviceInfo": "lite.plugin.device.opening",
    "PlacementReport": "lite.subgraph.report",
    "Predictor": "lite.session.predictor",
    "create_predictor": "lite.session.predictor",
    "kernel": "lite.plugin.kernel",
    "list_devices": "lite.session.devices",
    "load_program": "lite.io.load",
    "onnx_op": "lite.plugin.user_ops",
    "op": "lite.plugin.user_ops",
    "quantize": "lite.quantization",
    "save_artifact": "lite.session.save_artifact",
    "save_program": "lite.io.save",
}
"""The module of each public name that `import lite` alone does not need: they hold most of the engine."""


if not TYPE_CHECKING:  # type checkers report a wrong name
    __getattr__ = names_of_modules(globals(), _LOADED_AT_FIRST_USE)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
