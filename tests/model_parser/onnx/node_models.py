"""Small ONNX models, and the comparison of their outputs with ONNX's reference implementation."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import lite
from lite.ir.types import Array


def model_of(
    op: str,
    inputs: Sequence[Array | None],
    attrs: Mapping[str, Any] | None = None,
    *,
    opset: int = 21,
    outputs: int = 1,
    constants: Collection[int] = (),
    symbolic: bool = False,
) -> onnx.ModelProto:
    """A model of one node with inputs ``x0``, ``x1`` and so on (None is absent) and outputs ``y0`` and so on.

    The inputs at the positions `constants` are initialisers.  With `symbolic`, the sizes of the others are
    symbols.
    """
    values, initialisers = [], []
    for n, array in enumerate(inputs):
        if array is None:
            continue
        if n in constants:
            initialisers.append(numpy_helper.from_array(array, f"x{n}"))
            continue
        shape = [f"d{n}_{axis}" for axis in range(array.ndim)] if symbolic else array.shape
        kind = helper.np_dtype_to_tensor_dtype(array.dtype)
        values.append(helper.make_tensor_value_info(f"x{n}", kind, shape))
    names = ["" if array is None else f"x{n}" for n, array in enumerate(inputs)]
    node = helper.make_node(op, names, [f"y{n}" for n in range(outputs)], name="node", **(attrs or {}))
    results = [onnx.ValueInfoProto(name=f"y{n}") for n in range(outputs)]
    graph = helper.make_graph([node], "graph", values, results, initialisers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def value_info(name: str, kind: int, shape: list[int] | None) -> onnx.ValueInfoProto:
    """The declaration of a tensor."""
    return helper.make_tensor_value_info(name, kind, shape)


def model_of_nodes(
    nodes: list[onnx.NodeProto], inputs: list[onnx.ValueInfoProto], outputs: list[str], opset: int = 17
) -> onnx.ModelProto:
    """A model of several nodes; the types of its outputs are not declared."""
    results = [onnx.ValueInfoProto(name=name) for name in outputs]
    graph = helper.make_graph(nodes, "graph", inputs, results)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def run(model: onnx.ModelProto, arrays: Mapping[str, Any]) -> dict[str, Array]:
    """The outputs of a model by litebridge; `arrays` may hold more than its inputs."""
    predictor = lite.create_predictor(lite.Config(model_buffer=model.SerializeToString()))
    return predictor.run({name: arrays[name] for name in predictor.input_names})


def check_against_reference(
    op: str,
    inputs: Sequence[Array | None],
    attrs: Mapping[str, Any] | None = None,
    *,
    opset: int = 21,
    outputs: int = 1,
    constants: Collection[int] = (),
    tolerance: float = 1e-5,
) -> None:
    """Assert that the outputs equal those of ONNX's reference implementation.

    Four models are compared: the inputs at `constants` as inputs and as initialisers, with fixed and with
    symbolic sizes.
    """
    arrays = {f"x{n}": array for n, array in enumerate(inputs) if array is not None}
    for fixed, symbolic in itertools.product(sorted({(), tuple(constants)}), (False, True)):
        model = model_of(op, inputs, attrs, opset=opset, outputs=outputs, constants=fixed, symbolic=symbolic)
        feeds = {value.name: arrays[value.name] for value in model.graph.input}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = ReferenceEvaluator(model).run(None, feeds)
        check_equal(list(run(model, feeds).values()), [np.asarray(array) for array in expected], tolerance)


def check_against_onnxruntime(model: onnx.ModelProto | str, *feeds: Mapping[str, Array]) -> None:
    """Assert that the host and the default Config give ONNX Runtime's outputs for all feeds in turn.

    A model may be given in ONNX's text form.
    """
    onnxruntime = pytest.importorskip("onnxruntime")
    data = (onnx.parser.parse_model(model) if isinstance(model, str) else model).SerializeToString()
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    configs = (
        lite.Config(model_buffer=data, valid_places=("host",), debug=True),
        lite.Config(model_buffer=data),
    )
    for config in configs:
        predictor = lite.create_predictor(config)
        for arrays in feeds:
            outputs = predictor.run(dict(arrays))
            check_equal(list(outputs.values()), session.run(list(outputs), dict(arrays)), 1e-4)


def check_equal(outputs: Sequence[Array], expected: Sequence[Array], tolerance: float = 0.0) -> None:
    """Assert that every array has the expected dtype, shape and elements."""
    assert len(outputs) == len(expected)
    for output, array in zip(outputs, expected, strict=True):
        assert (output.dtype, output.shape) == (array.dtype, array.shape)
        if output.dtype.kind in "OUS":
            assert output.astype(str).tolist() == array.astype(str).tolist()
        else:
            np.testing.assert_allclose(
                output.astype(np.float64), array.astype(np.float64), rtol=tolerance, atol=tolerance
            )
