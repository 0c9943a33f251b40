"""pool2d of images in NCHW against the host's kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.ir.types import Layout
from tests.kernels.cpu.bound import floats, run

_POOL: dict[str, Any] = {"paddings": [0, 0], "strides": [1, 1]}

CASES: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "stride 2": ((1, 5, 23, 38), {"ksize": [3, 3], "strides": [2, 2], "paddings": [1, 1]}),
    "stride 1": ((2, 3, 20, 20), {"ksize": [5, 5], "strides": [1, 1], "paddings": [2, 2]}),
    "stride 3": ((1, 2, 20, 61), {"ksize": [2, 4], "strides": [1, 3], "paddings": [0, 1, 2, 0]}),
    "wide": ((1, 1, 6, 140), {"ksize": [2, 3], "strides": [2, 1], "paddings": [0, 1]}),
    "small": ((3, 4, 5, 6), {"ksize": [2, 2], "strides": [2, 2], "paddings": [0, 0]}),
    "outside": ((1, 2, 4, 4), {"ksize": [1, 1], "strides": [3, 3], "paddings": [0, 3, 2, 0]}),
    "ceil": ((1, 2, 9, 18), {"ksize": [2, 2], "strides": [2, 4], "paddings": [0, 1], "ceil_mode": True}),
    "same": ((1, 2, 11, 30), {"ksize": [3, 2], "strides": [2, 2], "padding_algorithm": "SAME"}),
    "global": ((2, 3, 7, 9), {"ksize": [1, 1], "global_pooling": True}),
    "small, many channels": ((2, 37, 7, 9), {"ksize": [3, 3], "paddings": [1, 1]}),
    "small, many channels, ceil": (
        (1, 16, 9, 14),
        {"ksize": [2, 3], "strides": [2, 2], "paddings": [0, 1], "ceil_mode": True},
    ),
    "global, many channels": ((2, 33, 7, 7), {"ksize": [1, 1], "global_pooling": True}),
    "unequal bins, many channels": ((1, 16, 12, 12), {"ksize": [5, 5], "adaptive": True}),
    "bins": ((1, 3, 12, 20), {"ksize": [3, 5], "adaptive": True}),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("kind", [("max", True), ("avg", True), ("avg", False)], ids=str)
def test_pool2d_equals_the_hosts(case: Any, kind: tuple[str, bool]) -> None:
    shape, attrs = case
    attrs = _POOL | {"pooling_type": kind[0], "exclusive": kind[1]} | attrs
    _, is_compiled = run("pool2d", {"X": floats(0, *shape)}, attrs, layout=Layout.NCHW)
    assert is_compiled


def test_nan_is_a_maximum() -> None:
    x = floats(0, 1, 1, 3, 30)
    x[0, 0, 1, 12] = np.nan
    attrs = _POOL | {"pooling_type": "max", "ksize": [3, 3]}
    [result], _ = run("pool2d", {"X": x}, attrs, layout=Layout.NCHW)
    assert np.flatnonzero(np.isnan(result)).tolist() == [10, 11, 12]


@pytest.mark.parametrize(
    "attrs",
    [{"ksize": [5, 5], "adaptive": True}, {"ksize": [2, 2], "paddings": [0, 0, -1, 0]}],
    ids=["bins of several sizes", "a cut image"],
)
def test_other_cases_are_left_to_the_host(attrs: dict[str, Any]) -> None:
    attrs = _POOL | {"pooling_type": "avg"} | attrs
    assert not run("pool2d", {"X": floats(0, 1, 2, 12, 12)}, attrs, layout=Layout.NCHW)[1]
