"""CxxConfig of ``paddlelite.lite``: a model as it was exported, and how to run it."""

from __future__ import annotations

from collections.abc import Sequence

import lite
from lite.compat.model_buffer import first_bytes
from lite.compat.paddlelite.devices import usable_devices
from lite.compat.paddlelite.enums import TargetType
from lite.compat.paddlelite.hardware import HardwareSettings
from lite.compat.paddlelite.pass_list import pass_list
from lite.compat.paddlelite.place import Place, lite_places


class CxxConfig(HardwareSettings):
    """Nothing is read before a predictor is created.

    Of several ways to name the model, bytes come first, then files, then the directory.
    """

    def __init__(self) -> None:
        super().__init__()
        self._model_dir = self._model_file = self._param_file = ""
        self._buffers: tuple[bytes, bytes] | None = None
        self._places: list[Place] = []
        self._added_passes: list[str] = []
        self._discarded_passes: list[str] = []
        self._partition_config_path = self._quantization_config_path = ""

    def set_model_dir(self, model_dir: str) -> None:
        """Name the directory of the model."""
        self._model_dir = model_dir

    def model_dir(self) -> str:
        """The directory, or ""."""
        return self._model_dir

    def set_model_file(self, model_file: str) -> None:
        """Name the program's file."""
        self._model_file = model_file

    def model_file(self) -> str:
        """The program's file, or ""."""
        return self._model_file

    def set_param_file(self, param_file: str) -> None:
        """Name the file with all parameters."""
        self._param_file = param_file

    def param_file(self) -> str:
        """The parameters' file, or ""."""
        return self._param_file

    def set_model_buffer(self, model: bytes, model_size: int, param: bytes, param_size: int) -> None:
        """Give program and parameters as bytes, with how many of them count."""
        self._buffers = (
            first_bytes("model", model, model_size),
            first_bytes("param", param, param_size),
        )

    def is_model_from_memory(self) -> bool:
        """Whether the model was given as bytes."""
        return self._buffers is not None

    def set_valid_places(self, places: Sequence[Place]) -> None:
        """Targets for kernels in order of preference; those without kernels here give a warning."""
        self._places = list(places)

    def set_passes_internal(self, passes: Sequence[str] = ()) -> None:
        """Passes to run behind the default ones."""
        self._added_passes = list(passes)

    def add_discarded_pass(self, name: str) -> None:
        """Leave out a pass, the first of its name."""
        self._discarded_passes.append(name)

    def set_nnadapter_subgraph_partition_config_path(self, path: str) -> None:
        """Remembered only."""
        self._partition_config_path = path

    def nnadapter_subgraph_partition_config_path(self) -> str:
        """What `set_nnadapter_subgraph_partition_config_path` was given last."""
        return self._partition_config_path

    def set_nnadapter_mixed_precision_quantization_config_path(self, path: str) -> None:
        """Remembered only."""
        self._quantization_config_path = path

    def nnadapter_mixed_precision_quantization_config_path(self) -> str:
        """What `set_nnadapter_mixed_precision_quantization_config_path` was given last."""
        return self._quantization_config_path

    def to_lite(self) -> lite.Config:
        """The same as a Config of ours; raises `ConfigError` for contradictions, such as no model."""
        with_devices = any(place.target == TargetType.NNAdapter for place in self._places)
        return lite.Config(
            model_dir=None if self._buffers or self._model_file else self._model_dir or None,
            model_file=None if self._buffers else self._model_file or None,
            params_file=None if self._buffers else self._param_file or None,
            model_buffer=self._buffers[0] if self._buffers else None,
            params_buffer=self._buffers[1] if self._buffers else None,
            devices=usable_devices(self._device_names) if with_devices else (),
            valid_places=lite_places(self._places),
            passes=pass_list(self._added_passes, self._discarded_passes),
            threads=self._threads,
            cache_dir=self._model_cache_dir or None,
        )
