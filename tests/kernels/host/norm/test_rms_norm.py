"""rms_norm and lp_normalize, element by element."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.kernels.host.checked import checked, filled
from tests.kernels.host.onnx_reference import near, noise

X = noise(2, 3, 4)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("scaled", [False, True])
def test_rms_norm_divides_by_the_root_mean_square(axis: int, scaled: bool) -> None:
    scale = noise(*X.shape[axis:], seed=1)
    inputs = {"X": X, "Scale": scale} if scaled else {"X": X}

    def element(*at: int) -> float:
        group = X[at[:axis]].astype(float)
        root = math.sqrt(sum(v * v for v in group.ravel()) / group.size + 0.25)
        return float(X[at]) / root * (float(scale[at[axis:]]) if scaled else 1)

    near(
        checked("rms_norm", inputs, {"epsilon": 0.25, "begin_norm_axis": axis}),
        [filled(X.shape, np.float32, element)],
    )


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("order", [1, 2])
def test_lp_normalize_divides_by_the_norm(axis: int, order: int) -> None:
    x = X.copy()
    np.moveaxis(x, axis, 0)[:, 0, 0] = 0

    def element(*at: int) -> float:
        line = np.moveaxis(x, axis, -1)[tuple(np.delete(at, axis))].astype(float)
        norm = sum(abs(v) ** order for v in line) ** (1 / order)
        return float(x[at]) / norm if norm else 0.0

    near(
        checked("lp_normalize", {"X": x}, {"axis": axis, "porder": order}),
        [filled(x.shape, np.float32, element)],
    )


def test_half_precision_is_computed_in_float32() -> None:
    x = np.full((1, 3), 300, np.float16)

    (found,) = checked("rms_norm", {"X": x})

    near([found], [np.ones((1, 3), np.float16)], 1e-3)


def test_empty_tensors_keep_their_shape() -> None:
    x = X[:0]

    near(checked("rms_norm", {"X": x}), [x])
    near(checked("lp_normalize", {"X": x}), [x])
