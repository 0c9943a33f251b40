"""Resizing ops against loops over the output's pixels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lite.errors import GraphError
from lite.ops import get_schema
from lite.plugin.kernel import Array
from tests.kernels.host.checked import checked

Weights = list[tuple[int, float]]


def random(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def nearest(at: int, step: float, size: int, corners: bool, mode: int) -> Weights:
    return [(min(int(step * at + (0.5 if corners else 0)), size - 1), 1.0)]


def linear(at: int, step: float, size: int, corners: bool, mode: int) -> Weights:
    centred = mode == 0 and not corners
    place = max(step * (at + 0.5) - 0.5, 0) if centred else step * at
    low = min(int(place), size - 1)
    return [(low, 1 - (place - low)), (min(low + 1, size - 1), place - low)]


def cubic(at: int, step: float, size: int, corners: bool, mode: int) -> Weights:
    place = step * at if corners else step * (at + 0.5) - 0.5
    low = int(np.floor(place))
    found = []
    for n in range(low - 1, low + 3):
        d = abs(place - n)
        near, far = 1.25 * d**3 - 2.25 * d**2 + 1, -0.75 * d**3 + 3.75 * d**2 - 6 * d + 3
        found.append((min(max(n, 0), size - 1), near if d <= 1 else far))
    return found


def resized(x: Array, outs: list[int], steps: list[float], rule: Callable[..., Weights], *how: Any) -> Array:
    """`x` with one axis after another resampled, spatial axes from the third on."""
    result = x.astype(float)
    for n, (out, step) in enumerate(zip(outs, steps, strict=True)):
        before = np.moveaxis(result, n + 2, 0)
        rows = [sum(before[i] * w for i, w in rule(at, step, len(before), *how)) for at in range(out)]
        result = np.moveaxis(np.array(rows), 0, n + 2)
    return result


OPS: dict[str, tuple[Callable[..., Weights], tuple[int, ...]]] = {
    "nearest_interp_v2": (nearest, (4, 6)),
    "bilinear_interp_v2": (linear, (4, 6)),
    "bicubic_interp_v2": (cubic, (4, 6)),
    "linear_interp_v2": (linear, (6,)),
    "trilinear_interp_v2": (linear, (3, 4, 5)),
}
NAMES = ("out_d", "out_h", "out_w")


def steps_of(sizes: tuple[int, ...], outs: list[int], corners: bool) -> list[float]:
    if corners:
        return [(s - 1) / (o - 1) if o > 1 else 0.0 for s, o in zip(sizes, outs, strict=True)]
    return [s / o if o > 1 else 0.0 for s, o in zip(sizes, outs, strict=True)]


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("corners", [True, False])
@pytest.mark.parametrize("mode", [0, 1])
@pytest.mark.parametrize("change", [3, 0, -2])
def test_sizes_may_be_attributes(op: str, corners: bool, mode: int, change: int) -> None:
    rule, sizes = OPS[op]
    x = random(2, 2, *sizes)
    outs = [size + change for size in sizes]
    attrs: dict[str, Any] = {
        "align_corners": corners,
        "align_mode": mode,
        **dict(zip(NAMES[-len(outs) :], outs, strict=True)),
    }

    (found,) = checked(op, {"X": x}, attrs)
    layout = "NDHWC" if len(sizes) == 3 else "NHWC"
    (last,) = checked(op, {"X": np.moveaxis(x, 1, -1)}, {**attrs, "data_layout": layout})

    wanted = resized(x, outs, steps_of(sizes, outs, corners), rule, corners, mode)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(np.moveaxis(last, -1, 1), found, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("columns", [1, 2, 4])
def test_nearest_may_repeat_pixels(rows: int, columns: int) -> None:
    x = random(2, 3, 4, 5)
    attrs: dict[str, Any] = {"scale": [float(rows), float(columns)], "align_corners": False}

    (found,) = checked("nearest_interp_v2", {"X": x}, attrs)

    np.testing.assert_array_equal(found, x.repeat(rows, axis=2).repeat(columns, axis=3))


@pytest.mark.parametrize("scale", [1.0, 2.0, 3.0])
def test_nearest_may_stop_before_the_end(scale: float) -> None:
    x = random(1, 2, 3, 4)

    (found,) = checked(
        "nearest_interp_v2",
        {"X": x, "OutSize": np.array([2, 2], np.int32)},
        {"scale": [scale, scale], "align_corners": False},
    )

    last = int(1 / scale)
    np.testing.assert_array_equal(found, x[:, :, [0, last]][..., [0, last]])


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.bool_, np.float64])
def test_nearest_takes_any_type(dtype: Any) -> None:
    x = np.arange(24).reshape(1, 2, 3, 4).astype(dtype)

    (found,) = checked("nearest_interp_v2", {"X": x}, {"out_h": 2, "out_w": 2, "align_corners": False})

    np.testing.assert_array_equal(found, x[:, :, [0, 1]][..., [0, 2]])
    assert found.dtype == dtype


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float64])
def test_bilinear_takes_all_float_types(dtype: Any) -> None:
    x = random(1, 2, 3, 4).astype(dtype)

    (found,) = checked("bilinear_interp_v2", {"X": x}, {"out_h": 5, "out_w": 7})

    wanted = resized(x.astype(float), [5, 7], [0.5, 0.5], linear, True, 1)
    assert found.dtype == dtype
    np.testing.assert_allclose(found.astype(float), wanted, rtol=1e-2, atol=1e-2)


def test_a_scale_steps_by_its_inverse() -> None:
    x = random(1, 1, 5, 5)

    (found,) = checked("bilinear_interp_v2", {"X": x}, {"scale": [1.5, 1.7], "align_corners": False})

    wanted = resized(x, [7, 8], [1 / 1.5, 1 / 1.7], linear, False, 1)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_the_first_version_steps_by_the_ratio_of_sizes() -> None:
    x = random(1, 1, 5, 5)
    old = get_schema("bilinear_interp")
    assert old.canonical is not None
    assert old.canonical.attrs is not None
    attrs = old.canonical.attrs(old.attr_values({"scale": 1.5, "align_corners": False}))

    (found,) = checked(old.canonical.op, {"X": x}, attrs)

    wanted = resized(x, [7, 7], [5 / 7, 5 / 7], linear, False, 1)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_a_scale_of_0_means_none_in_the_first_version() -> None:
    old = get_schema("nearest_interp")
    assert old.canonical is not None
    assert old.canonical.attrs is not None

    attrs = old.canonical.attrs(old.attr_values({"out_h": 2, "out_w": 3}))

    assert (attrs["scale"], attrs["out_h"], attrs["ratio_from_sizes"]) == ([], 2, True)


@pytest.mark.parametrize(
    ("tensors", "outs", "steps"),
    [
        ({"OutSize": np.array([7, 3], np.int32)}, [7, 3], [0.5, 0.5]),
        ({"Scale": np.array([2.0], np.float32)}, [8, 12], [0.5, 0.5]),
        ({"Scale": np.array([2.0, 0.5], np.float32)}, [8, 3], [0.5, 2.0]),
        ({"SizeTensor": [np.array([7], np.int32), np.array([3], np.int32)]}, [7, 3], [4 / 7, 6 / 3]),
        (
            {
                "SizeTensor": [np.array([2], np.int32), np.array([3], np.int32)],
                "OutSize": np.array([9, 9], np.int32),
            },
            [2, 3],
            [4 / 2, 6 / 3],
        ),
    ],
)
def test_sizes_may_be_tensors(tensors: dict[str, Any], outs: list[int], steps: list[float]) -> None:
    x = random(1, 2, 4, 6)

    (found,) = checked(
        "bilinear_interp_v2", {"X": x, **tensors}, {"scale": [2.0, 2.0], "align_corners": False, "out_h": 1}
    )

    wanted = resized(x, outs, steps, linear, False, 1)
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_missing_sizes_are_refused() -> None:
    with pytest.raises(GraphError, match="nearest_interp_v2: output size: expected 2 positive sizes"):
        checked("nearest_interp_v2", {"X": random(1, 1, 2, 2)})
