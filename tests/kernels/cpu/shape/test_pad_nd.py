"""pad_nd against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.kernels.cpu.bound import floats, run, run_compiled

MODES = {"constant": "constant", "reflect": "reflect", "edge": "edge", "wrap": "wrap"}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("shape", "before", "after"),
    [
        ((7,), (2,), (3,)),
        ((3, 9), (1, 0), (2, 4)),
        ((2, 5, 6, 70), (0, 2, 3, 4), (0, 1, 2, 3)),
        ((4, 5, 6), (1, 2, 0), (1, 0, 0)),
        ((3, 40, 3), (1, 2, 0), (0, 3, 0)),
    ],
)
def test_borders(mode: str, shape: tuple[int, ...], before: tuple[int, ...], after: tuple[int, ...]) -> None:
    x, attrs = floats(1, *shape), {"paddings": [*before, *after], "mode": mode, "value": 2.5}
    (result,) = run_compiled("pad_nd", {"X": x}, attrs)
    keywords: dict[str, Any] = {"constant_values": 2.5} if mode == "constant" else {}
    widths = tuple(zip(before, after, strict=True))
    np.testing.assert_array_equal(result, np.pad(x, widths, MODES[mode], **keywords))  # type: ignore[call-overload]


def test_axes_cuts_and_a_value() -> None:
    x = floats(1, 3, 8, 5)
    inputs = {"X": x, "Value": np.array(-1.0, np.float32)}
    attrs = {"paddings": [-2, 1, 3, -2], "axes": [1, -1], "mode": "constant"}
    (result,) = run_compiled("pad_nd", inputs, attrs, ["Value"])
    np.testing.assert_array_equal(
        result, np.pad(x[:, 2:, :3], ((0, 0), (0, 3), (1, 0)), constant_values=-1.0)
    )


@pytest.mark.parametrize("mode", ["reflect", "edge", "wrap"])
def test_borders_wider_than_the_axis(mode: str) -> None:
    run_compiled("pad_nd", {"X": floats(2, 2, 3)}, {"paddings": [0, 7, 0, 8], "mode": mode})
    run_compiled("pad_nd", {"X": floats(2, 1, 1)}, {"paddings": [0, 2, 2, 0], "mode": mode})


def test_no_border_and_empty_tensors_are_left_to_the_host() -> None:
    assert not run("pad_nd", {"X": floats(0, 3)}, {"paddings": [0, 0], "mode": "constant"})[1]
    assert not run("pad_nd", {"X": floats(0, 0, 3)}, {"paddings": [1, 1, 0, 0], "mode": "constant"})[1]
