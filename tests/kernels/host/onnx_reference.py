"""The results of ONNX's reference implementation for one op."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from onnx import helper
from onnx.reference import ReferenceEvaluator

from lite.ir.types import Array


def reference(op: str, inputs: Sequence[Array | None], outputs: int = 1, **attrs: Any) -> list[Array]:
    """The outputs of an op of the newest opset; an absent input is None."""
    names = ["" if array is None else f"x{n}" for n, array in enumerate(inputs)]
    fed = {f"x{n}": array for n, array in enumerate(inputs) if array is not None}
    node = helper.make_node(op, names, [f"y{n}" for n in range(outputs)], **attrs)
    types = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in fed.items()
    ]
    graph = helper.make_graph([node], "g", types, [onnx.ValueInfoProto(name=name) for name in node.output])
    opset = onnx.defs.onnx_opset_version()
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [np.asarray(array) for array in ReferenceEvaluator(model).run(None, fed)]


def noise(*shape: int, seed: int = 0) -> Array:
    """Numbers around 0."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def near(found: Sequence[Array], wanted: Sequence[Array], tolerance: float = 1e-5) -> None:
    """Dtype, shape, and elements up to rounding."""
    assert len(found) == len(wanted)
    for got, array in zip(found, wanted, strict=True):
        assert (got.dtype, got.shape) == (array.dtype, array.shape)
        np.testing.assert_allclose(got, array, rtol=tolerance, atol=tolerance)
