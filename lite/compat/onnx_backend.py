"""ONNX's backend interface on our engine, so that ONNX's own test runner drives it.

import onnx.backend.test
from lite.compat import onnx_backend
runner = onnx.backend.test.BackendTest(onnx_backend, __name__)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.base import Backend, BackendRep, namedtupledict

from lite.config import Config
from lite.errors import InputError
from lite.ir.types import Array
from lite.session.predictor import Predictor, create_predictor


class LiteRep(BackendRep):
    """A prepared model."""

    def __init__(self, predictor: Predictor, inputs: Sequence[str]) -> None:
        self._predictor = predictor
        self._inputs = inputs

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The outputs in the model's order, for inputs in its order; initialised ones may be left out.

        Raises `InputError` for what does not fit.
        """
        if len(inputs) > len(self._inputs):
            raise InputError(f"the model takes {len(self._inputs)} inputs, got {len(inputs)}")
        given = dict(zip(self._inputs, inputs, strict=False))
        taken = {name: _array(given[name]) for name in self._predictor.input_names if name in given}
        outputs = self._predictor.run(taken)
        names = self._predictor.output_names
        outcome: tuple[Any, ...] = namedtupledict("Outputs", names)(*(outputs[name] for name in names))
        return outcome


class LiteBackend(Backend):
    """Prepares and runs models; the only device is the CPU."""

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> LiteRep:  # noqa: ARG003
        """Load a model; raises `ModelParseError` for one that cannot be read."""
        predictor = create_predictor(Config(model_buffer=model))
        return LiteRep(predictor, [value.name for value in model.graph.input])

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether models can run on a device of that name."""
        return device.partition(":")[0] == "CPU"


def _array(value: Any) -> Array:
    """An input of the test runner, which hands over types that numpy lacks as tensor messages."""
    if isinstance(value, onnx.TensorProto):
        return np.asarray(numpy_helper.to_array(value))
    return np.asarray(value)


prepare = LiteBackend.prepare
run_model = LiteBackend.run_model
run_node = LiteBackend.run_node
supports_device = LiteBackend.supports_device
is_compatible = LiteBackend.is_compatible
