"""Random numbers: gaussian_random, uniform_random, sampling_id and multinomial."""

import numpy as np

from lite.ir.types import DType
from lite.ops.shape_input import integers
from lite.plugin.kernel import Array, kernel


@kernel("gaussian_random")
def gaussian_random(
    ShapeTensor: Array | None,
    ShapeTensorList: list[Array] | None,
    *,
    shape: list[int],
    dtype: int,
    seed: int,
    mean: float,
    std: float,
) -> Array:
    """Paddle gaussian_random: normally distributed numbers."""
    sizes = integers(shape, ShapeTensor, ShapeTensorList)
    drawn = np.random.default_rng(seed).normal(mean, std, sizes)
    return np.asarray(drawn).astype(DType.from_code(dtype).numpy)


@kernel("uniform_random")
def uniform_random(
    ShapeTensor: Array | None,
    ShapeTensorList: list[Array] | None,
    *,
    shape: list[int],
    dtype: int,
    seed: int,
    min: float,
    max: float,
    diag_num: int,
    diag_step: int,
    diag_val: float,
) -> Array:
    """Paddle uniform_random: uniform from `min` to `max`; `diag_num` diagonal elements are `diag_val`."""
    sizes = integers(shape, ShapeTensor, ShapeTensorList)
    drawn = np.random.default_rng(seed).uniform(min, max, sizes)
    result = np.asarray(drawn).astype(DType.from_code(dtype).numpy)
    if diag_num > result.size:
        raise ValueError(f"diag_num: expected at most the {result.size} elements of Out, got {diag_num}")
    result.reshape(-1)[np.arange(diag_num) * (diag_step + 1)] = diag_val
    return result


@kernel("sampling_id")
def sampling_id(X: Array, *, min: float, max: float, seed: int) -> Array:
    """Paddle sampling_id: for each row of probabilities ``X[n, k]`` a random column, ``int64[n]``."""
    drawn = np.random.default_rng(seed).uniform(min, max, (len(X), 1))
    columns = (X.cumsum(axis=1, dtype=np.float64) <= drawn).sum(axis=1)
    result: Array = np.minimum(columns, X.shape[1] - 1)
    return result.astype(np.int64, copy=False)


@kernel("multinomial")
def multinomial(X: Array, *, num_samples: int, replacement: bool, seed: int) -> Array:
    """Paddle multinomial: for each row of weights ``X[…, k]``, `num_samples` random columns, int64."""
    rows = np.atleast_2d(X).astype(np.float64)
    rows = rows / rows.sum(-1, keepdims=True)
    draws = np.random.default_rng(seed)
    samples = [draws.choice(len(row), num_samples, replace=replacement, p=row) for row in rows]
    return np.array(samples, np.int64).reshape(*X.shape[:-1], num_samples)
