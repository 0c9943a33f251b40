"""Opt of ``paddlelite.lite``: optimise a model and save it, and say which ops there are."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

import lite
from lite.compat.paddlelite.cxx_config import CxxConfig
from lite.compat.paddlelite.op_table import all_ops, all_targets, kernel_lines, op_table, supported_on
from lite.compat.paddlelite.opt_settings import OptSettings
from lite.compat.paddlelite.predictor import CxxPredictor
from lite.compat.paddlelite.version import get_version
from lite.errors import ConfigError
from lite.ir.types import HOST
from lite.plugin.loader import load_kernels

log = logging.getLogger(__name__)


class Opt(OptSettings):
    """Settings as in `CxxConfig`, then `run`; what is printed goes to the standard output.

    The optimised model is always a directory with a Paddle model.
    """

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
        methods = {**vars(OptSettings), **vars(Opt)}.items()
        lines = [f"{name}: {each.__doc__.splitlines()[0]}" for name, each in methods if name[0] != "_"]
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
