"""dropout on the host."""

import numpy as np

from lite.plugin.kernel import Array, kernel


@kernel("dropout")
def dropout(
    X: Array,
    *,
    dropout_prob: float = 0.5,
    dropout_implementation: str = "downgrade_in_infer",
    out: tuple[Array, ...] | None = None,
) -> tuple[Array, ...]:
    """What is left of it at inference: nothing, or the factor 1 - dropout_prob."""
    result = np.empty(X.shape, X.dtype) if out is None else out[0]
    keep = 1.0 if dropout_implementation == "upscale_in_train" else 1.0 - dropout_prob
    return (np.multiply(X, keep, out=result),)
