"""Models of one op of any domain, and the comparison of their outputs with ONNX Runtime."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

import lite
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import model_of

QUANTISED = [np.uint8, np.int8]

CONFIGURATIONS: Sequence[Mapping[str, Any]] = (
    {"precision": "strict"},
    {"precision": "strict", "passes": [], "valid_places": ["host"]},
    {"precision": "strict", "valid_places": ["host"]},
)
"""All passes with the compiled kernels, no passes on the host, all passes on the host."""


def contrib_model(
    op: str,
    inputs: Sequence[Array | None],
    attrs: Mapping[str, Any] | None = None,
    *,
    domain: str = "com.microsoft",
    opset: int = 17,
    outputs: int = 1,
    constants: Collection[int] = (),
    symbolic: bool = False,
) -> onnx.ModelProto:
    """A model of one node of a domain; see `model_of` for the names."""
    model = model_of(op, inputs, attrs, opset=opset, outputs=outputs, constants=constants, symbolic=symbolic)
    model.graph.node[0].domain = domain
    if domain:
        model.opset_import.append(helper.make_opsetid(domain, 1))
    return model


def feeds_of(model: onnx.ModelProto, inputs: Sequence[Array | None]) -> dict[str, Array]:
    """The arrays that the model takes as inputs."""
    arrays = {f"x{n}": array for n, array in enumerate(inputs) if array is not None}
    return {value.name: arrays[value.name] for value in model.graph.input}


def run_onnxruntime(model: onnx.ModelProto, feeds: Mapping[str, Array]) -> list[Array]:
    """The outputs by ONNX Runtime's CPU kernels on one thread, without optimisation."""
    runtime = pytest.importorskip("onnxruntime")
    options = runtime.SessionOptions()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    session = runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    results: list[Array] = session.run(None, dict(feeds))
    return results


def run_configurations(model: onnx.ModelProto, feeds: Mapping[str, Array]) -> list[list[Array]]:
    """The outputs by litebridge in each of `CONFIGURATIONS`."""
    buffer = model.SerializeToString()
    return [
        list(lite.create_predictor(lite.Config(model_buffer=buffer, **config)).run(feeds).values())
        for config in CONFIGURATIONS
    ]


def check_against_onnxruntime(
    op: str,
    inputs: Sequence[Array | None],
    attrs: Mapping[str, Any] | None = None,
    *,
    domain: str = "com.microsoft",
    opset: int = 17,
    outputs: int = 1,
    constants: Collection[int] = (),
    symbolic: bool = False,
    tolerance: float = 0.0,
) -> None:
    """Assert that all outputs equal ONNX Runtime's, in each of `CONFIGURATIONS`.

    The inputs at `constants` are initialisers, the others are inputs of the model; with `symbolic`, the
    sizes of these are symbols.
    """
    model = contrib_model(
        op, inputs, attrs, domain=domain, opset=opset, outputs=outputs, constants=constants, symbolic=symbolic
    )
    feeds = feeds_of(model, inputs)
    expected = run_onnxruntime(model, feeds)
    for results in run_configurations(model, feeds):
        assert [(x.dtype, x.shape) for x in results] == [(x.dtype, x.shape) for x in expected]
        for result, array in zip(results, expected, strict=True):
            np.testing.assert_allclose(
                result.astype(np.float64), array.astype(np.float64), rtol=tolerance, atol=tolerance
            )


def scale_and_zero(scale: float, zero_point: int, dtype: type[np.generic]) -> tuple[Array, Array]:
    """A scale, float32[], and a zero point of `dtype`."""
    return np.array(scale, np.float32), np.array(zero_point, dtype)


def codes(shape: Sequence[int], dtype: type[np.generic], seed: int = 0) -> Array:
    """Numbers of a quantised type from its whole range, both ends included."""
    limits = np.iinfo(dtype)  # type: ignore[type-var]
    array = np.random.default_rng(seed).integers(limits.min, limits.max, shape, dtype, endpoint=True)
    array.flat[:2] = limits.min, limits.max
    return array


def weights(shape: Sequence[int], dtype: type[np.generic] = np.int8, seed: int = 0) -> Array:
    """Numbers like `codes`, of 7 bits for int8.

    With larger ones, sums in ONNX Runtime's kernels saturate on x86 processors without VNNI.
    """
    array = codes(shape, dtype, seed)
    return array >> 1 if dtype is np.int8 else array
