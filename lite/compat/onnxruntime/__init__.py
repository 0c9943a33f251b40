"""The Python API of ONNX Runtime, ``onnxruntime``, implemented by litebridge.

Either import from here, or `install` these modules under ONNX Runtime's name and run a program that does
``import onnxruntime as ort`` unchanged:

>>> from lite.compat import onnxruntime
>>> onnxruntime.install()
>>> import onnxruntime as ort
>>> ort.InferenceSession is onnxruntime.InferenceSession
True
>>> onnxruntime.uninstall()

Names, arguments, defaults, exceptions and the beginnings of messages are those of ONNX Runtime 1.32.
Execution providers are devices of litebridge (`lite.compat.onnxruntime.providers.DEVICES`).  A session
without a number of threads uses all cores, and threads may share it.  Not there: models in the ``.ort``
format, libraries of custom ops, sparse tensors, LoRA adapters, and memory of other devices in bindings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lite.compat.onnxruntime import environment, errors
from lite.compat.onnxruntime.binding import IOBinding
from lite.compat.onnxruntime.enums import (
    ExecutionMode,
    ExecutionOrder,
    GraphOptimizationLevel,
    OrtAllocatorType,
    OrtMemType,
)
from lite.compat.onnxruntime.environment import get_build_info, get_device, get_version_string
from lite.compat.onnxruntime.model import ModelMetadata, NodeArg
from lite.compat.onnxruntime.options import RunOptions, SessionOptions
from lite.compat.onnxruntime.providers import get_all_providers, get_available_providers
from lite.compat.onnxruntime.session import InferenceSession
from lite.compat.onnxruntime.values import OrtArenaCfg, OrtDevice, OrtMemoryInfo, OrtValue
from lite.compat.shim import ModuleShim, named

__all__ = [
    "ExecutionMode",
    "ExecutionOrder",
    "GraphOptimizationLevel",
    "IOBinding",
    "InferenceSession",
    "ModelMetadata",
    "NodeArg",
    "OrtAllocatorType",
    "OrtArenaCfg",
    "OrtDevice",
    "OrtMemType",
    "OrtMemoryInfo",
    "OrtValue",
    "RunOptions",
    "SessionOptions",
    "get_all_providers",
    "get_available_providers",
    "get_build_info",
    "get_device",
    "get_version_string",
    "install",
    "uninstall",
]

_MEMBERS: tuple[Callable[..., object], ...] = (
    ExecutionMode,
    ExecutionOrder,
    GraphOptimizationLevel,
    IOBinding,
    InferenceSession,
    ModelMetadata,
    NodeArg,
    OrtAllocatorType,
    OrtArenaCfg,
    OrtDevice,
    OrtMemType,
    OrtMemoryInfo,
    OrtValue,
    RunOptions,
    SessionOptions,
    environment.disable_telemetry_events,
    environment.enable_telemetry_events,
    environment.get_ep_devices,
    environment.has_collective_ops,
    environment.preload_dlls,
    environment.set_default_logger_severity,
    environment.set_default_logger_verbosity,
    environment.set_global_thread_pool_sizes,
    environment.set_seed,
    get_all_providers,
    get_available_providers,
    get_build_info,
    get_device,
    get_version_string,
)
_ALL = {**named(_MEMBERS), **errors.EXCEPTIONS}
_SHIM = ModuleShim(
    "onnxruntime",
    "onnxruntime",
    {
        "onnxruntime": named(_MEMBERS),
        "onnxruntime.capi": {},
        "onnxruntime.capi._pybind_state": _ALL,
        "onnxruntime.capi.onnxruntime_inference_collection": named(
            (InferenceSession, IOBinding, OrtValue, OrtDevice)
        ),
        "onnxruntime.capi.onnxruntime_pybind11_state": _ALL,
    },
    environment.ONNXRUNTIME_VERSION,
)


def install(devices: Sequence[str] = (), threads: int | None = None) -> None:
    """Make ``import onnxruntime`` find this package.

    `devices`, as in `lite.Config`, follow those of a session's providers.  `threads` is the default for
    sessions that set no number.  A second call replaces both for sessions that are created later.

    Raises `PluginError` if the real package is already imported, and `ConfigError` for wrong arguments.
    """
    _SHIM.check()
    environment.use_settings(devices, threads)
    _SHIM.install()


def uninstall() -> None:
    """Undo `install`; the next ``import onnxruntime`` finds the real package or none.

    Modules that imported the shim keep it.
    """
    _SHIM.uninstall()
    environment.use_settings()
