"""The compiled soft_non_max_suppression against the host's, which loops check."""

from __future__ import annotations

import numpy as np
import pytest

from lite.plugin.kernel import Array, host_kernel
from tests.kernels.cpu.bound import cpu_kernel

pytest.importorskip("numba", reason="compiled kernels need the extra jit")

OP = "soft_non_max_suppression"


def assert_equal(*arguments: Array | None) -> None:
    found, expected = (kernel.run(*arguments) for kernel in (cpu_kernel(OP), host_kernel(OP)))
    for one, other in zip(found, expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(one, other, rtol=1e-6)


@pytest.mark.parametrize("limit", [0, 1, 9, 90])
@pytest.mark.parametrize(("most", "least"), [(0.0, 0.0), (0.3, 0.4), (1.0, -1.0), (0.5, 2.0)])
@pytest.mark.parametrize("sigma", [None, 0.0, 0.5])
def test_the_boxes_of_the_host(limit: int, most: float, least: float, sigma: float | None) -> None:
    rng = np.random.default_rng(0)
    boxes, scores = rng.uniform(0, 4, (60, 4)).astype(np.float32), rng.random(60).astype(np.float32)
    boxes[3:9, 2] = boxes[3:9, 0]
    boxes[20:25], scores[30:40] = boxes[10:15], np.float32(0.5)
    numbers = [None if n is None else np.array(n, np.float32) for n in (most, least, sigma)]
    assert_equal(boxes, scores, np.array(limit, np.int32), *numbers)


def test_no_boxes() -> None:
    thresholds = np.array(0.5, np.float32), np.array(0.0, np.float32), None
    assert_equal(np.zeros((0, 4), np.float32), np.zeros(0, np.float32), np.array(2, np.int32), *thresholds)
