"""The settings of CxxConfig and MobileConfig alike: threads, devices and other hardware."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.compat.paddlelite.enums import CLPrecisionType, CLTuneMode, PowerMode


class HardwareSettings:
    """Settings for OpenCL, Metal and other hardware are stored in `requests` and have no effect."""

    def __init__(self) -> None:
        self.requests: dict[str, tuple[object, ...]] = {}
        self._threads = 1
        self._power_mode = PowerMode.LITE_POWER_NO_BIND
        self._device_names: list[str] = []
        self._context_properties = self._model_cache_dir = ""

    def set_threads(self, threads: int) -> None:
        """Set the largest number of cores that a run uses; numbers below 1 become 1."""
        self._threads = max(threads, 1)

    def threads(self) -> int:
        """The largest number of cores that a run uses."""
        return self._threads

    def set_power_mode(self, mode: PowerMode) -> None:
        """Has no effect: the operating system chooses the cores."""
        self._power_mode = mode

    def power_mode(self) -> PowerMode:
        """The last argument of `set_power_mode`."""
        return self._power_mode

    def set_opencl_binary_path_name(self, path: str, name: str) -> None:
        """Has no effect."""
        self.requests["opencl_binary_path_name"] = (path, name)

    def set_opencl_tune(
        self,
        tune_mode: CLTuneMode = CLTuneMode.CL_TUNE_NONE,
        path: str = "",
        name: str = "",
        lws_repeats: int = 4,
    ) -> None:
        """Has no effect."""
        self.requests["opencl_tune"] = (tune_mode, path, name, lws_repeats)

    def set_opencl_precision(self, precision: CLPrecisionType = CLPrecisionType.CL_PRECISION_AUTO) -> None:
        """Has no effect."""
        self.requests["opencl_precision"] = (precision,)

    def set_metal_use_mps(self, flag: bool = True) -> None:
        """Has no effect."""
        self.requests["metal_use_mps"] = (flag,)

    def set_metal_use_memory_reuse(self, flag: bool) -> None:
        """Has no effect."""
        self.requests["metal_use_memory_reuse"] = (flag,)

    def set_metal_lib_path(self, path: str) -> None:
        """Has no effect."""
        self.requests["metal_lib_path"] = (path,)

    def set_nnadapter_device_names(self, device_names: Sequence[str]) -> None:
        """Set the devices in order of preference; loading a model warns of devices that are not installed."""
        self._device_names = list(device_names)

    def nnadapter_device_names(self) -> list[str]:
        """The last argument of `set_nnadapter_device_names`."""
        return list(self._device_names)

    def set_nnadapter_context_properties(self, context_properties: str) -> None:
        """Has no effect."""
        self._context_properties = context_properties

    def nnadapter_context_properties(self) -> str:
        """The last argument of `set_nnadapter_context_properties`."""
        return self._context_properties

    def set_nnadapter_model_cache_dir(self, model_cache_dir: str) -> None:
        """Set the folder for compiled models of devices; "" means that they are not kept."""
        self._model_cache_dir = model_cache_dir

    def nnadapter_model_cache_dir(self) -> str:
        """The last argument of `set_nnadapter_model_cache_dir`."""
        return self._model_cache_dir

    def set_nnadapter_dynamic_shape_info(self, info: Mapping[str, Sequence[Sequence[int]]]) -> None:
        """Has no effect: inputs may have any shape that the model accepts."""
        self.requests["nnadapter_dynamic_shape_info"] = (info,)

    def set_nnadapter_model_cache_buffers(self, key: str, buffer: bytes) -> None:
        """Has no effect."""
        self.requests["nnadapter_model_cache_buffers"] = (key, buffer)
