"""ONNX's backend test suite by its own runner, except the node tests that `test_onnx_nodes` runs.

Only the listed tests fail, and as many as are listed.
"""

from __future__ import annotations

import re
import unittest
import warnings
from collections.abc import Iterator

import pytest

from tests.suite.test_onnx_nodes import is_plain

pytestmark = pytest.mark.slow

REASONS = {
    "training": r"adagrad|adam|momentum|nesterov|gradient_of",
    "right, but the runner takes the length of an array without dimensions": r"loop16_seq_none",
    "an optional that has an element in one branch of an If only": r"if_opt",
}
"""Why tests fail → the tests, as a pattern of their names."""

TIES = {"test_squeezenet_cpu"}
"""Tests decided by the last bit: the softmax of 1000 logits of 1e10, where float32 has steps of 1024.

BLAS adds the products of some rows in another order, so that the logits differ by a few steps, or not.
"""

PASSING, FAILING = 192, 11
"""How many tests pass and fail with onnx 1.23; the others need a GPU or a download."""


def flat(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from flat(test)
        else:
            yield test


def test_only_listed_tests_of_the_whole_suite_fail() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the cases are computed by code that warns
        import onnx.backend.test
        from onnx.backend.test.case.node import collect_testcases

        from lite.compat import onnx_backend

        runner = onnx.backend.test.BackendTest(onnx_backend.LiteBackend, __name__)
        # Node tests are run by test_onnx_nodes, except those with other domains and types.
        plain = {
            f"test_{case.name.removeprefix('test_')}_cpu"
            for case in collect_testcases(None)
            if is_plain(case.model)
        }
        failed: dict[str, str] = {}
        passed = 0
        for test in flat(runner.test_suite):
            name = test.id().rpartition(".")[2]
            if name in plain or name in TIES or name.endswith("_cuda"):
                continue
            result = unittest.TestResult()
            test(result)
            if result.errors or result.failures:
                failed[name] = (result.errors or result.failures)[0][1].strip().splitlines()[-1]
            elif not result.skipped:
                passed += 1

    unlisted = {
        name: message
        for name, message in failed.items()
        if not any(re.match(f"test_(ai_onnx_ml_)?({pattern})", name) for pattern in REASONS.values())
    }
    assert unlisted == {}
    if onnx.__version__.startswith("1.23."):
        assert (passed, len(failed)) == (PASSING, FAILING)
