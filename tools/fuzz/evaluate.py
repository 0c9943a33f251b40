"""The reference: ONNX Runtime without graph optimisations, one node or a whole model at a time."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from lite.ir.types import Array

IR_VERSION = 10

Values = Array | list[Any] | None
"""A tensor, a sequence of tensors, or an empty optional."""


class Rejected(Exception):  # noqa: N818 - an answer of the reference, not a failure of litebridge
    """The reference engine does not run a node or a model."""


@functools.cache
def _options() -> Any:
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    return options


def run_model(model: onnx.ModelProto, feeds: Mapping[str, Values]) -> list[Any]:
    """The outputs of a model; raises `Rejected` with the reference's message."""
    import onnxruntime

    try:
        session = onnxruntime.InferenceSession(
            model.SerializeToString(), _options(), providers=["CPUExecutionProvider"]
        )
        names = {item.name for item in session.get_inputs()}
        outputs: list[Any] = session.run(None, {name: feeds[name] for name in names})
    except Exception as error:
        raise Rejected(str(error)) from error
    return [np.asarray(output, object) if isinstance(output, str) else output for output in outputs]


def run_reference_evaluator(model: onnx.ModelProto, feeds: Mapping[str, Values]) -> list[Any]:
    """The outputs by ONNX's own reference implementation; raises `Rejected`."""
    try:
        with np.errstate(all="ignore"):
            names = {info.name for info in model.graph.input}
            feed = {name: array for name, array in feeds.items() if name in names}
            outputs: list[Any] = list(ReferenceEvaluator(model).run(None, feed))
    except Exception as error:
        raise Rejected(str(error)) from error
    return outputs


def run_node(
    node: onnx.NodeProto, inputs: Mapping[str, Values], opsets: Sequence[onnx.OperatorSetIdProto]
) -> list[Any]:
    """The outputs of one node on concrete values; raises `Rejected` where the reference declines it."""
    graph = helper.make_graph(
        [node],
        "node",
        [value_info(name, value) for name, value in inputs.items()],
        [onnx.ValueInfoProto(name=name) for name in node.output if name],
    )
    return run_model(helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION), inputs)


def value_info(name: str, value: Values, shape: Sequence[int | str | None] | None = None) -> Any:
    """The type of a value as a model declares it; `shape` replaces the shape of a tensor."""
    if isinstance(value, list):
        element = value[0] if value else np.zeros(0, np.float32)
        return helper.make_tensor_sequence_value_info(name, element_type(element), None)
    if value is None:
        raise Rejected("an empty optional is not an input")
    return helper.make_tensor_value_info(
        name, element_type(value), list(value.shape) if shape is None else list(shape)
    )


def element_type(array: Array) -> int:
    """The number that ONNX gives to an array's element type."""
    return int(helper.np_dtype_to_tensor_dtype(array.dtype))


def initializer(name: str, array: Array) -> onnx.TensorProto:
    """A constant of a model."""
    return numpy_helper.from_array(np.array(array, order="C"), name)


def all_values(model: onnx.ModelProto, feeds: Mapping[str, Array]) -> dict[str, Any]:
    """Inputs, constants and the results of all nodes; raises `Rejected` where the reference does not run."""
    everything = onnx.ModelProto()
    everything.CopyFrom(model)
    del everything.graph.output[:]
    names = [name for node in model.graph.node for name in node.output if name]
    everything.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    values: dict[str, Any] = dict(zip(names, run_model(everything, feeds), strict=True))
    constants = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    return {**feeds, **constants, **values}
