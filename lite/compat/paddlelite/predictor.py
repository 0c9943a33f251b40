"""The predictors of ``paddlelite.lite``."""

from __future__ import annotations

from pathlib import Path
from typing import overload

import lite
from lite.compat.paddlelite.cxx_config import CxxConfig
from lite.compat.paddlelite.input_tensor import InputTensor
from lite.compat.paddlelite.mobile_config import MobileConfig
from lite.compat.paddlelite.output_tensor import OutputTensor
from lite.compat.paddlelite.save_model import PROTOBUF_NAMES, save_optimized
from lite.compat.paddlelite.tensor import Tensor
from lite.compat.paddlelite.version import get_version
from lite.errors import ConfigError


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
        """The tensor of an input in the model's order; raises `InputError` where there is none."""
        return self._inputs[self._predictor.get_input(index).name]

    def get_output(self, index: int) -> Tensor:
        """The tensor of an output in the model's order; raises `InputError` where there is none."""
        return self._outputs[self._predictor.get_output(index).name]

    def get_input_by_name(self, name: str) -> Tensor:
        """The tensor of an input; raises `InputError` with near names."""
        return self._inputs[self._predictor.get_input(name).name]

    def get_output_by_name(self, name: str) -> Tensor:
        """The tensor of an output; raises `InputError` with near names."""
        return self._outputs[self._predictor.get_output(name).name]

    def get_input_names(self) -> list[str]:
        """Names of the inputs, in the model's order."""
        return list(self._inputs)

    def get_output_names(self) -> list[str]:
        """Names of the outputs, in the model's order."""
        return list(self._outputs)

    def run(self) -> None:
        """Run on what the inputs were given; raises `InputError` and `ExecutionError`."""
        for tensor in self._inputs.values():
            tensor.require_elements()
        self._predictor.run()

    def get_version(self) -> str:
        """Versions of the API and the engine."""
        return get_version()


class CxxPredictor(LightPredictor):
    """A predictor that can save what the passes made of its model.

    What is saved is a Paddle model, not Paddle-Lite's naive buffer: loading it picks kernels anew.
    """

    def save_optimized_model(self, model_dir: str) -> None:
        """Write ``inference.pdmodel`` and ``inference.pdiparams`` into a directory.

        Paddle-Lite would write ``<model_dir>.nb``; `MobileConfig` finds the directory under that name,
        too.  Raises `ConfigError` for a directory with another model, such as the one this came from.
        """
        save_optimized(self._predictor, Path(model_dir))

    def save_optimized_pb_model(self, model_dir: str) -> None:
        """Write ``model`` and ``params`` into a directory; raises like `save_optimized_model`."""
        save_optimized(self._predictor, Path(model_dir), PROTOBUF_NAMES)


@overload
def create_paddle_predictor(config: CxxConfig) -> CxxPredictor: ...


@overload
def create_paddle_predictor(config: MobileConfig) -> LightPredictor: ...


def create_paddle_predictor(config: CxxConfig | MobileConfig) -> LightPredictor:
    """Load a model: a CxxPredictor for a CxxConfig, a LightPredictor for a MobileConfig.

    Raises what `lite.create_predictor` does, and `ConfigError` for anything else.
    """
    if isinstance(config, CxxConfig):
        return CxxPredictor(config.to_lite())
    if isinstance(config, MobileConfig):
        return LightPredictor(config.to_lite())
    raise ConfigError(f"expected a CxxConfig or a MobileConfig, got {type(config).__name__}")
