"""The settings that both kinds of config have: threads, and requests to hardware."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.compat.paddlelite.enums import CLPrecisionType, CLTuneMode, PowerMode


class HardwareSettings:
    """What OpenCL, Metal and the vendors' devices are told is kept in `requests` and not used."""

    def __init__(self) -> None:
        self.requests: dict[str, tuple[object, ...]] = {}
        self._threads = 1
        self._power_mode = PowerMode.LITE_POWER_NO_BIND
        self._device_names: list[str] = []
        self._context_properties = self._model_cache_dir = ""

    def set_threads(self, threads: int) -> None:
        """Most cores that one run uses; less than 1 counts as 1."""
        self._threads = max(threads, 1)

    def threads(self) -> int:
        """Most cores that one run uses."""
        return self._threads

    def set_power_mode(self, mode: PowerMode) -> None:
        """Remembered only: the operating system chooses the cores."""
        self._power_mode = mode

    def power_mode(self) -> PowerMode:
        """What `set_power_mode` was given last."""
        return self._power_mode

    def set_opencl_binary_path_name(self, path: str, name: str) -> None:
        """Remembered only."""
        self.requests["opencl_binary_path_name"] = (path, name)

    def set_opencl_tune(
        self,
        tune_mode: CLTuneMode = CLTuneMode.CL_TUNE_NONE,
        path: str = "",
        name: str = "",
        lws_repeats: int = 4,
    ) -> None:
        """Remembered only."""
        self.requests["opencl_tune"] = (tune_mode, path, name, lws_repeats)

    def set_opencl_precision(self, precision: CLPrecisionType = CLPrecisionType.CL_PRECISION_AUTO) -> None:
        """Remembered only."""
        self.requests["opencl_precision"] = (precision,)

    def set_metal_use_mps(self, flag: bool = True) -> None:
        """Remembered only."""
        self.requests["metal_use_mps"] = (flag,)

    def set_metal_use_memory_reuse(self, flag: bool) -> None:
        """Remembered only."""
        self.requests["metal_use_memory_reuse"] = (flag,)

    def set_metal_lib_path(self, path: str) -> None:
        """Remembered only."""
        self.requests["metal_lib_path"] = (path,)

    def set_nnadapter_device_names(self, device_names: Sequence[str]) -> None:
        """Devices in order of preference; those that are not there give a warning when a model is loaded."""
        self._device_names = list(device_names)

    def nnadapter_device_names(self) -> list[str]:
        """What `set_nnadapter_device_names` was given last."""
        return list(self._device_names)

    def set_nnadapter_context_properties(self, context_properties: str) -> None:
        """Remembered only."""
        self._context_properties = context_properties

    def nnadapter_context_properties(self) -> str:
        """What `set_nnadapter_context_properties` was given last."""
        return self._context_properties

    def set_nnadapter_model_cache_dir(self, model_cache_dir: str) -> None:
        """Where compiled models of devices are kept; nowhere when empty."""
        self._model_cache_dir = model_cache_dir

    def nnadapter_model_cache_dir(self) -> str:
        """What `set_nnadapter_model_cache_dir` was given last."""
        return self._model_cache_dir

    def set_nnadapter_dynamic_shape_info(self, info: Mapping[str, Sequence[Sequence[int]]]) -> None:
        """Remembered only: any shape that the model takes can be fed."""
        self.requests["nnadapter_dynamic_shape_info"] = (info,)

    def set_nnadapter_model_cache_buffers(self, key: str, buffer: bytes) -> None:
        """Remembered only."""
        self.requests["nnadapter_model_cache_buffers"] = (key, buffer)
