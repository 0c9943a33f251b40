"""Opt of ``paddlelite.lite``: optimises and saves models, and prints the supported ops."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import lite
from lite.compat.paddlelite.cxx_config import CxxConfig
from lite.compat.paddlelite.environment import get_version
from lite.compat.paddlelite.opt_settings import OptSettings
from lite.compat.paddlelite.predictor import CxxPredictor
from lite.errors import ConfigError
from lite.ir.types import HOST
from lite.ops import SCHEMAS
from lite.plugin.kernel import kernels_of
from lite.plugin.loader import load_all_kernels, load_kernels

log = logging.getLogger(__name__)

_RUN_BY_THE_EXECUTOR = ("feed", "fetch")
"""Ops that have no schema and run without a kernel."""


class Opt(OptSettings):
    """Converts models: call the setters, as of `CxxConfig`, then `run`.

    The optimised model is always a folder with a Paddle model.  Methods that print write to stdout.
    """

    def run(self) -> None:
        """Optimise the model, or all models of a set, and save it.

        Raises `ConfigError` for wrong settings, and the errors of `lite.create_predictor`.
        """
        if not self._optimize_out:
            raise ConfigError("Opt has no folder to write to; call set_optimize_out")
        if not self._model_set_dir:
            self._convert(self._config, Path(self._optimize_out))
            return
        if not os.path.isdir(self._model_set_dir):
            raise ConfigError(
                f"{self._model_set_dir}: not a folder; set_modelset_dir expects a folder of models"
            )
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
        """Apply the settings that are not empty, then `run`."""
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
        """Whether every op of the model has a kernel on the valid places; prints the answer."""
        program = lite.load_program(self._config.to_lite())
        ops = sorted({op.type for block in program.blocks for op in block.ops})
        load_kernels(ops)
        missing = [op for op in ops if not supported_on(op, {*self._targets, HOST})]
        if print_ops_info:
            _print(op_table(ops, self._columns()))
        if missing:
            _print(
                f"This model is not supported: {len(missing)} op types have no kernel on "
                f"{', '.join(self._columns())}: {', '.join(missing)}"
            )
        else:
            _print("This model is supported.")
        return not missing

    def print_all_ops(self) -> None:
        """Print all ops with the targets that they run on."""
        _print(op_table(all_ops(), all_targets()))

    def print_supported_ops(self) -> None:
        """Print the ops that run on the valid places."""
        targets = self._columns()
        all_targets()
        _print(op_table((op for op in all_ops() if supported_on(op, targets)), targets))

    def display_kernels_info(self) -> None:
        """Print all kernels."""
        _print("\n".join(kernel_lines()))

    def visualize_optimized_nb_model(self, model_dir: str, output_path: str) -> None:
        """Draw a saved model as a DOT file in the folder `output_path`."""
        passes = ["graph_visualize_pass{svg=false}"]
        lite.create_predictor(lite.Config(model_dir, passes=passes, dot_dir=output_path))

    def version(self) -> str:
        """The versions of the API and of litebridge."""
        return get_version()

    def help(self) -> None:
        """Print the methods, one per line."""
        methods = {**vars(OptSettings), **vars(Opt)}.items()
        lines = [f"{name}: {method.__doc__.splitlines()[0]}" for name, method in methods if name[0] != "_"]
        _print("\n".join(lines))

    def executablebin_help(self) -> None:
        """Print how to optimise a model from the command line."""
        _print("litebridge opt MODEL --save DIR; see litebridge opt --help")

    def _columns(self) -> list[str]:
        return list(dict.fromkeys([*self._targets, HOST]))

    def _member(self, folder: Path) -> CxxConfig:
        """The config of one model of a set."""
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


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def supported_on(op: str, targets: Collection[str]) -> bool:
    """Whether an op runs on one of `targets`; ops that the executor runs count as ops of the host."""
    return any(_runs(op, target) for target in targets)


def op_table(ops: Iterable[str], targets: Sequence[str]) -> str:
    """A table with one line per op, and Y under each target that it runs on."""
    load_all_kernels()
    rows = [["op", *targets]]
    rows += [[op, *("Y" if _runs(op, target) else "" for target in targets)] for op in sorted(ops)]
    width = max(len(row[0]) for row in rows) + 2
    return "\n".join(
        (row[0].ljust(width) + "".join(cell.ljust(8) for cell in row[1:])).rstrip() for row in rows
    )


def all_ops() -> list[str]:
    """Every op type that has a schema, and feed and fetch."""
    return sorted({*SCHEMAS, *_RUN_BY_THE_EXECUTOR})


def all_targets() -> list[str]:
    """Every target that has a kernel, the host first."""
    load_all_kernels()
    others = {kernel.place.target for op in SCHEMAS for kernel in kernels_of(op)} - {HOST}
    return [HOST, *sorted(others)]


def kernel_lines() -> list[str]:
    """Every kernel, as ``op: target/dtype/layout``."""
    load_all_kernels()
    return [f"{op}: {kernel.place}" for op in sorted(SCHEMAS) for kernel in kernels_of(op)]


def _runs(op: str, target: str) -> bool:
    schema = SCHEMAS.get(op)
    if op in _RUN_BY_THE_EXECUTOR or (schema is not None and schema.control_flow):
        return target == HOST
    if schema is not None and schema.canonical is not None:
        # The canonical op replaces this one before kernels are picked.
        return _runs(schema.canonical.op, target)
    return any(kernel.place.target == target for kernel in kernels_of(op))
