"""ONNX's own node tests (default domain, tensors in and out), with exact dtypes and shapes."""

from __future__ import annotations

import warnings
from collections import defaultdict
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, numpy_helper

from lite.errors import LiteError
from lite.ir.types import Array

REASONS = {
    "Attention": "half precision: sums are rounded at other places than in the reference",
    "Bernoulli": "random: every engine draws other numbers",
    "Cast": "float8 without infinities of two kinds, float4 and int2/int4: no numpy or Paddle type",
    "CastLike": "the same element types as Cast",
    "DequantizeLinear": "the same element types as Cast",
    "Dropout": "training mode",
    "ImageDecoder": "decoding of image files is no op of a network",
    "OptionalGetElement": "optional values",
    "OptionalHasElement": "optional values",
    "QuantizeLinear": "the same element types as Cast",
    "Scan": "opset 8's form, which has a batch axis",
}
"""Why tests of these ops fail, or of what they are expanded to."""


def is_plain(model: onnx.ModelProto | None) -> bool:
    assert model is not None
    values = [*model.graph.input, *model.graph.output]
    return all(node.domain in ("", "ai.onnx") for node in model.graph.node) and all(
        value.type.HasField("tensor_type") for value in values
    )


def expected(value: Any) -> Array:
    return np.asarray(numpy_helper.to_array(value) if isinstance(value, TensorProto) else value)


def check(case: Any) -> None:
    from lite.compat import onnx_backend

    prepared = onnx_backend.prepare(case.model)
    for inputs, outputs in case.data_sets:
        for have, value in zip(prepared.run(inputs), outputs, strict=True):
            want = expected(value)
            assert have.shape == want.shape
            if want.dtype.kind in "OUS":
                assert have.astype(str).tolist() == want.astype(str).tolist()
                continue
            assert have.dtype == want.dtype
            a, b = have.astype(np.complex128), want.astype(np.complex128)
            np.testing.assert_allclose(a, b, rtol=case.rtol, atol=max(case.atol, 1e-7))


@pytest.mark.slow
def test_node_tests() -> None:
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the cases are computed by code that warns
        cases: list[Any] = [case for case in collect_testcases(None) if is_plain(case.model)]
    failed = defaultdict(list)
    for case in cases:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check(case)
        except (LiteError, AssertionError) as error:
            nodes = case.model.graph.node
            op = nodes[0].op_type if len(nodes) == 1 else case.name.split("_")[1]
            failed[op.lower()].append(f"{case.name}: {error}")
    unexplained = {op: found for op, found in failed.items() if op not in {name.lower() for name in REASONS}}
    # Newer releases of onnx bring cases of ops that did not exist when this was written.
    if onnx.__version__.startswith("1.23."):
        assert unexplained == {}
        assert len(cases) == 1829
        assert len(cases) - sum(map(len, failed.values())) >= 1660
    assert sum(map(len, failed.values())) <= 0.125 * len(cases)
