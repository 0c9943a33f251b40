"""The predictors of ``paddlelite.lite``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import overload

import lite
from lite.compat.paddlelite.cxx_config import CxxConfig
from lite.compat.paddlelite.environment import get_version
from lite.compat.paddlelite.mobile_config import MobileConfig
from lite.compat.paddlelite.tensor import InputTensor, OutputTensor, Tensor
from lite.errors import ConfigError, ModelParseError

PROTOBUF_NAMES = {"inference.pdmodel": "model", "inference.pdiparams": "params"}
"""litebridge's name of each file → Paddle-Lite's."""

_SEPARATE = "__model__"
"""The program's file of a model whose parameters are in separate files."""


class LightPredictor:
    """Runs one model in one thread."""

    def __init__(self, config: lite.Config) -> None:
        self._predictor = lite.create_predictor(config)
        self._inputs = {
            name: InputTensor(self._predictor.get_input(name)) for name in self._predictor.input_names
        }
        self._outputs = {
            name: OutputTensor(self._predictor.get_output(name)) for name in self._predictor.output_names
        }

    def get_input(self, index: int) -> Tensor:
        """The tensor of input `index` in the model's order; raises `InputError` for a wrong index."""
        return self._inputs[self._predictor.get_input(index).name]

    def get_output(self, index: int) -> Tensor:
        """The tensor of output `index` in the model's order; raises `InputError` for a wrong index."""
        return self._outputs[self._predictor.get_output(index).name]

    def get_input_by_name(self, name: str) -> Tensor:
        """The tensor of an input; raises `InputError`, with near names, for an unknown name."""
        return self._inputs[self._predictor.get_input(name).name]

    def get_output_by_name(self, name: str) -> Tensor:
        """The tensor of an output; raises `InputError`, with near names, for an unknown name."""
        return self._outputs[self._predictor.get_output(name).name]

    def get_input_names(self) -> list[str]:
        """Names of the inputs, in the model's order."""
        return list(self._inputs)

    def get_output_names(self) -> list[str]:
        """Names of the outputs, in the model's order."""
        return list(self._outputs)

    def run(self) -> None:
        """Run on the arrays of the inputs; raises `InputError` and `ExecutionError`."""
        for tensor in self._inputs.values():
            tensor.require_elements()
        self._predictor.run()

    def get_version(self) -> str:
        """The versions of the API and of litebridge."""
        return get_version()


class CxxPredictor(LightPredictor):
    """A predictor that can save its optimised model.

    The saved model is a Paddle model, not Paddle-Lite's naive buffer: loading it picks kernels again.
    """

    def save_optimized_model(self, model_dir: str) -> None:
        """Write ``inference.pdmodel`` and ``inference.pdiparams`` into a folder.

        Paddle-Lite would write the file ``<model_dir>.nb``; `MobileConfig` finds the folder under that
        name, too.  Raises `ConfigError` if the folder contains this predictor's model or another one.
        """
        save_optimized(self._predictor, Path(model_dir))

    def save_optimized_pb_model(self, model_dir: str) -> None:
        """Write ``model`` and ``params`` into a folder; raises like `save_optimized_model`."""
        save_optimized(self._predictor, Path(model_dir), PROTOBUF_NAMES)


@overload
def create_paddle_predictor(config: CxxConfig) -> CxxPredictor: ...


@overload
def create_paddle_predictor(config: MobileConfig) -> LightPredictor: ...


def create_paddle_predictor(config: CxxConfig | MobileConfig) -> LightPredictor:
    """Load a model: a CxxPredictor for a CxxConfig, a LightPredictor for a MobileConfig.

    Raises the errors of `lite.create_predictor`, and `ConfigError` for another type.
    """
    if isinstance(config, CxxConfig):
        return CxxPredictor(config.to_lite())
    if isinstance(config, MobileConfig):
        return LightPredictor(config.to_lite())
    raise ConfigError(f"expected a CxxConfig or a MobileConfig, got {type(config).__name__}")


def save_optimized(predictor: lite.Predictor, folder: Path, names: Mapping[str, str] | None = None) -> None:
    """Write the optimised program and its parameters to `folder`; `names` maps file names to other ones.

    Raises `ConfigError` if the folder contains a model that would be overwritten, or that a loader would
    find first, and `ModelParseError` if the files cannot be written.
    """
    source = predictor.config.source.path
    own_folder = None if source is None else source if source.is_dir() else source.parent
    is_own = own_folder is not None and own_folder.resolve() == folder.resolve()
    if is_own or (folder / _SEPARATE).exists():
        raise ConfigError(f"{folder}: this folder contains a model; save the optimised model to another one")
    for path in lite.save_program(predictor.optimized_program(), folder):
        try:
            path.replace(path.with_name((names or {}).get(path.name, path.name)))
        except OSError as error:
            raise ModelParseError(f"{path}: the file cannot be renamed: {error.strerror}") from error
