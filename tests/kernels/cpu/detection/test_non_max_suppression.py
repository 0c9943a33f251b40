"""The compiled non_max_suppression against the host's: equal boxes in equal order."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from lite.plugin.kernel import Kernel, host_kernel
from tests.kernels.cpu.bound import cpu_kernel

pytest.importorskip("numba", reason="compiled kernels need the extra jit")

OP = "non_max_suppression"


def suppressed(
    kernel: Kernel,
    boxes: Array,
    scores: Array,
    limit: int,
    iou: float | None,
    least: float | None,
    centred: int,
) -> Array:
    optional = [None if x is None else np.array([x], np.float32) for x in (iou, least)]
    assert kernel.run is not None
    result: Array = kernel.run(boxes, scores, np.array([limit]), *optional, center_point_box=centred)
    return result


@pytest.mark.parametrize("centred", [0, 1])
@pytest.mark.parametrize("limit", [0, 1, 4, 2**62])
@pytest.mark.parametrize(("iou", "least"), [(0.0, None), (0.4, 0.5), (1.0, -1.0), (None, 2.0)])
def test_the_boxes_of_the_host(limit: int, iou: float | None, least: float | None, centred: int) -> None:
    rng = np.random.default_rng(limit % 7)
    boxes = rng.uniform(0, 4, (2, 40, 4)).astype(np.float32)
    # Few different scores and some equal boxes: ties.
    scores = rng.integers(0, 9, (2, 3, 40)).astype(np.float32) / 9
    boxes[:, 5:9] = boxes[:, :4]

    compiled, host = (
        suppressed(kernel, boxes, scores, limit, iou, least, centred)
        for kernel in (cpu_kernel(OP), host_kernel(OP))
    )

    assert compiled.dtype == host.dtype
    np.testing.assert_array_equal(compiled, host)


def test_many_boxes_with_few_different_scores() -> None:
    rng = np.random.default_rng(1)
    boxes = rng.uniform(0, 9, (1, 700, 4)).astype(np.float32)
    scores = rng.integers(0, 50, (1, 2, 700)).astype(np.float32)

    compiled, host = (
        suppressed(kernel, boxes, scores, 90, 0.3, 5.0, 0) for kernel in (cpu_kernel(OP), host_kernel(OP))
    )

    np.testing.assert_array_equal(compiled, host)


@pytest.mark.parametrize("shape", [(0, 2, 3), (1, 0, 3), (2, 2, 0)])
def test_nothing_to_choose_from(shape: tuple[int, int, int]) -> None:
    images, _, count = shape
    boxes = np.zeros((images, count, 4), np.float32)
    result = suppressed(cpu_kernel(OP), boxes, np.zeros(shape, np.float32), 3, 0.5, None, 0)
    assert result.shape == (0, 3)
    assert result.dtype == np.int64


def test_scores_that_are_nan_are_chosen_last_without_a_threshold() -> None:
    boxes = np.array([[[0, 0, 1, 1], [2, 2, 3, 3], [4, 4, 5, 5]]], np.float32)
    scores = np.array([[[np.nan, 1.0, -np.inf]]], np.float32)
    np.testing.assert_array_equal(
        suppressed(cpu_kernel(OP), boxes, scores, 3, 0.5, None, 0), [[0, 0, 1], [0, 0, 2], [0, 0, 0]]
    )
