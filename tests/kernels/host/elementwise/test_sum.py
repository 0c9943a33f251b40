"""sum and axpy against additions of single elements."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import GraphError
from tests.kernels.host.checked import checked


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int64])
@pytest.mark.parametrize("shape", [(2, 3), (), (0, 2)])
def test_sum_adds_all_tensors(count: int, dtype: type[np.generic], shape: tuple[int, ...]) -> None:
    terms = [np.random.default_rng(n).integers(-9, 10, shape).astype(dtype) for n in range(count)]

    (got,) = checked("sum", {"X": terms})

    wanted = np.zeros(shape, dtype)
    for index in np.ndindex(shape):
        wanted[index] = sum(term[index].item() for term in terms)
    np.testing.assert_array_equal(got, wanted)


def test_tensors_of_different_rank_are_refused() -> None:
    with pytest.raises(GraphError, match=r"sum: X: expected tensors like the first, float32\[2\]"):
        checked("sum", {"X": [np.zeros(2, np.float32), np.zeros((1, 2), np.float32)]})


@pytest.mark.parametrize("scale_shape", [(2, 3), (2, 3, 1, 1), (2,)])
def test_axpy_scales_leading_axes(scale_shape: tuple[int, ...]) -> None:
    draw = np.random.default_rng(1)
    scale, x, bias = (
        draw.integers(-4, 5, s).astype(np.float32) for s in (scale_shape, (2, 3, 2, 2), (2, 3, 2, 2))
    )

    (got,) = checked("axpy", {"Scale": scale, "X": x, "Bias": bias})

    wanted = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        factor = scale[index[0]] if scale.ndim == 1 else scale[index[:2]].item()
        wanted[index] = factor * x[index] + bias[index]
    np.testing.assert_array_equal(got, wanted)


def test_axpy_refuses_a_scale_of_higher_rank() -> None:
    with pytest.raises(GraphError, match="axpy: Scale: expected at most the rank of X"):
        checked(
            "axpy",
            {
                "Scale": np.zeros((1, 1), np.float32),
                "X": np.zeros(2, np.float32),
                "Bias": np.zeros(2, np.float32),
            },
        )
