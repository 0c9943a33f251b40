"""Windows of convolutions and poolings in the device's registers."""

from __future__ import annotations

import pytest

from lite.bridges.sim_npu.window import why_not_paddings, why_not_windows, window_attributes
from lite.ops.window import Window


@pytest.mark.parametrize(
    ("kernel", "strides", "dilations", "sentence"),
    [
        ([8, 8], [8, 8], [8, 8], None),
        (["?", 3], [1, 1], [1, 1], None),
        (["?", 9], [1, 1], [1, 1], "the kernel is ?x9; the device takes up to 8x8"),
        ([3, 3], [9, 9], [1, 1], "strides are 9x9; the device takes up to 8"),
        ([3, 3], [1, 1], [9], "dilations are 9; the device takes up to 8"),
    ],
)
def test_windows_beyond_the_registers_are_declined(
    kernel: list[int | str], strides: list[int], dilations: list[int], sentence: str | None
) -> None:
    assert why_not_windows(kernel, strides, dilations) == sentence


def test_paddings_outside_of_0_to_15_are_declined() -> None:
    assert why_not_paddings([Window(3, 1, 1, 0, 15)]) is None
    assert why_not_paddings([Window(3, 1, 1, 1, 1), Window(3, 1, 1, -1, 1)]) == (
        "paddings are [1, 1, -1, 1] (top, bottom, left, right); the device takes 0 to 15"
    )


def test_pads_are_top_bottom_left_right() -> None:
    assert window_attributes([Window(3, 2, 1, 1, 2), Window(3, 2, 1, 3, 4)]) == {
        "stride": 2,
        "pads": [1, 2, 3, 4],
    }
