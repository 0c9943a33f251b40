"""ONNX's backend interface, implemented by litebridge, for ONNX's own test runner.

import onnx.backend.test
from lite.compat import onnx_backend
runner = onnx.backend.test.BackendTest(onnx_backend, __name__)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lite.extras import missing

try:
    import onnx
    from onnx import helper, numpy_helper
    from onnx.backend.base import Backend, BackendRep, namedtupledict
except ImportError as error:
    raise missing("onnx", "onnx", "ONNX's backend interface") from error

from lite.config import Config
from lite.errors import InputError
from lite.ir.types import Array
from lite.session.arguments import require_name
from lite.session.predictor import Predictor, create_predictor


class LiteRep(BackendRep):
    """A prepared model."""

    def __init__(self, model: onnx.ModelProto) -> None:
        constant = {tensor.name for tensor in model.graph.initializer}
        self._model = model
        self._optional = [value.name for value in model.graph.input if value.type.HasField("optional_type")]
        self._inputs = [value.name for value in model.graph.input]
        self._required = [name for name in self._inputs if name not in constant]
        self._predictors: dict[tuple[tuple[str, ...], tuple[str, ...]], Predictor] = {}
        self._predictor((), ())

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The outputs in the model's order, for a dict by name or a list in the model's order.

        Inputs that have an initialiser may be left out.  A list of the length of the others means these;
        a longer one means the first inputs of all.  None means an optional without an element.  Raises
        `InputError` for missing and unknown inputs, too many, or one of a wrong shape or dtype.
        """
        feeds = {name: _value(value) for name, value in self._by_name(inputs).items()}
        absent = tuple(name for name in self._optional if name in feeds and feeds[name] is None)
        missing = [name for name in self._required if name not in feeds]
        if missing:
            raise InputError(f"inputs are missing: {', '.join(missing)}; the model takes {self._inputs}")
        given = tuple(name for name in self._inputs if name in feeds and name not in self._required)
        predictor = self._predictor(given, absent)
        outputs = predictor.run({name: feeds[name] for name in predictor.input_names})
        names = predictor.output_names
        result: tuple[Any, ...] = namedtupledict("Outputs", names)(*(outputs[name] for name in names))
        return result

    def _by_name(self, inputs: Any) -> Mapping[str, Any]:
        if isinstance(inputs, Mapping):
            for name in inputs:
                require_name(name, self._inputs, "input")
            return inputs
        values = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
        if len(values) > len(self._inputs):
            raise InputError(f"the model takes {len(self._inputs)} inputs, got {len(values)}")
        names = self._required if len(values) == len(self._required) else self._inputs
        return dict(zip(names, values, strict=False))

    def _predictor(self, fed: tuple[str, ...], absent: tuple[str, ...]) -> Predictor:
        """The predictor that takes the initialisers `fed` as inputs, and without the optionals `absent`."""
        if (fed, absent) not in self._predictors:
            model = self._model
            if fed or absent:
                model = onnx.ModelProto()
                model.CopyFrom(self._model)
                graph = model.graph
                kept = [tensor for tensor in graph.initializer if tensor.name not in fed]
                del graph.initializer[:]
                graph.initializer.extend(kept)
                given = [value for value in graph.input if value.name not in absent]
                nothing = [
                    helper.make_node("Optional", [], [value.name], type=value.type.optional_type.elem_type)
                    for value in graph.input
                    if value.name in absent
                ]
                nodes = [*nothing, *graph.node]
                del graph.input[:], graph.node[:]
                graph.input.extend(given)
                graph.node.extend(nodes)
            self._predictors[fed, absent] = create_predictor(Config(model_buffer=model))
        return self._predictors[fed, absent]


class LiteBackend(Backend):
    """Prepares and runs models; the only device is the CPU."""

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> LiteRep:  # noqa: ARG003
        """Load a model; raises `ModelParseError` if it cannot be read."""
        return LiteRep(model)

    @classmethod
    def run_node(
        cls,
        node: onnx.NodeProto,
        inputs: Any,
        device: str = "CPU",
        outputs_info: Sequence[tuple[Any, tuple[int, ...]]] | None = None,  # noqa: ARG003
        **kwargs: Any,
    ) -> tuple[Any, ...]:
        """The outputs of one node, for a dict by name or a list of its inputs; absent inputs are left out.

        kwargs: `opset_version`, the newest one by default.
        """
        version = int(kwargs.get("opset_version", onnx.defs.onnx_opset_version()))
        names = list(dict.fromkeys(name for name in node.input if name))
        arrays = dict(inputs) if isinstance(inputs, Mapping) else dict(zip(names, inputs, strict=True))
        values = [_value_info(name, _value(value)) for name, value in arrays.items()]
        outputs = [helper.make_empty_tensor_value_info(name) for name in node.output if name]
        opsets = [helper.make_opsetid("", version)]
        if node.domain not in ("", "ai.onnx"):
            opsets.append(helper.make_opsetid(node.domain, int(kwargs.get("domain_version", 1))))
        model = helper.make_model(helper.make_graph([node], "node", values, outputs), opset_imports=opsets)
        return cls.prepare(model, device).run(arrays)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether models can run on a device of that name."""
        return device.partition(":")[0] == "CPU"


def _value_info(name: str, array: Array) -> onnx.ValueInfoProto:
    kind = (
        onnx.TensorProto.STRING if array.dtype.kind in "OUS" else helper.np_dtype_to_tensor_dtype(array.dtype)
    )
    return helper.make_tensor_value_info(name, kind, array.shape)


def _value(value: Any) -> Any:
    """An input as an array, or as a list of arrays; None for an optional without an element.

    The test runner passes dtypes that numpy lacks as tensor messages.
    """
    if value is None:
        return None
    if isinstance(value, list) and all(isinstance(item, np.ndarray) for item in value):
        return value
    if isinstance(value, onnx.TensorProto):
        return np.asarray(numpy_helper.to_array(value))
    return np.asarray(value)


prepare = LiteBackend.prepare
run_model = LiteBackend.run_model
run_node = LiteBackend.run_node
supports_device = LiteBackend.supports_device
is_compatible = LiteBackend.is_compatible
