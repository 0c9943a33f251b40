"""ONNX's backend interface, implemented by litebridge, for ONNX's own test runner.

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
    """A prepared model; `inputs` names its inputs in the model's order, initialisers included."""

    def __init__(self, predictor: Predictor, inputs: Sequence[str]) -> None:
        self._predictor = predictor
        self._inputs = inputs

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The outputs in the model's order, for inputs in the model's order.

        Inputs that have an initialiser are optional.  Raises `InputError` for too many inputs, or for an
        input with a wrong shape or dtype.
        """
        if len(inputs) > len(self._inputs):
            raise InputError(f"the model takes {len(self._inputs)} inputs, got {len(inputs)}")
        by_name = dict(zip(self._inputs, inputs, strict=False))
        feeds = {name: _array(by_name[name]) for name in self._predictor.input_names if name in by_name}
        outputs = self._predictor.run(feeds)
        names = self._predictor.output_names
        result: tuple[Any, ...] = namedtupledict("Outputs", names)(*(outputs[name] for name in names))
        return result


class LiteBackend(Backend):
    """Prepares and runs models; the only device is the CPU."""

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> LiteRep:  # noqa: ARG003
        """Load a model; raises `ModelParseError` if it cannot be read."""
        predictor = create_predictor(Config(model_buffer=model))
        return LiteRep(predictor, [value.name for value in model.graph.input])

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether models can run on a device of that name."""
        return device.partition(":")[0] == "CPU"


def _array(value: Any) -> Array:
    """An input as an array; the test runner passes dtypes that numpy lacks as tensor messages."""
    if isinstance(value, onnx.TensorProto):
        return np.asarray(numpy_helper.to_array(value))
    return np.asarray(value)


prepare = LiteBackend.prepare
run_model = LiteBackend.run_model
run_node = LiteBackend.run_node
supports_device = LiteBackend.supports_device
is_compatible = LiteBackend.is_compatible
