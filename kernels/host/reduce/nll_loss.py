"""nll_loss by numpy."""

from __future__ import annotations

import numpy as np

from lite.kernels.host.compute_dtype import widened
from lite.plugin.kernel import Array, kernel


@kernel("nll_loss")
def nll_loss(
    X: Array, Label: Array, Weight: Array | None, *, ignore_index: int, reduction: str
) -> tuple[Array, Array]:
    """Paddle nll_loss: minus the element of ``X[N, C, …]`` at each of ``Label[N, …]``, times its weight.

    Weight is ``float[C]``.  Labels equal to `ignore_index` have weight 0.  The mean divides by the sum of the
    weights, which is the second output.
    """
    x = widened(X)
    counted = ignore_index != Label
    label = np.where(counted, Label, 0).astype(np.int64)
    weight = np.ones(label.shape, x.dtype) if Weight is None else widened(Weight)[label]
    weight = np.where(counted, weight, 0).astype(x.dtype)
    loss = -np.take_along_axis(x, label[:, None], axis=1)[:, 0] * weight
    total = weight.sum()
    if reduction == "mean":
        with np.errstate(invalid="ignore", divide="ignore"):
            loss = loss.sum() / total
    elif reduction == "sum":
        loss = loss.sum()
    return np.asarray(loss, X.dtype), np.asarray(total, X.dtype)
