"""Config of ``paddle.inference``: which model, and how to run it."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

import lite
from lite.compat.paddle_inference.accelerators import AcceleratorRequests
from lite.compat.paddle_inference.model_files import ModelFiles
from lite.compat.paddle_inference.notice import warn_once
from lite.compat.paddle_inference.pass_builder import PassStrategy, default_passes
from lite.compat.paddle_inference.settings import current_settings


class Config(ModelFiles, AcceleratorRequests):
    """``Config()``, ``Config(model_dir)``, ``Config(prog_file, params_file)`` or ``Config(config)``, a copy.

    Nothing is read before a predictor is created.
    """

    def __init__(
        self, model: str | os.PathLike[str] | Config = "", params_file: str | os.PathLike[str] | None = None
    ) -> None:
        ModelFiles.__init__(self)
        AcceleratorRequests.__init__(self)
        self._passes = PassStrategy(default_passes())
        self._threads: int | None = None
        self._ir_optim = self._memory_optim = True
        self._ir_debug = self._mkldnn = self._glog_disabled = False
        self._feed_fetch_ops = self._input_names = False
        if isinstance(model, Config):
            vars(self).update(vars(model))
            self._passes = model._passes.copy()
        else:
            self.set_model(model, params_file)

    def set_cpu_math_library_num_threads(self, threads: int) -> None:
        """Most cores that one run uses; less than 1 counts as 1."""
        self._threads = max(threads, 1)

    def cpu_math_library_num_threads(self) -> int:
        """Most cores that one run uses."""
        return current_settings().threads if self._threads is None else self._threads

    def enable_mkldnn(self) -> None:
        """Remembered only: the host has one set of kernels."""
        self._mkldnn = True

    def disable_mkldnn(self) -> None:
        """Remembered only."""
        self._mkldnn = False

    def mkldnn_enabled(self) -> bool:
        """Whether `enable_mkldnn` was called last."""
        return self._mkldnn

    def set_mkldnn_cache_capacity(self, capacity: int = 0) -> None:
        """Nothing to do: what is prepared per input shape is not oneDNN's."""

    def set_mkldnn_op(self, op_list: Collection[str]) -> None:
        """Nothing to do."""

    def enable_mkldnn_bfloat16(self) -> None:
        """Accepted with a warning."""
        warn_once("enable_mkldnn_bfloat16", "the model runs in the precision it was saved in")

    def enable_mkldnn_int8(self, op_list: Collection[str] = ()) -> None:
        """Accepted with a warning."""
        warn_once("enable_mkldnn_int8", "the model runs in the precision it was saved in")

    def enable_memory_optim(self, x: bool = True) -> None:
        """Whether buffers share memory; they do unless it is switched off."""
        self._memory_optim = x

    def switch_ir_optim(self, x: bool = True) -> None:
        """With False, only the passes run without which a model cannot run."""
        self._ir_optim = x

    def ir_optim(self) -> bool:
        """Whether the passes of `pass_builder` run."""
        return self._ir_optim

    def switch_ir_debug(self, x: bool = True, passes: Sequence[str] = ()) -> None:
        """Verify the graph after every pass that changed it."""
        self._ir_debug = x

    def pass_builder(self) -> PassStrategy:
        """The list of passes; editing it edits this Config."""
        return self._passes

    def delete_pass(self, name: str) -> None:
        """Remove a pass from the list."""
        self._passes.delete_pass(name)

    def switch_use_feed_fetch_ops(self, x: bool = True) -> None:
        """Remembered only: inputs and outputs go through handles."""
        self._feed_fetch_ops = x

    def use_feed_fetch_ops_enabled(self) -> bool:
        """What `switch_use_feed_fetch_ops` was given last."""
        return self._feed_fetch_ops

    def switch_specify_input_names(self, x: bool = True) -> None:
        """Remembered only: inputs always have names."""
        self._input_names = x

    def specify_input_name(self) -> bool:
        """What `switch_specify_input_names` was given last."""
        return self._input_names

    def disable_glog_info(self) -> None:
        """Log nothing below a warning."""
        self._glog_disabled = True

    def glog_info_disabled(self) -> bool:
        """Whether `disable_glog_info` was called."""
        return self._glog_disabled

    def enable_profile(self) -> None:
        """Accepted with a warning."""
        warn_once("enable_profile", "use Python's cProfile; ops are calls of kernels")

    def set_optim_cache_dir(self, path: str) -> None:
        """Nothing to do: nothing is written to disk."""

    def enable_new_ir(self, x: bool = True) -> None:
        """Nothing to do: there is one graph format here."""

    def enable_new_executor(self, x: bool = True) -> None:
        """Nothing to do: there is one executor here."""

    def enable_save_optim_model(self, save_optimized_model: bool = False) -> None:
        """Accepted with a warning."""
        if save_optimized_model:
            warn_once("enable_save_optim_model", "nothing is written")

    def summary(self) -> str:
        """The settings that have an effect, a line each."""
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

    def _devices(self) -> tuple[str, ...]:
        asked = ["onnxruntime"] if self.onnxruntime_enabled() else []
        return tuple(dict.fromkeys([*current_settings().devices, *asked]))

    def to_lite(self) -> lite.Config:
        """The same as a Config of ours; raises `ConfigError` for contradictions, such as no model."""
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
