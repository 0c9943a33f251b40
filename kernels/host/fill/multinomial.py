"""multinomial on the host."""

import numpy as np

from lite.plugin.kernel import Array, kernel


@kernel("multinomial")
def multinomial(X: Array, *, num_samples: int, replacement: bool, seed: int) -> Array:
    """For each row of weights, columns drawn with probabilities in proportion to them; int64."""
    rows = np.atleast_2d(X).astype(np.float64)
    rows = rows / rows.sum(-1, keepdims=True)
    draws = np.random.default_rng(seed)
    picked = [draws.choice(len(row), num_samples, replace=replacement, p=row) for row in rows]
    return np.array(picked, np.int64).reshape(*X.shape[:-1], num_samples)
