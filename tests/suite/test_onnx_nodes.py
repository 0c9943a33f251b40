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
    "Attention": (10, "half precision: sums are rounded at other places than in the reference"),
    "Bernoulli": (6, "random: every engine draws other numbers"),
    "Dropout": (4, "random in training: every engine draws other numbers"),
    "ImageDecoder": (9, "litebridge does not decode image files"),
}
"""How many tests of these ops, or of their expansions, fail, and why."""


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
        for result, value in zip(prepared.run(inputs), outputs, strict=True):
            reference = expected(value)
            assert result.shape == reference.shape
            if reference.dtype.kind in "OUS":
                assert result.astype(str).tolist() == reference.astype(str).tolist()
                continue
            assert result.dtype == reference.dtype
            a, b = result.astype(np.complex128), reference.astype(np.complex128)
            np.testing.assert_allclose(a, b, rtol=case.rtol, atol=max(case.atol, 1e-7))


def title(op: str) -> str:
    """The op as `REASONS` spells it; names of expanded tests have it in lower case."""
    return next((name for name in REASONS if name.lower() == op.lower()), op)


@pytest.mark.slow
def test_only_listed_node_tests_fail() -> None:
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
            failed[title(op)].append(f"{case.name}: {error}")
    # Other releases of onnx have other cases, newer ones of ops that did not exist when this was written.
    if onnx.__version__.startswith("1.23."):
        assert {op: messages for op, messages in failed.items() if op not in REASONS} == {}
        assert {op: len(messages) for op, messages in failed.items()} == {
            op: n for op, (n, _) in REASONS.items()
        }
        assert len(cases) == 1829
    assert sum(map(len, failed.values())) <= 0.06 * len(cases)
