"""Config of ``paddle.inference``: the model and its settings."""

from __future__ import annotations

import os
from collections.abc import Sequence

import lite
from lite.compat.paddle_inference.accelerators import AcceleratorRequests
from lite.compat.paddle_inference.enums import PrecisionType
from lite.compat.paddle_inference.environment import current_settings, warn_ignored
from lite.compat.paddle_inference.model_files import ModelFiles
from lite.compat.paddle_inference.onednn import OneDnn
from lite.compat.paddle_inference.pass_builder import PassStrategy, default_passes
from lite.config import max_threads
from lite.dataclass import dataclass


class Config(ModelFiles, AcceleratorRequests, OneDnn):
    """``Config()``, ``Config(model_dir)``, ``Config(prog_file, params_file)``, ``Config(model_dir, prefix)``,
    or a copy, ``Config(config)``.

    The model is read when a predictor is created.  Every public name of Paddle 3.3.1 is here; a setting
    without a meaning here has no effect and, where a result or a speed may depend on it, logs one warning.
    """

    Precision = PrecisionType
    Float32 = PrecisionType.Float32
    Int8 = PrecisionType.Int8
    Half = PrecisionType.Half
    Bfloat16 = PrecisionType.Bfloat16

    def __init__(
        self, model: str | os.PathLike[str] | Config = "", params_file: str | os.PathLike[str] | None = None
    ) -> None:
        ModelFiles.__init__(self)
        AcceleratorRequests.__init__(self)
        OneDnn.__init__(self)
        self._passes = PassStrategy(default_passes())
        self._threads: int | None = None
        self._ir_optim = self._memory_optim = True
        self._ir_debug = self._glog_disabled = self._new_ir = False
        self._feed_fetch_ops = self._input_names = False
        if isinstance(model, Config):
            vars(self).update(vars(model))
            self._passes = model._passes.copy()
        else:
            self.set_model(model, params_file)

    def set_cpu_math_library_num_threads(self, threads: int) -> None:
        """Set the largest number of cores that a run uses, within 1 and `lite.config.max_threads`."""
        self._threads = min(max(threads, 1), max_threads())

    def cpu_math_library_num_threads(self) -> int:
        """The largest number of cores that a run uses."""
        return current_settings().threads if self._threads is None else self._threads

    def enable_memory_optim(self, x: bool = True) -> None:
        """Choose whether buffers share memory; by default they do."""
        self._memory_optim = x

    def switch_ir_optim(self, x: bool = True) -> None:
        """With False, run only the mandatory passes."""
        self._ir_optim = x

    def ir_optim(self) -> bool:
        """Whether the passes of `pass_builder` run."""
        return self._ir_optim

    def switch_ir_debug(self, x: bool = True, passes: Sequence[str] = ()) -> None:
        """Verify the graph after every pass that changed it."""
        self._ir_debug = x

    def set_optimization_level(self, opt_level: int = 2) -> None:
        """With 0, run only the mandatory passes; with other levels, those of `pass_builder`."""
        self._ir_optim = opt_level > 0

    def enable_custom_passes(self, passes: Sequence[str] = (), custom_pass_only: bool = False) -> None:
        """Add passes at the end of the list, or make them the whole list."""
        if custom_pass_only:
            self._passes.clear_passes()
        for name in passes:
            self._passes.append_pass(name)

    def use_optimized_model(self, x: bool = True) -> None:
        """Has no effect; logs a warning."""
        if x:
            warn_ignored("use_optimized_model", "the model is optimised when a predictor is created")

    def pass_builder(self) -> PassStrategy:
        """The list of passes of this Config; it can be edited."""
        return self._passes

    def delete_pass(self, name: str) -> None:
        """Remove a pass from the list."""
        self._passes.delete_pass(name)

    def switch_use_feed_fetch_ops(self, x: bool = True) -> None:
        """Has no effect: inputs and outputs are passed through handles."""
        self._feed_fetch_ops = x

    def use_feed_fetch_ops_enabled(self) -> bool:
        """The last argument of `switch_use_feed_fetch_ops`."""
        return self._feed_fetch_ops

    def switch_specify_input_names(self, x: bool = True) -> None:
        """Has no effect: inputs always have names."""
        self._input_names = x

    def specify_input_name(self) -> bool:
        """The last argument of `switch_specify_input_names`."""
        return self._input_names

    def disable_glog_info(self) -> None:
        """Log nothing below the level WARNING."""
        self._glog_disabled = True

    def glog_info_disabled(self) -> bool:
        """Whether `disable_glog_info` was called."""
        return self._glog_disabled

    def enable_profile(self) -> None:
        """Has no effect; logs a warning."""
        warn_ignored("enable_profile", "use lite.Predictor.profile, or the command litebridge profile")

    def set_optim_cache_dir(self, path: str) -> None:
        """Has no effect: nothing is written to disk."""

    def enable_new_ir(self, x: bool = True) -> None:
        """Has no effect except on `new_ir_enabled`: litebridge has one graph format."""
        self._new_ir = x

    def new_ir_enabled(self) -> bool:
        """The last argument of `enable_new_ir`."""
        return self._new_ir

    def enable_new_executor(self, x: bool = True) -> None:
        """Has no effect: litebridge has one executor."""

    def enable_save_optim_model(self, save_optimized_model: bool = False) -> None:
        """Has no effect; logs a warning."""
        if save_optimized_model:
            warn_ignored("enable_save_optim_model", "the optimised model is not written")

    def summary(self) -> str:
        """The settings that have an effect, one per line."""
        memory = [f"{len(data)} bytes" for data in self._buffers or ()]
        rows = {
            "model_dir": self._model_dir,
            "prog_file": self._prog_file or " and ".join(memory),
            "params_file": self._params_file,
            "cpu_math_thread": self.cpu_math_library_num_threads(),
            "devices": ", ".join(self._devices()) or "host only",
            "ir_optim": self._ir_optim,
            "ir_debug": self._ir_debug or self._passes.debug,
            "memory_optim": self._memory_optim,
            "passes": ", ".join(self._passes.all_passes()) if self._ir_optim else "mandatory ones only",
        }
        return "\n".join(f"{name:<16} {value}" for name, value in rows.items())

    def to_native_config(self) -> NativeConfig:
        """The model's files, in the form of Paddle 1."""
        return NativeConfig(self._model_dir, self._prog_file, self._params_file)

    def _devices(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*current_settings().devices, *self.requested_devices()]))

    def to_lite(self) -> lite.Config:
        """This Config as a `lite.Config`; raises `ConfigError` if it is contradictory or names no model."""
        passes = self._passes.all_passes() if self._ir_optim else []
        model, params = self._buffers or (None, None)
        return lite.Config(
            model_dir=self._model_dir or None,
            model_file=self._prog_file or None,
            params_file=self._params_file or None,
            model_buffer=model,
            params_buffer=params or None,
            devices=self._devices(),
            passes=None if passes == default_passes() else passes,
            threads=self.cpu_math_library_num_threads(),
            memory="compact" if self._memory_optim else "plain",
            debug=self._ir_debug or self._passes.debug,
        )


@dataclass
class NativeConfig:
    """The model's files, by the names of Paddle 1."""

    model_dir: str = ""
    prog_file: str = ""
    param_file: str = ""
    use_gpu: bool = False
    device: int = 0
