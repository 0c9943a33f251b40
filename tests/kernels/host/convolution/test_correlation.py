"""correlation against loops over the definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.errors import GraphError
from lite.plugin.kernel import Array
from tests.kernels.host.checked import checked


def random(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def correlated(a: Array, b: Array, pad: int, kernel: int, reach: int, step: int, hop: int, out: Any) -> Array:
    def pixel(x: Array, n: int, row: int, column: int) -> Array:
        row, column = row - pad, column - pad
        found = np.zeros(x.shape[1])
        if 0 <= row < x.shape[2] and 0 <= column < x.shape[3]:
            found += x[n, :, row, column]
        return found

    radius, count = (kernel - 1) // 2, 2 * (reach // hop) + 1
    result = np.zeros((len(a), count**2, *out))
    for n, d, h, w in np.ndindex(*result.shape):
        row, column = h * step + reach, w * step + reach
        down, right = (d // count - reach // hop) * hop, (d % count - reach // hop) * hop
        for i in range(-radius, radius + 1):
            for j in range(-radius, radius + 1):
                first = pixel(a, n, row + i, column + j)
                result[n, d, h, w] += first @ pixel(b, n, row + down + i, column + right + j)
    result /= kernel**2 * a.shape[1]
    return result


@pytest.mark.parametrize(
    ("pad", "kernel", "reach", "step", "hop", "out"),
    [
        (2, 1, 2, 1, 1, (4, 5)),
        (3, 1, 2, 2, 1, (3, 4)),
        (4, 1, 3, 1, 2, (6, 7)),
        (3, 3, 2, 1, 1, (4, 5)),
        (1, 3, 0, 1, 1, (4, 5)),
        (0, 1, 0, 1, 1, (4, 5)),
    ],
)
def test_correlation_is_the_mean_product_of_patches(
    pad: int, kernel: int, reach: int, step: int, hop: int, out: tuple[int, int]
) -> None:
    a, b = random(1, 2, 3, 4, 5), random(2, 2, 3, 4, 5)
    attrs: dict[str, Any] = {
        "pad_size": pad,
        "kernel_size": kernel,
        "max_displacement": reach,
        "stride1": step,
        "stride2": hop,
    }

    (found,) = checked("correlation", {"Input1": a, "Input2": b}, attrs)

    np.testing.assert_allclose(
        found, correlated(a, b, pad, kernel, reach, step, hop, out), rtol=1e-5, atol=1e-5
    )


def test_an_image_too_small_for_the_displacements_is_refused() -> None:
    a = random(1, 1, 1, 4, 4)

    with pytest.raises(GraphError, match="correlation: Input1: expected an image of more than 4 pixels"):
        checked("correlation", {"Input1": a, "Input2": a}, {"max_displacement": 2})
