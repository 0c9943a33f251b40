"""Predictor of ``paddle.inference``."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import overload

import lite
from lite.compat.paddle_inference.config import Config
from lite.compat.paddle_inference.enums import DataType
from lite.compat.paddle_inference.tensor import InputTensor, OutputTensor, Tensor
from lite.errors import InputError
from lite.ir.types import Array

log = logging.getLogger(__name__)


def create_predictor(config: Config) -> Predictor:
    """Load, optimise and plan the model; raises what `lite.create_predictor` does."""
    return Predictor(config)


class Predictor:
    """Runs one model in one thread; make a `clone` for each further one."""

    def __init__(self, model: Config | lite.Predictor) -> None:
        if isinstance(model, Config):
            ignored = model.pass_builder().ignored
            if ignored and not model.glog_info_disabled():
                log.info("passes of Paddle Inference that have no counterpart here: %s", ", ".join(ignored))
            model = lite.create_predictor(model.to_lite())
        self._predictor = model
        self._inputs = {name: InputTensor(model.get_input(name)) for name in model.input_names}
        self._outputs = {name: OutputTensor(model.get_output(name)) for name in model.output_names}

    def get_input_names(self) -> list[str]:
        """Names of the inputs, in the model's order."""
        return list(self._inputs)

    def get_output_names(self) -> list[str]:
        """Names of the outputs, in the model's order."""
        return list(self._outputs)

    def get_input_handle(self, name: str) -> Tensor:
        """The tensor to feed an input through; raises `InputError` with near names."""
        return self._inputs[self._predictor.get_input(name).name]

    def get_output_handle(self, name: str) -> Tensor:
        """The tensor to read an output through, now or after later runs; raises `InputError`."""
        return self._outputs.setdefault(name, OutputTensor(self._predictor.get_output(name)))

    def get_input_tensor_shape(self) -> dict[str, list[int]]:
        """The shape of each input; -1 where the model leaves a size open."""
        return {name: tensor.shape() for name, tensor in self._inputs.items()}

    def get_input_types(self) -> dict[str, DataType]:
        """The element type of each input."""
        return {name: tensor.type() for name, tensor in self._inputs.items()}

    @overload
    def run(self) -> bool: ...

    @overload
    def run(self, inputs: Sequence[Tensor | Array]) -> list[Tensor]: ...

    def run(self, inputs: Sequence[Tensor | Array] | None = None) -> bool | list[Tensor]:
        """Run on what the input handles were given; True.  Or on tensors in the model's order; the outputs.

        Raises `InputError` and `ExecutionError` as `lite.Predictor.run` does.
        """
        if inputs is not None:
            return self._run_list(inputs)
        self._predictor.run()
        return True

    def clone(self) -> Predictor:
        """Another predictor of the same model with handles of its own; weights are shared."""
        return Predictor(self._predictor.clone())

    def clear_intermediate_tensor(self) -> None:
        """Nothing to do: buffers stay for the next run."""

    def try_shrink_memory(self) -> int:
        """Bytes that were given back: none, buffers stay for the next run."""
        return 0

    def _run_list(self, inputs: Sequence[Tensor | Array]) -> list[Tensor]:
        if len(inputs) != len(self._inputs):
            names = ", ".join(self._inputs)
            raise InputError(f"the model takes {len(self._inputs)} inputs ({names}), got {len(inputs)}")
        for tensor, given in zip(self._inputs.values(), inputs, strict=True):
            tensor.share_external_data(given)
            tensor.set_lod(given.lod() if isinstance(given, Tensor) else [])
        self._predictor.run()
        return [
            Tensor(name, output.copy_to_cpu(), tuple(map(tuple, output.lod())))
            for name, output in self._outputs.items()
        ]
