"""Slices, splits, joins and padding equal numpy's."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ModelParseError
from tests.model_parser.pnnx.models import noise, one_op, run

X = noise(3, 4, 5)
UNUSED = 2**31 - 1
IMAGE = noise(1, 2, 4, 5)


def test_slices_with_steps_and_a_selected_element() -> None:
    params = f"dims=(0,1,2) starts=(0,1,-4) ends=(0,{UNUSED},-1) steps=(1,2,1) selects=(-1,{UNUSED},{UNUSED})"
    np.testing.assert_array_equal(one_op("Tensor.slice", [X], params)[0], X[-1, 1::2, -4:-1])


def test_slices_with_computed_indices() -> None:
    lines = [
        "pnnx.Input i 0 1 x #x=(?,4,5)f32",
        "pnnx.Expression e 1 1 x n expr=floor_divide(size(@0,0),2)",
        "pnnx.SliceIndexes s 1 1 n m indexes=(@0,1)",
        "Tensor.slice t 2 1 x m y dims=(0,2) ends=(3,4) steps=(1,1) $input=x $starts=m",
        f"pnnx.SliceIndexes q 1 1 n p indexes=({UNUSED},@0)",
        "Tensor.slice u 2 1 x p z dims=(1,0) starts=(1,0) ends=(3,0) steps=(1,1) $input=x $selects=p",
        "pnnx.Output o 2 0 y z",
    ]
    outputs = run(lines, [X])
    np.testing.assert_array_equal(outputs[0], X[1:3, :, 1:4])
    np.testing.assert_array_equal(outputs[1], X[1, 1:3])


@pytest.mark.parametrize("index", [0, 2, -1, -3])
def test_select_drops_the_axis(index: int) -> None:
    output = one_op("Tensor.select", [X], f"dim=1 index={index}")[0]
    np.testing.assert_array_equal(output, X[:, index])


@pytest.mark.parametrize(
    ("op", "params", "positions"),
    [
        ("torch.chunk", "chunks=3 dim=2", [2, 4]),
        ("torch.split", "split_size_or_sections=2 dim=2", [2, 4]),
        ("torch.split", "split_size_or_sections=(1,3,1) dim=-1", [1, 4]),
        ("torch.tensor_split", "indices=(1,1) dim=2", [1, 1]),
        ("torch.tensor_split", "sections=3 dim=2", [2, 4]),
    ],
)
def test_splits_into_three_parts(op: str, params: str, positions: list[int]) -> None:
    result = one_op(op, [X], params, outputs=3)
    for part, expected in zip(result, np.split(X, positions, axis=2), strict=True):
        np.testing.assert_array_equal(part, expected)


def test_cat_and_stack() -> None:
    np.testing.assert_array_equal(
        one_op("torch.cat", [X, X, -X], "dim=-1")[0], np.concatenate([X, X, -X], -1)
    )
    np.testing.assert_array_equal(one_op("torch.stack", [X, -X], "dim=-1")[0], np.stack([X, -X], -1))
    empty = np.empty(0, np.float32)
    np.testing.assert_array_equal(one_op("torch.cat", [empty, X], "dim=1")[0], X)


@pytest.mark.parametrize(
    ("pad", "widths"),
    [
        ("(1,2)", [(0, 0), (0, 0), (0, 0), (1, 2)]),
        ("(1,2,0,3)", [(0, 0), (0, 0), (0, 3), (1, 2)]),
        ("(0,0,0,0,1,0)", [(0, 0), (1, 0), (0, 0), (0, 0)]),
    ],
)
def test_constant_padding(pad: str, widths: list[tuple[int, int]]) -> None:
    (output,) = one_op("F.pad", [IMAGE], f"mode=constant pad={pad} value=-inf")
    np.testing.assert_array_equal(output, np.pad(IMAGE, widths, constant_values=-np.inf))


def test_negative_padding_crops() -> None:
    (output,) = one_op("F.pad", [IMAGE], "mode=constant pad=(-1,2,1,-2) value=None")
    np.testing.assert_array_equal(output, np.pad(IMAGE[:, :, :-2, 1:], [(0, 0), (0, 0), (1, 0), (0, 2)]))


@pytest.mark.parametrize(
    ("mode", "numpy_mode"), [("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")]
)
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_padding_of_images_in_every_mode(mode: str, numpy_mode: str, axes: int) -> None:
    x = noise(1, 2, *[4] * axes)
    widths = [(0, 0), (0, 0), *[(n, n + 1) for n in range(axes)]]
    pad = ",".join(f"{a},{b}" for a, b in reversed(widths[2:]))
    (output,) = one_op("F.pad", [x], f"mode={mode} pad=({pad})")
    np.testing.assert_array_equal(output, np.pad(x, widths, numpy_mode))  # type: ignore[call-overload]


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_computed_padding(axes: int) -> None:
    x = noise(1, 2, *[4] * axes)
    lines = [
        f"pnnx.Input i 0 1 x #x=(?,2{',4' * axes})f32",
        "pnnx.Expression e 1 1 x n expr=[size(@0,0),2]",
        "F.pad p 2 1 x n y mode=constant value=None $input=x $pad=n",
        "pnnx.Output o 1 0 y",
    ]
    (output,) = run(lines, [x])
    np.testing.assert_array_equal(output, np.pad(x, [*[(0, 0)] * (1 + axes), (1, 2)]))


def test_padding_of_all_axes_needs_the_constant_mode() -> None:
    with pytest.raises(ModelParseError, match=r"mode reflect pads spatial axes only, got 4 axes of 4"):
        one_op("F.pad", [IMAGE], "mode=reflect pad=(0,0,0,0,0,0,1,1)")
