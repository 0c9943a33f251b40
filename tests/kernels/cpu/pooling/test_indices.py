"""max_pool2d_with_index against the host's kernel, which plain loops check."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.kernels.cpu.bound import floats, run, run_compiled

CASES: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
    "windows": ((2, 3, 9, 12), {"ksize": [3, 2], "strides": [2, 1], "paddings": [1, 0]}),
    "bins": ((2, 3, 9, 11), {"ksize": [4, 3], "adaptive": True}),
    "bins of one element": ((1, 2, 3, 2), {"ksize": [5, 2], "adaptive": True}),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_first_maxima(case: Any) -> None:
    shape, attrs = case
    x = np.round(floats(0, *shape) * 2)
    x[x == 0] = -np.inf
    x[x == 1] = np.nan

    results = run_compiled("max_pool2d_with_index", {"X": x}, attrs)

    assert results[1].dtype == np.int32


@pytest.mark.parametrize("attrs", [{"global_pooling": True}, {"ksize": [1, 1], "adaptive": True}], ids=str)
def test_whole_images_are_left_to_the_host(attrs: dict[str, Any]) -> None:
    assert not run("max_pool2d_with_index", {"X": floats(0, 1, 2, 3, 4)}, attrs)[1]
