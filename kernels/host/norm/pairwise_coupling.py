"""pairwise_coupling by numpy."""

from __future__ import annotations

import numpy as np

from lite.plugin.kernel import Array, kernel

_LEAST_ROUNDS = 100


@kernel("pairwise_coupling")
def pairwise_coupling(X: Array) -> Array:
    """Probabilities of classes, ``[rows, classes]``, from those that a class wins against another one.

    X has a column for each pair, (0, 1), (0, 2), … (1, 2), …  The second method of T.-F. Wu, C.-J. Lin and
    R. C. Weng, "Probability estimates for multi-class classification by pairwise coupling", 2004.  It stops
    where each class is within 0.005 / classes of its optimum, as LIBSVM does.
    """
    rows, pairs = X.shape
    classes = round((1 + (1 + 8 * pairs) ** 0.5) / 2)
    first, second = np.triu_indices(classes, 1)
    won = np.zeros((rows, classes, classes))
    won[:, first, second], won[:, second, first] = X, 1 - X.astype(np.float64)
    # The optimum minimises p · Q · p among the vectors p whose sum is 1.
    form = -won * won.swapaxes(1, 2)
    diagonal = np.arange(classes)
    form[:, diagonal, diagonal] = np.square(won).sum(1)
    result = np.full((rows, classes), 1 / classes)
    active = np.arange(rows)
    for _ in range(max(_LEAST_ROUNDS, classes)):
        q, p = form[active], result[active]
        products = np.einsum("rij,rj->ri", q, p)
        value = (p * products).sum(1)
        is_open = np.abs(products - value[:, None]).max(1, initial=0) >= 0.005 / classes
        active, q, p, products, value = (each[is_open] for each in (active, q, p, products, value))
        if not active.size:
            break
        for n in range(classes):
            step = (value - products[:, n]) / q[:, n, n]
            p[:, n] += step
            value = (value + step * (step * q[:, n, n] + 2 * products[:, n])) / np.square(1 + step)
            products = (products + step[:, None] * q[:, n]) / (1 + step[:, None])
            p /= 1 + step[:, None]
        result[active] = p
    return result.astype(X.dtype)
