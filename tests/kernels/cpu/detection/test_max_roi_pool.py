"""max_roi_pool against the host's kernel, which plain loops check."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.cpu.bound import bind, floats, run, run_compiled

X = floats(0, 2, 3, 12, 37)


def boxes(count: int) -> np.ndarray:
    """Boxes in and around the images, with halves among the edges."""
    edges = np.random.default_rng(0).integers(-20, 60, (count, 4)) / 2
    return np.concatenate([np.arange(count)[:, None] % 2, edges], 1).astype(np.float32)


@pytest.mark.parametrize("bins", [[1, 1], [3, 7], [11, 2]], ids=str)
@pytest.mark.parametrize("scale", [1.0, 0.5, 3.0])
def test_max_roi_pool_equals_the_hosts(bins: list[int], scale: float) -> None:
    x = X.copy()
    x[0, 1, 3, 5] = np.nan
    x[1, 2] = -np.inf

    run_compiled("max_roi_pool", {"X": x, "ROIs": boxes(50)}, {"pooled_shape": bins, "spatial_scale": scale})


def test_bins_that_float32_makes_larger() -> None:
    x = np.arange(32, dtype=np.float32).reshape(1, 1, 1, 32)
    rois = np.array([[0, 0, 0, 28, 0]], np.float32)

    [out] = run_compiled("max_roi_pool", {"X": x, "ROIs": rois}, {"pooled_shape": [1, 11]})

    assert out[0, 0, 0, -1] == 29


@pytest.mark.parametrize(
    ("box", "error"), [([2, 0, 0, 3, 3], IndexError), ([0, 0, np.nan, 3, 3], ValueError)], ids=str
)
def test_wrong_boxes_are_refused(box: list[float], error: type[Exception]) -> None:
    bound = bind("max_roi_pool", {"X": X, "ROIs": np.array([box], np.float32)}, {"pooled_shape": [2, 2]})

    assert bound.is_compiled
    with pytest.raises(error, match="ROIs: expected"):
        bound()


def test_no_boxes_are_left_to_the_host() -> None:
    assert not run("max_roi_pool", {"X": X, "ROIs": boxes(0)}, {"pooled_shape": [2, 2]})[1]
