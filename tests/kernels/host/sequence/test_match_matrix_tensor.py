"""match_matrix_tensor against one pair of rows at a time."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ExecutionError
from tests.kernels.host.sequence.run_lod_op import Level, cut, draw, run_lod_op


@pytest.mark.parametrize(("left", "right"), [((0, 2, 5), (0, 3, 4)), ((0, 0, 1), (0, 2, 2))])
def test_each_pair_of_sequences_gives_its_products(left: Level, right: Level) -> None:
    x, y, w = draw(left[-1], 3), draw(right[-1], 3, seed=2), draw(3, 2, 3, seed=3)

    (out, lod), (projected, _) = run_lod_op(
        "match_matrix_tensor",
        {"X": x, "Y": y, "W": w},
        {"X": (left,), "Y": (right,)},
        {"dim_t": 2},
        {"Out": 1, "Tmp": 1},
    )

    expected, offsets = [], [0]
    for mine, theirs in zip(cut(x, left), cut(y, right), strict=True):
        expected += [a @ w[:, t] @ b for t in range(2) for a in mine for b in theirs]
        offsets.append(len(expected))
    np.testing.assert_allclose(out[:, 0], np.array(expected), atol=1e-5)
    np.testing.assert_allclose(projected, x @ w.reshape(3, 6), atol=1e-5)
    assert lod == (tuple(offsets), left, right)


def test_different_numbers_of_sequences_are_refused() -> None:
    inputs = {"X": draw(2, 3), "Y": draw(2, 3), "W": draw(3, 1, 3)}
    with pytest.raises(ExecutionError, match=r"expected 2 sequences.*got 1"):
        run_lod_op("match_matrix_tensor", inputs, {"X": ((0, 1, 2),), "Y": ((0, 2),)})
