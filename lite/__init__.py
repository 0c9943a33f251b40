"""litebridge: run Paddle models on heterogeneous hardware.

>>> import lite
>>> predictor = lite.create_predictor(lite.Config("model_dir"))     # doctest: +SKIP
>>> outputs = predictor.run({"x": array})                           # doctest: +SKIP
"""

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
from lite.ir.types import DType, Layout, Place
from lite.load import load_program, save_program
from lite.predictor import Predictor, create_predictor

__version__ = "0.1.0"

__all__ = [
    "CompileError",
    "Config",
    "ConfigError",
    "DType",
    "ExecutionError",
    "GraphError",
    "InputError",
    "Layout",
    "LiteError",
    "ModelParseError",
    "PassError",
    "Place",
    "PluginError",
    "Predictor",
    "VerifyError",
    "create_predictor",
    "load_program",
    "save_program",
]
