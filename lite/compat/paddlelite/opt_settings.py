"""The setters of Opt: which model to optimise, for which hardware, and how to save it."""

from __future__ import annotations

from collections.abc import Sequence

import lite
from lite.compat.paddlelite.cxx_config import CxxConfig
from lite.compat.paddlelite.enums import TargetType
from lite.compat.paddlelite.environment import installed_devices, warn_ignored
from lite.compat.paddlelite.place import Place, lite_places
from lite.errors import ConfigError, suggest
from lite.ir.types import HOST

MODEL_TYPES = ("naive_buffer", "protobuf")

_TARGETS = {
    "arm": (TargetType.ARM,),
    "host": (TargetType.Host,),
    "metal": (TargetType.Metal,),
    "opencl": (TargetType.OpenCL,),
    "x86": (TargetType.X86,),
    "x86_opencl": (TargetType.X86, TargetType.OpenCL),
    "xpu": (TargetType.XPU,),
}
_DEVICES = (
    "amlogic_npu",
    "android_nnapi",
    "cambricon_mlu",
    "eeasytech_npu",
    "huawei_ascend_npu",
    "huawei_kirin_npu",
    "imagination_nna",
    "kunlunxin_xtcl",
    "mediatek_apu",
    "qualcomm_qnn",
    "rockchip_npu",
    "verisilicon_timvx",
)


class OptSettings:
    """The setters of `CxxConfig`, and those for the optimised model."""

    def __init__(self) -> None:
        self._config = CxxConfig()
        self._model_set_dir = self._optimize_out = ""
        self._model_type = MODEL_TYPES[0]
        self._targets: list[str] = [HOST]

    def set_model_dir(self, model_dir_path: str) -> None:
        """Name the folder of the model."""
        self._config.set_model_dir(model_dir_path)

    def set_modelset_dir(self, model_set_path: str) -> None:
        """Name a folder that contains a folder for each model to optimise.

        If `set_model_file` and `set_param_file` were called, they name the files in each.
        """
        self._model_set_dir = model_set_path

    def set_model_file(self, model_path: str) -> None:
        """Name the program's file."""
        self._config.set_model_file(model_path)

    def set_param_file(self, param_path: str) -> None:
        """Name the file with all parameters."""
        self._config.set_param_file(param_path)

    def set_valid_places(self, valid_places: str) -> None:
        """Set the targets by name, such as ``"x86,opencl"``; raises `ConfigError` for an unknown name."""
        places, devices = read_targets(valid_places)
        self._config.set_valid_places(places)
        self._config.set_nnadapter_device_names(devices)
        self._targets = [place.target for place in lite_places(places) or [lite.Place()]]

    def set_optimize_out(self, lite_out_name: str) -> None:
        """Name the folder to write to."""
        self._optimize_out = lite_out_name

    def set_model_type(self, model_type: str = MODEL_TYPES[0]) -> None:
        """Choose the names of the files: ``naive_buffer`` or ``protobuf``.

        ``naive_buffer`` saves like `CxxPredictor.save_optimized_model`, ``protobuf`` like
        `save_optimized_pb_model`.
        """
        if model_type not in MODEL_TYPES:
            raise ConfigError(f"set_model_type: expected one of {', '.join(MODEL_TYPES)}, got {model_type!r}")
        self._model_type = model_type

    def set_passes_internal(self, passes_internal: Sequence[str] = ()) -> None:
        """Set the passes to run after the default ones."""
        self._config.set_passes_internal(passes_internal)

    def enable_fp16(self) -> None:
        """Has no effect; logs a warning."""
        warn_ignored("enable_fp16", "the model keeps its precision")

    def set_quant_model(self, quant_model: bool) -> None:
        """Has no effect; logs a warning."""
        if quant_model:
            warn_ignored("set_quant_model", "the model keeps its precision")

    def set_quant_type(self, quant_type: str) -> None:
        """Has no effect; see `set_quant_model`."""

    def set_sparse_model(self, sparse_model: bool) -> None:
        """Has no effect; logs a warning."""
        if sparse_model:
            warn_ignored("set_sparse_model", "weights stay dense")

    def set_sparse_threshold(self, sparse_threshold: float = 0.6) -> None:
        """Has no effect; see `set_sparse_model`."""

    def record_model_info(self, record_strip_info: bool = True) -> None:
        """Has no effect; logs a warning."""
        if record_strip_info:
            warn_ignored("record_model_info", "litebridge builds no library from the model")


def read_targets(text: str) -> tuple[list[Place], list[str]]:
    """The places and devices of a list such as ``"arm,opencl"``; raises `ConfigError` for an unknown name."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    names = sorted({*_TARGETS, *_DEVICES, *installed_devices()})
    unknown = [word for word in words if word not in names]
    if unknown:
        raise ConfigError(
            f"set_valid_places: no target is called {unknown[0]!r}{suggest(unknown[0], names)}; "
            f"targets: {', '.join(names)}"
        )
    devices = [word for word in words if word not in _TARGETS]
    places = [Place(target) for word in words for target in _TARGETS.get(word, (TargetType.NNAdapter,))]
    return places, devices
