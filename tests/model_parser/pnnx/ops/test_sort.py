"""Order of elements equals numpy's."""

from __future__ import annotations

import numpy as np

from tests.model_parser.pnnx.models import noise, one_op

X = noise(2, 3, 4)


def test_topk_of_the_smallest() -> None:
    values, indices = one_op("torch.topk", [X], "k=2 dim=1 largest=False sorted=True", outputs=2)
    np.testing.assert_array_equal(values, np.sort(X, 1)[:, :2])
    np.testing.assert_array_equal(indices, np.argsort(X, 1)[:, :2])
