"""The modules that imports of ``paddle`` find, and their members."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lite.compat.paddle_inference import environment
from lite.compat.paddle_inference.config import Config
from lite.compat.paddle_inference.enums import (
    DataType,
    PlaceType,
    PrecisionType,
    get_num_bytes_of_data_type,
)
from lite.compat.paddle_inference.internal_utils import InternalUtils
from lite.compat.paddle_inference.model_files import convert_to_mixed_precision
from lite.compat.paddle_inference.paddle import (
    creation,
    data,
    functional,
    jit,
    manipulation,
    math,
    runtime,
    search,
    transforms,
)
from lite.compat.paddle_inference.paddle.dtypes import DTYPES, dtype
from lite.compat.paddle_inference.paddle.layers import LAYERS
from lite.compat.paddle_inference.paddle.methods import add_methods
from lite.compat.paddle_inference.paddle.names import NAMES
from lite.compat.paddle_inference.paddle.placeholders import ParamAttr, placeholder, settings
from lite.compat.paddle_inference.paddle.tensor import Tensor as EagerTensor
from lite.compat.paddle_inference.paddle.tensor import to_tensor
from lite.compat.paddle_inference.predictor import Predictor, PredictorPool, create_predictor
from lite.compat.paddle_inference.tensor import Tensor
from lite.compat.paddle_inference.xpu import XpuConfig
from lite.compat.shim import named

_QUERIES = named(
    (
        environment.get_device,
        environment.is_compiled_with_cinn,
        environment.is_compiled_with_cuda,
        environment.is_compiled_with_custom_device,
        environment.is_compiled_with_distribute,
        environment.is_compiled_with_ipu,
        environment.is_compiled_with_rocm,
        environment.is_compiled_with_xpu,
        environment.set_device,
    )
)
_DEVICE = {
    **_QUERIES,
    **named(
        (
            environment.get_all_custom_device_type,
            environment.get_all_device_type,
            environment.get_available_custom_device,
            environment.get_available_device,
            environment.get_cudnn_version,
            environment.synchronize,
        )
    ),
}
_INFERENCE = named(
    (
        Config,
        DataType,
        InternalUtils,
        PlaceType,
        PrecisionType,
        Predictor,
        PredictorPool,
        Tensor,
        XpuConfig,
        convert_to_mixed_precision,
        create_predictor,
        get_num_bytes_of_data_type,
        environment.get_trt_compile_version,
        environment.get_trt_runtime_version,
        environment.get_version,
    )
)
_MODES = named(
    (
        runtime.CPUPlace,
        runtime.disable_static,
        runtime.enable_static,
        runtime.get_default_dtype,
        runtime.get_flags,
        runtime.in_dynamic_mode,
        runtime.no_grad,
        runtime.seed,
        runtime.set_flags,
    )
)
_JIT = named((jit.TranslatedLayer, jit.load, jit.not_to_static, jit.to_static))
_UTILS = named((runtime.deprecated, runtime.require_version, runtime.run_check, runtime.try_import))
_TRANSFORMS = named(
    (
        transforms.BaseTransform,
        transforms.CenterCrop,
        transforms.Compose,
        transforms.Normalize,
        transforms.Resize,
        transforms.ToTensor,
        transforms.Transpose,
    )
)
_DISTRIBUTED = named(
    (
        runtime.ParallelEnv,
        runtime.barrier,
        runtime.get_rank,
        runtime.get_world_size,
        runtime.init_parallel_env,
        runtime.is_initialized,
    )
)


_FUNCTIONS = named(
    (
        to_tensor,
        functional.softmax,
        functional.sigmoid,
        *creation.FUNCTIONS,
        *manipulation.FUNCTIONS,
        *search.FUNCTIONS,
        *math.FUNCTIONS,
    )
)
_CONSTANTS = {"e": np.e, "inf": np.inf, "nan": np.nan, "newaxis": None, "pi": np.pi}
add_methods()


def _open(module: str, members: Mapping[str, object]) -> dict[str, object]:
    """A module whose other names can be imported, and are refused when they are used."""
    return {**members, "__getattr__": placeholder(module)}


MODULES: dict[str, Mapping[str, object]] = {
    "paddle": {
        "Tensor": EagerTensor,
        **_QUERIES,
        **_MODES,
        **DTYPES,
        "dtype": dtype,
        "ParamAttr": ParamAttr,
        **_FUNCTIONS,
        **_CONSTANTS,
        "cat": manipulation.concat,
        "__getattr__": placeholder("paddle", NAMES),
    },
    "paddle.amp": _open("paddle.amp", named((runtime.auto_cast,))),
    "paddle.autograd": _open("paddle.autograd", {}),
    "paddle.base": {},
    "paddle.base.core": _QUERIES,
    "paddle.device": _DEVICE,
    "paddle.device.cuda": named((environment.device_count, environment.empty_cache, environment.synchronize)),
    "paddle.distributed": _open("paddle.distributed", _DISTRIBUTED),
    "paddle.distributed.fleet": _open("paddle.distributed.fleet", {}),
    "paddle.distributed.fleet.utils": _open("paddle.distributed.fleet.utils", {}),
    "paddle.incubate": _open("paddle.incubate", {}),
    "paddle.incubate.nn": _open("paddle.incubate.nn", {}),
    "paddle.incubate.nn.functional": _open("paddle.incubate.nn.functional", {}),
    "paddle.inference": {**_INFERENCE},
    "paddle.io": _open(
        "paddle.io", named((data.DataLoader, data.Dataset, data.IterableDataset, data.TensorDataset))
    ),
    "paddle.jit": _JIT,
    "paddle.linalg": _open("paddle.linalg", named((math.matmul, math.norm))),
    "paddle.metric": _open("paddle.metric", {}),
    "paddle.nn": _open("paddle.nn", LAYERS),
    "paddle.nn.functional": _open("paddle.nn.functional", named(functional.FUNCTIONS)),
    "paddle.nn.initializer": {"__getattr__": settings("paddle.nn.initializer")},
    "paddle.nn.utils": _open("paddle.nn.utils", {}),
    "paddle.optimizer": _open("paddle.optimizer", {}),
    "paddle.optimizer.lr": _open("paddle.optimizer.lr", {}),
    "paddle.profiler": _open("paddle.profiler", {}),
    "paddle.regularizer": {"__getattr__": settings("paddle.regularizer")},
    "paddle.static": _open("paddle.static", {}),
    "paddle.utils": _UTILS,
    "paddle.utils.download": _open("paddle.utils.download", {}),
    "paddle.version": runtime.VERSION,
    "paddle.vision": {},
    "paddle.vision.datasets": _open("paddle.vision.datasets", {}),
    "paddle.vision.models": _open("paddle.vision.models", {}),
    "paddle.vision.models.resnet": _open("paddle.vision.models.resnet", {}),
    "paddle.vision.ops": _open("paddle.vision.ops", {}),
    "paddle.vision.transforms": _open("paddle.vision.transforms", _TRANSFORMS),
}
"""Modules → members, parents first."""
