"""The part of Opt that says which model is optimised, and how it is saved."""

from __future__ import annotations

from collections.abc import Sequence

import lite
from lite.compat.paddlelite.cxx_config import CxxConfig
from lite.compat.paddlelite.notice import warn_once
from lite.compat.paddlelite.opt_targets import read_targets
from lite.compat.paddlelite.place import lite_places
from lite.errors import ConfigError
from lite.ir.types import HOST

MODEL_TYPES = ("naive_buffer", "protobuf")


class OptSettings:
    """Setters as in `CxxConfig`, and those for what is made."""

    def __init__(self) -> None:
        self._config = CxxConfig()
        self._model_set_dir = self._optimize_out = ""
        self._model_type = MODEL_TYPES[0]
        self._targets: list[str] = [HOST]

    def set_model_dir(self, model_dir_path: str) -> None:
        """Name the directory of the model."""
        self._config.set_model_dir(model_dir_path)

    def set_modelset_dir(self, model_set_path: str) -> None:
        """Name a directory whose directories are models: all of them are optimised.

        Where `set_model_file` and `set_param_file` were called, they are the names in each.
        """
        self._model_set_dir = model_set_path

    def set_model_file(self, model_path: str) -> None:
        """Name the program's file."""
        self._config.set_model_file(model_path)

    def set_param_file(self, param_path: str) -> None:
        """Name the file with all parameters."""
        self._config.set_param_file(param_path)

    def set_valid_places(self, valid_places: str) -> None:
        """Targets by name, such as ``"x86,opencl"``; raises `ConfigError` with near names."""
        places, devices = read_targets(valid_places)
        self._config.set_valid_places(places)
        self._config.set_nnadapter_device_names(devices)
        self._targets = [place.target for place in lite_places(places) or [lite.Place()]]

    def set_optimize_out(self, lite_out_name: str) -> None:
        """Name the directory to write."""
        self._optimize_out = lite_out_name

    def set_model_type(self, model_type: str = MODEL_TYPES[0]) -> None:
        """How the files are called: ``naive_buffer`` or ``protobuf``.

        The first as `CxxPredictor.save_optimized_model` does it, the second as `save_optimized_pb_model`.
        """
        if model_type not in MODEL_TYPES:
            raise ConfigError(f"set_model_type: {model_type!r} is none of {', '.join(MODEL_TYPES)}")
        self._model_type = model_type

    def set_passes_internal(self, passes_internal: Sequence[str] = ()) -> None:
        """Passes to run behind the default ones."""
        self._config.set_passes_internal(passes_internal)

    def enable_fp16(self) -> None:
        """Accepted with a warning."""
        warn_once("enable_fp16", "the model keeps its precision")

    def set_quant_model(self, quant_model: bool) -> None:
        """Accepted with a warning."""
        if quant_model:
            warn_once("set_quant_model", "the model keeps its precision")

    def set_quant_type(self, quant_type: str) -> None:
        """Nothing to do: see `set_quant_model`."""

    def set_sparse_model(self, sparse_model: bool) -> None:
        """Accepted with a warning."""
        if sparse_model:
            warn_once("set_sparse_model", "weights stay dense")

    def set_sparse_threshold(self, sparse_threshold: float = 0.6) -> None:
        """Nothing to do: see `set_sparse_model`."""

    def record_model_info(self, record_strip_info: bool = True) -> None:
        """Accepted with a warning."""
        if record_strip_info:
            warn_once("record_model_info", "there is no library to build with fewer kernels")
