"""Nearest resizing along any axes against numpy."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.program import AttrValue
from lite.ir.types import Array, Layout
from tests.kernels.cpu.bound import bind, floats, run_compiled
from tests.kernels.cpu.split_work import split_work

ATTRS: dict[str, AttrValue] = {
    "mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor",
}  # fmt: skip


def resized(x: Array, scales: list[float], attrs: dict[str, AttrValue] = ATTRS) -> Array:
    numbers = np.array(scales, np.float32)
    bound = bind("resize", {"X": x, "Scales": numbers}, attrs, ["Scales"])
    assert bound.is_compiled
    result: Array = bound()
    buffer = np.full_like(result, np.nan)
    bound(out=buffer)
    np.testing.assert_array_equal(buffer, result)
    return result


@pytest.mark.parametrize(
    ("shape", "scales"),
    [
        ((1, 3, 50), [1, 1, 2]),
        ((2, 3, 7), [1, 1, 2]),
        ((1, 2, 5, 33), [1, 1, 2, 2]),
        ((1, 2, 4, 5, 16), [1, 1, 2, 2, 2]),
        ((2, 3, 40), [1, 3, 1]),
        ((2, 3, 10), [2, 1, 3]),
        ((4, 9), [1, 1.7]),
        ((6, 24), [0.5, 0.5]),
    ],
)
@pytest.mark.parametrize("is_split", [False, True])
def test_factors(
    shape: tuple[int, ...], scales: list[float], is_split: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_split:
        split_work(monkeypatch)
    x = floats(1, *shape)
    expected = x
    for axis, scale in enumerate(scales):
        places = np.floor(np.arange(int(shape[axis] * scale)) / np.float32(scale)).astype(int)
        expected = expected.take(places, axis)
    np.testing.assert_array_equal(resized(x, scales), expected)


def test_rounded_positions_and_sizes() -> None:
    x = floats(1, 2, 3, 20)
    rounded = {**ATTRS, "coordinate_transformation_mode": "half_pixel", "nearest_mode": "round_prefer_floor"}
    places = np.clip(np.ceil((np.arange(50) + 0.5) / 2.5 - 1), 0, 19).astype(int)
    np.testing.assert_array_equal(resized(x, [1, 1, 2.5], rounded), x[..., places])
    bound = bind("resize", {"X": x, "Sizes": np.array([2, 6, 20], np.int64)}, ATTRS, ["Sizes"])
    assert bound.is_compiled
    np.testing.assert_array_equal(bound(), x.repeat(2, axis=1))


@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize("axes", [[2, 3], [-1, 1], [0]])
def test_some_axes(mode: str, axes: list[int]) -> None:
    """Against the host, which `run_compiled` compares with."""
    numbers = np.array([2.0, 1.5, 3.0][: len(axes)], np.float32)
    inputs = {"X": floats(1, 2, 3, 4, 20), "Scales": numbers}

    [result] = run_compiled("resize", inputs, {**ATTRS, "mode": mode, "axes": axes}, ["Scales"])

    expected = [2, 3, 4, 20]
    for axis, number in zip(axes, numbers, strict=True):
        expected[axis] = int(expected[axis] * number)
    assert list(result.shape) == expected


def test_equal_sizes_are_left_to_the_host() -> None:
    same = np.ones(3, np.float32)
    assert not bind("resize", {"X": floats(1, 2, 3, 20), "Scales": same}, ATTRS, ["Scales"]).is_compiled


@pytest.mark.parametrize(("factor", "places"), [(2.0, [0, 0, 1, 1, 2, 2]), (0.5, [0]), (1.5, [0, 0, 1, 2])])
def test_images_with_channels_first(factor: float, places: list[int]) -> None:
    x = floats(1, 2, 3, 3, 3)
    attrs: dict[str, AttrValue] = {"scale": [factor, factor], "align_corners": False}
    bound = bind("nearest_interp_v2", {"X": x}, attrs, layout=Layout.NCHW)
    assert bound.is_compiled
    np.testing.assert_array_equal(bound(), x.take(places, 2).take(places, 3))


def test_images_of_an_op_with_channels_last_are_left_to_the_host() -> None:
    x, attrs = floats(1, 2, 4, 6, 3), {"out_h": 7, "out_w": 9, "scale": [], "align_corners": False}
    for data_layout, is_compiled in (("NCHW", True), ("NHWC", False)):
        bound = bind("nearest_interp_v2", {"X": x}, {**attrs, "data_layout": data_layout}, layout=Layout.NCHW)
        assert bound.is_compiled == is_compiled
