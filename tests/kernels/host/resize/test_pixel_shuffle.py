"""pixel_shuffle, shuffle_channel and temporal_shift against indexing element by element."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.errors import GraphError
from lite.plugin.kernel import evaluate
from tests.kernels.host.checked import checked, filled, numbers, same


@pytest.mark.parametrize("factor", [1, 2, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.int64])
def test_pixel_shuffle_moves_channels_to_pixels(factor: int, dtype: Any) -> None:
    r = factor
    x = numbers(2, 2 * r * r, 2, 3, dtype=dtype)

    (found,) = checked("pixel_shuffle", {"X": x}, {"upscale_factor": r})

    shape = (2, 2, 2 * r, 3 * r)
    same(
        found,
        filled(shape, dtype, lambda n, c, h, w: x[n, c * r * r + h % r * r + w % r, h // r, w // r]),
    )


@pytest.mark.parametrize("factor", [1, 2])
def test_pixel_shuffle_takes_nhwc(factor: int) -> None:
    r = factor
    x = numbers(2, 2, 3, 2 * r * r)

    (found,) = checked("pixel_shuffle", {"X": x}, {"upscale_factor": r, "data_format": "NHWC"})

    shape = (2, 2 * r, 3 * r, 2)
    same(
        found,
        filled(shape, x.dtype, lambda n, h, w, c: x[n, h // r, w // r, c * r * r + h % r * r + w % r]),
    )


def test_too_few_channels_are_refused() -> None:
    with pytest.raises(GraphError, match="pixel_shuffle: X: expected a multiple of 4 channels"):
        checked("pixel_shuffle", {"X": numbers(1, 6, 1, 1)}, {"upscale_factor": 2})


@pytest.mark.parametrize("group", [1, 2, 3, 6])
def test_shuffle_channel_interleaves_groups(group: int) -> None:
    x = numbers(2, 6, 2, 3)

    (found,) = checked("shuffle_channel", {"X": x}, {"group": group})

    same(
        found, filled(x.shape, x.dtype, lambda n, c, h, w: x[n, c % group * (6 // group) + c // group, h, w])
    )


@pytest.mark.parametrize(("op", "attrs"), [("shuffle_channel", {"group": 1}), ("pixel_shuffle", {})])
def test_a_result_is_never_the_input(op: str, attrs: dict[str, Any]) -> None:
    x = numbers(1, 2, 2, 2)

    found = evaluate(op, {"X": [x]}, attrs, {"Out": 1})["Out"][0].array

    assert not np.may_share_memory(found, x)


@pytest.mark.parametrize("frames", [1, 2, 3])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize(("ratio", "first", "second"), [(0.25, 1, 2), (0.4, 1, 3), (0.0, 0, 0), (0.5, 2, 4)])
def test_temporal_shift_moves_channels_in_time(
    frames: int, layout: str, ratio: float, first: int, second: int
) -> None:
    x = numbers(6, 4, 2, 3)
    attrs: dict[str, Any] = {"seg_num": frames, "shift_ratio": ratio, "data_format": layout}

    (found,) = checked("temporal_shift", {"X": x if layout == "NCHW" else x.transpose(0, 2, 3, 1)}, attrs)

    def element(n: int, c: int, h: int, w: int) -> Any:
        time = n % frames + (-1 if c < first else 1 if c < second else 0)
        return x[n - n % frames + time, c, h, w] if 0 <= time < frames else 0

    same(found if layout == "NCHW" else found.transpose(0, 3, 1, 2), filled(x.shape, x.dtype, element))
