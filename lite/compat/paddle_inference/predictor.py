"""Predictor and PredictorPool of ``paddle.inference``."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import overload

import numpy as np

import lite
from lite.compat.paddle_inference.config import Config
from lite.compat.paddle_inference.enums import DataType
from lite.compat.paddle_inference.environment import warn_ignored
from lite.compat.paddle_inference.paddle.tensor import Tensor as EagerTensor
from lite.compat.paddle_inference.tensor import InputTensor, OutputTensor, Tensor
from lite.errors import ConfigError, InputError
from lite.ir.types import Array
from lite.runtime.observe.watch import Observation

Hook = Callable[[str, str, Tensor], None]
"""Called with the type of an op, the name of a variable and its value."""

log = logging.getLogger(__name__)


def create_predictor(config: Config) -> Predictor:
    """Load, optimise and plan the model; raises the errors of `lite.create_predictor`."""
    return Predictor(config)


class Predictor:
    """Runs one model in one thread; use a `clone` in each other thread."""

    def __init__(self, model: Config | lite.Predictor) -> None:
        if isinstance(model, Config):
            ignored = model.pass_builder().ignored
            if ignored and not model.glog_info_disabled():
                log.info(
                    "passes of Paddle Inference without a counterpart in litebridge: %s", ", ".join(ignored)
                )
            model = lite.create_predictor(model.to_lite())
        self._predictor = model
        self._hooks: list[Hook] = []
        self._inputs = {name: InputTensor(model.get_input(name)) for name in model.input_names}
        self._outputs = {name: OutputTensor(model.get_output(name)) for name in model.output_names}

    def get_input_names(self) -> list[str]:
        """Names of the inputs, in the model's order."""
        return list(self._inputs)

    def get_output_names(self) -> list[str]:
        """Names of the outputs, in the model's order."""
        return list(self._outputs)

    def get_input_handle(self, name: str) -> Tensor:
        """The tensor that feeds an input; raises `InputError`, with near names, for an unknown name."""
        return self._inputs[self._predictor.get_input(name).name]

    def get_output_handle(self, name: str) -> Tensor:
        """The tensor that reads an output after each run; raises `InputError` for an unknown name."""
        return self._outputs.setdefault(name, OutputTensor(self._predictor.get_output(name)))

    def get_input_tensor_shape(self) -> dict[str, list[int]]:
        """The shape of each input, with -1 for an unknown size."""
        return {name: tensor.shape() for name, tensor in self._inputs.items()}

    def get_input_types(self) -> dict[str, DataType]:
        """The element type of each input."""
        return {name: tensor.type() for name, tensor in self._inputs.items()}

    @overload
    def run(self) -> bool: ...

    @overload
    def run(self, inputs: Sequence[Tensor | EagerTensor | Array]) -> list[EagerTensor]: ...

    def run(self, inputs: Sequence[Tensor | EagerTensor | Array] | None = None) -> bool | list[EagerTensor]:
        """Run on the arrays of the input handles and return True, or run on `inputs` and return the outputs.

        The outputs are objects of ``paddle.Tensor``.  Inputs and outputs are in the model's order.
        Raises `InputError` and `ExecutionError` as `lite.Predictor.run` does.
        """
        if inputs is not None:
            return self._run_list(inputs)
        self._run()
        return True

    def clone(self) -> Predictor:
        """Another predictor of the same model; it has its own handles and shares the weights."""
        return Predictor(self._predictor.clone())

    def clear_intermediate_tensor(self) -> None:
        """Has no effect: buffers are kept for the next run."""

    def try_shrink_memory(self) -> int:
        """Return the number of released bytes: always 0, since buffers are kept for the next run."""
        return 0

    def register_output_hook(self, hook: Hook) -> None:
        """Call `hook` after each op; each run then computes the model a second time, for the hooks."""
        self._hooks.append(hook)

    def register_input_hook(self, hook: Hook) -> None:
        """Has no effect; logs a warning."""
        warn_ignored("register_input_hook", "use register_output_hook, or lite.Predictor.observe")

    def _run(self) -> None:
        self._predictor.run()
        if self._hooks:
            self._predictor.observe(self._call_hooks)

    def _call_hooks(self, seen: Observation) -> None:
        if seen.position >= 0 and isinstance(seen.value, np.ndarray):
            for hook in self._hooks:
                hook(seen.op, seen.name, Tensor(seen.name, seen.value.copy(), seen.lod))

    def _run_list(self, inputs: Sequence[Tensor | EagerTensor | Array]) -> list[EagerTensor]:
        if len(inputs) != len(self._inputs):
            names = ", ".join(self._inputs)
            raise InputError(f"the model takes {len(self._inputs)} inputs ({names}), got {len(inputs)}")
        for tensor, data in zip(self._inputs.values(), inputs, strict=True):
            tensor.share_external_data(data)
            tensor.set_lod(data.lod() if isinstance(data, Tensor | EagerTensor) else [])
        self._run()
        return [
            EagerTensor(output.copy_to_cpu(), name, tuple(map(tuple, output.lod())))
            for name, output in self._outputs.items()
        ]


class PredictorPool:
    """`size` predictors of one model, one per thread; they share the weights."""

    def __init__(self, config: Config, size: int) -> None:
        if size < 1:
            raise ConfigError(f"PredictorPool: expected 1 predictor or more, got {size}; one for each thread")
        first = create_predictor(config)
        self._predictors = [first, *(first.clone() for _ in range(size - 1))]

    def retrive(self, index: int) -> Predictor:
        """The predictor at `index` (Paddle's spelling)."""
        count = len(self._predictors)
        if not 0 <= index < count:
            raise ConfigError(f"PredictorPool: expected an index from 0 to {count - 1}, got {index}")
        return self._predictors[index]

    def retrieve(self, index: int) -> Predictor:
        """The predictor at `index`."""
        return self.retrive(index)
