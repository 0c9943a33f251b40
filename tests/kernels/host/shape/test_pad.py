"""pad, pad2d and pad3d against indexing element by element."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.errors import GraphError
from lite.plugin.kernel import Array
from tests.kernels.host.checked import checked, filled, numbers, same


def source(at: int, size: int, mode: str) -> int | None:
    """Which element lies at a position before or behind an axis, if any does."""
    if 0 <= at < size:
        return at
    if mode == "constant":
        return None
    if mode in ("edge", "replicate"):
        return min(max(at, 0), size - 1)
    if mode == "reflect":
        return -at if at < 0 else 2 * (size - 1) - at
    return at % size


def bordered(x: Array, widths: list[tuple[int, int]], mode: str, value: float) -> Array:
    shape = [size + sum(width) for size, width in zip(x.shape, widths, strict=True)]

    def element(*index: int) -> Any:
        found = [source(i - w[0], s, mode) for i, w, s in zip(index, widths, x.shape, strict=True)]
        return value if None in found else x[tuple(n for n in found if n is not None)]

    return filled(shape, x.dtype, element)


@pytest.mark.parametrize(
    ("shape", "paddings"),
    [
        ((3,), [1, 2]),
        ((2, 3), [0, 1, 2, 0]),
        ((2, 2, 3), [1, 0, 0, 0, 0, 2]),
        ((0, 2), [1, 1, 0, 0]),
        ((), []),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_pad(shape: tuple[int, ...], paddings: list[int], dtype: Any) -> None:
    x = numbers(*shape, dtype=dtype)

    (found,) = checked("pad", {"X": x}, {"paddings": paddings, "pad_value": 9.0})

    same(found, bordered(x, list(zip(paddings[::2], paddings[1::2], strict=True)), "constant", 9))


def test_negative_paddings_cut() -> None:
    x = numbers(4, 5)

    (found,) = checked("pad", {"X": x}, {"paddings": [-1, 1, 0, -2], "pad_value": 9.0})

    same(found, bordered(x[1:, :3], [(0, 1), (0, 0)], "constant", 9))


def test_paddings_are_two_for_each_axis() -> None:
    with pytest.raises(GraphError, match="pad: paddings: expected 4 numbers"):
        checked("pad", {"X": numbers(2, 2)}, {"paddings": [1, 1]})


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge"])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("as_tensor", [False, True])
def test_pad2d(mode: str, layout: str, as_tensor: bool) -> None:
    x = numbers(2, 3, 4, 3)
    paddings = [1, 0, 2, 1]
    attrs: dict[str, Any] = {"mode": mode, "data_format": layout, "pad_value": 1.5, "paddings": paddings}
    inputs = {"X": x}
    if as_tensor:
        inputs["Paddings"] = np.array(paddings, np.int32)
        attrs["paddings"] = [0, 0, 0, 0]

    (found,) = checked("pad2d", inputs, attrs)

    image = [(1, 0), (2, 1)]
    widths = [(0, 0), (0, 0), *image] if layout == "NCHW" else [(0, 0), *image, (0, 0)]
    same(found, bordered(x, widths, mode, 1.5))


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
@pytest.mark.parametrize("layout", ["NCDHW", "NDHWC"])
@pytest.mark.parametrize("as_tensor", [False, True])
def test_pad3d(mode: str, layout: str, as_tensor: bool) -> None:
    x = numbers(1, 3, 2, 3, 4)
    paddings = [2, 0, 1, 1, 0, 1]
    attrs: dict[str, Any] = {"mode": mode, "data_format": layout, "value": -1.0, "paddings": paddings}
    inputs = {"X": x}
    if as_tensor:
        inputs["Paddings"] = np.array(paddings, np.int32)
        attrs["paddings"] = [0] * 6

    (found,) = checked("pad3d", inputs, attrs)

    volume = [(0, 1), (1, 1), (2, 0)]
    widths = [(0, 0), (0, 0), *volume] if layout == "NCDHW" else [(0, 0), *volume, (0, 0)]
    same(found, bordered(x, widths, mode, -1))
