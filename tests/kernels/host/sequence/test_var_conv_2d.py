"""var_conv_2d against loops over each image."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.errors import ExecutionError, GraphError
from lite.ir.types import Lod
from lite.plugin.kernel import Array, evaluate
from tests.kernels.host.checked import checked

ATTRS = {"InputChannel": 2, "OutputChannel": 3, "KernelH": 3, "KernelW": 2, "StrideH": 2, "StrideW": 1}


def offsets(*lengths: int) -> Lod:
    return ((0, *np.cumsum(lengths).tolist()),)


def given(heights: tuple[int, ...], widths: tuple[int, ...]) -> tuple[dict[str, Array], dict[str, list[Lod]]]:
    sizes = [2 * h * w for h, w in zip(heights, widths, strict=True)]
    rng = np.random.default_rng(5)
    inputs = {
        "X": rng.standard_normal((sum(sizes), 1)).astype(np.float32),
        "ROW": np.zeros((sum(heights), 4), np.float32),
        "COLUMN": np.zeros((sum(widths), 4), np.float32),
        "W": rng.standard_normal((3, 12)).astype(np.float32),
    }
    return inputs, {"X": [offsets(*sizes)], "ROW": [offsets(*heights)], "COLUMN": [offsets(*widths)]}


def columns(image: Array) -> Array:
    """Windows of 3 × 2, every second row, padded by 1: ``[C·kh·kw, Ho·Wo]``."""
    _, height, width = image.shape
    padded = np.pad(image, [(0, 0), (1, 1), (1, 1)])
    rows = [padded[:, h : h + 3, w : w + 2].reshape(-1) for h in range(0, height, 2) for w in range(width)]
    return np.array(rows).T.reshape(12, len(rows))


@pytest.mark.parametrize(
    ("heights", "widths"), [((3, 4), (5, 2)), ((1,), (1,)), ((2, 0, 3), (3, 2, 1)), ((2, 2), (0, 1))]
)
def test_each_image_is_convolved(heights: tuple[int, ...], widths: tuple[int, ...]) -> None:
    inputs, lods = given(heights, widths)

    found, column = checked("var_conv_2d", inputs, ATTRS, {"Out": 1, "Col": 1}, lods)
    arrays: Any = {slot: [array] for slot, array in inputs.items()}
    results = evaluate("var_conv_2d", arrays, ATTRS, {"Out": 1, "Col": 1}, lods)

    bounds = lods["X"][0][0]
    parts = [
        columns(inputs["X"][start:stop].reshape(2, h, w))
        for start, stop, h, w in zip(bounds, bounds[1:], heights, widths, strict=False)
    ]
    wanted = [inputs["W"].astype(float) @ part for part in parts]
    np.testing.assert_array_equal(column, np.concatenate([part.reshape(-1, 1) for part in parts]))
    np.testing.assert_allclose(
        found, np.concatenate([p.reshape(-1, 1) for p in wanted]), rtol=1e-4, atol=1e-5
    )
    assert results["Out"][0].lod == offsets(*(part.size for part in wanted))
    assert results["Col"][0].lod == offsets(*(part.size for part in parts))


def test_inputs_without_lod_are_refused() -> None:
    inputs, lods = given((2,), (2,))

    with pytest.raises(ExecutionError, match="var_conv_2d: input ROW has no LoD"):
        checked("var_conv_2d", inputs, ATTRS, lods={"X": lods["X"], "ROW": [()], "COLUMN": lods["COLUMN"]})


def test_the_filter_has_the_shape_of_the_attributes() -> None:
    inputs, lods = given((2,), (2,))

    with pytest.raises(GraphError, match=r"var_conv_2d: W: expected the shape \[3, 18\]"):
        checked("var_conv_2d", inputs, {**ATTRS, "KernelW": 3}, lods=lods)
