"""Models of one ONNX node, run by us and by ONNX's reference implementation."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import onnx
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
    """Inputs are ``x0`` and so on (None is absent), outputs ``y0`` and so on.

    Those at the positions `constants` are initialisers; with `symbolic`, no size of the others is said.
    """
    fed, initialisers = [], []
    for n, array in enumerate(inputs):
        if array is None:
            continue
        if n in constants:
            initialisers.append(numpy_helper.from_array(array, f"x{n}"))
            continue
        shape = [f"d{n}_{axis}" for axis in range(array.ndim)] if symbolic else array.shape
        kind = helper.np_dtype_to_tensor_dtype(array.dtype)
        fed.append(helper.make_tensor_value_info(f"x{n}", kind, shape))
    names = ["" if array is None else f"x{n}" for n, array in enumerate(inputs)]
    node = helper.make_node(op, names, [f"y{n}" for n in range(outputs)], name="node", **(attrs or {}))
    results = [onnx.ValueInfoProto(name=f"y{n}") for n in range(outputs)]
    graph = helper.make_graph([node], "graph", fed, results, initialisers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def run(model: onnx.ModelProto, fed: Mapping[str, Array]) -> dict[str, Array]:
    """What we make of it."""
    predictor = lite.create_predictor(lite.Config(model_buffer=model.SerializeToString()))
    return predictor.run({name: fed[name] for name in predictor.input_names})


def matches_reference(
    op: str,
    inputs: Sequence[Array | None],
    attrs: Mapping[str, Any] | None = None,
    *,
    opset: int = 21,
    outputs: int = 1,
    constants: Collection[int] = (),
    tolerance: float = 1e-5,
) -> None:
    """Our outputs are those of ONNX's reference: dtype, shape and elements.

    With the inputs at `constants` fed and as initialisers, with sizes that are said and that are not.
    """
    fed = {f"x{n}": array for n, array in enumerate(inputs) if array is not None}
    for given, symbolic in itertools.product(sorted({(), tuple(constants)}), (False, True)):
        model = model_of(op, inputs, attrs, opset=opset, outputs=outputs, constants=given, symbolic=symbolic)
        reads = {name: fed[name] for name in (value.name for value in model.graph.input)}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = ReferenceEvaluator(model).run(None, reads)
        same(list(run(model, reads).values()), [np.asarray(array) for array in wanted], tolerance)


def same(found: Sequence[Array], wanted: Sequence[Array], tolerance: float = 0.0) -> None:
    """Dtype, shape and elements of every array."""
    assert len(found) == len(wanted)
    for got, array in zip(found, wanted, strict=True):
        assert (got.dtype, got.shape) == (array.dtype, array.shape)
        if got.dtype.kind in "OUS":
            assert got.astype(str).tolist() == array.astype(str).tolist()
        else:
            np.testing.assert_allclose(
                got.astype(np.float64), array.astype(np.float64), rtol=tolerance, atol=tolerance
            )
