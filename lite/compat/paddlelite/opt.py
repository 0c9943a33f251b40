"""Opt of ``paddlelite.lite``: optimise a model and save it, and say which ops there are."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import lite
from lite.compat.paddlelite.cxx_config import CxxConfig
from lite.compat.paddlelite.notice import warn_once
from lite.compat.paddlelite.op_table import all_ops, all_targets, kernel_lines, op_table, supported_on
from lite.compat.paddlelite.opt_targets import read_targets
from lite.compat.paddlelite.place import lite_places
from lite.compat.paddlelite.predictor import CxxPredictor
from lite.compat.paddlelite.version import get_version
from lite.errors import ConfigError
from lite.ir.types import HOST
from lite.plugin.loader import load_kernels

MODEL_TYPES = ("naive_buffer", "protobuf")

log = logging.getLogger(__name__)


class Opt:
    """Settings as in `CxxConfig`, then `run`; what is printed goes to the standard output.

    The optimised model is always a directory with a Paddle model.
    """

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

    def run(self) -> None:
        """Optimise the model, or all models of a set, and save; raises `ConfigError` and others."""
        if not self._optimize_out:
            raise ConfigError("Opt does not know where to save; call set_optimize_out")
        if not self._model_set_dir:
            self._convert(self._config, Path(self._optimize_out))
            return
        if not os.path.isdir(self._model_set_dir):
            raise ConfigError(f"{self._model_set_dir}: is no directory; set_modelset_dir takes one of models")
        for folder in sorted(path for path in Path(self._model_set_dir).iterdir() if path.is_dir()):
            self._convert(self._member(folder), Path(self._optimize_out) / folder.name)

    def run_optimize(
        self,
        model_dir_path: str = "",
        model_path: str = "",
        param_path: str = "",
        model_type: str = "",
        valid_places: str = "",
        optimized_out_path: str = "",
    ) -> None:
        """`run` after the settings that are not empty."""
        for setting, value in (
            (self.set_model_dir, model_dir_path),
            (self.set_model_file, model_path),
            (self.set_param_file, param_path),
            (self.set_model_type, model_type),
            (self.set_valid_places, valid_places),
            (self.set_optimize_out, optimized_out_path),
        ):
            if value:
                setting(value)
        self.run()

    def check_if_model_supported(self, print_ops_info: bool = True) -> bool:
        """Whether every op of the model has a kernel on the valid places; prints the verdict."""
        program = lite.load_program(self._config.to_lite())
        ops = sorted({op.type for block in program.blocks for op in block.ops})
        load_kernels(ops)
        missing = [op for op in ops if not supported_on(op, {*self._targets, HOST})]
        if print_ops_info:
            _say(op_table(ops, self._columns()))
        if missing:
            _say(
                f"This model is not supported: {len(missing)} op types have no kernel on "
                f"{', '.join(self._columns())}: {', '.join(missing)}"
            )
        else:
            _say("This model is supported.")
        return not missing

    def print_all_ops(self) -> None:
        """Print which op runs on which target."""
        _say(op_table(all_ops(), all_targets()))

    def print_supported_ops(self) -> None:
        """Print the ops that run on the valid places."""
        targets = self._columns()
        all_targets()
        _say(op_table((op for op in all_ops() if supported_on(op, targets)), targets))

    def display_kernels_info(self) -> None:
        """Print every kernel."""
        _say("\n".join(kernel_lines()))

    def visualize_optimized_nb_model(self, model_dir: str, output_path: str) -> None:
        """Draw a model that `run` saved, as a DOT file in the directory `output_path`."""
        passes = ["graph_visualize_pass{svg=false}"]
        lite.create_predictor(lite.Config(model_dir, passes=passes, dot_dir=output_path))

    def version(self) -> str:
        """Versions of the API and the engine."""
        return get_version()

    def help(self) -> None:
        """Print the methods, a line each."""
        methods = {name: getattr(Opt, name) for name in vars(Opt) if not name.startswith("_")}
        lines = [f"{name}: {(method.__doc__ or '').splitlines()[0]}" for name, method in methods.items()]
        _say("\n".join(lines))

    def executablebin_help(self) -> None:
        """Print how to optimise a model without Python code."""
        _say("litebridge opt MODEL --save DIR; see litebridge opt --help")

    def _columns(self) -> list[str]:
        return list(dict.fromkeys([*self._targets, HOST]))

    def _member(self, folder: Path) -> CxxConfig:
        """The settings for one model of a set."""
        config = CxxConfig()
        vars(config).update(vars(self._config))
        config.set_model_dir(str(folder))
        if config.model_file():
            config.set_model_file(str(folder / Path(config.model_file()).name))
        if config.param_file():
            config.set_param_file(str(folder / Path(config.param_file()).name))
        return config

    def _convert(self, config: CxxConfig, folder: Path) -> None:
        predictor = CxxPredictor(config.to_lite())
        if self._model_type == "protobuf":
            predictor.save_optimized_pb_model(str(folder))
        else:
            predictor.save_optimized_model(str(folder))
        log.info("the optimised model is in %s", folder)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
