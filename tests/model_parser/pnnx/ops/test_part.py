"""Slices, splits and indices equal numpy's."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.pnnx.models import noise, one_op, run

X = noise(3, 4, 5)
NO = 2**31 - 1


def test_slices_with_steps_and_a_selected_element() -> None:
    params = f"dims=(0,1,2) starts=(0,1,-4) ends=(0,{NO},-1) steps=(1,2,1) selects=(-1,{NO},{NO})"
    np.testing.assert_array_equal(one_op("Tensor.slice", [X], params)[0], X[-1, 1::2, -4:-1])


def test_slices_with_indices_that_are_operands() -> None:
    lines = [
        "pnnx.Input i 0 1 x #x=(?,4,5)f32",
        "pnnx.Expression e 1 1 x n expr=floor_divide(size(@0,0),2)",
        "pnnx.SliceIndexes s 1 1 n m indexes=(@0,1)",
        "Tensor.slice t 2 1 x m y dims=(0,2) ends=(3,4) steps=(1,1) $input=x $starts=m",
        f"pnnx.SliceIndexes q 1 1 n p indexes=({NO},@0)",
        "Tensor.slice u 2 1 x p z dims=(1,0) starts=(1,0) ends=(3,0) steps=(1,1) $input=x $selects=p",
        "pnnx.Output o 2 0 y z",
    ]
    got = run(lines, [X])
    np.testing.assert_array_equal(got[0], X[1:3, :, 1:4])
    np.testing.assert_array_equal(got[1], X[1, 1:3])


@pytest.mark.parametrize("index", [0, 2, -1, -3])
def test_selected_element(index: int) -> None:
    got = one_op("Tensor.select", [X], f"dim=1 index={index}")[0]
    np.testing.assert_array_equal(got, X[:, index])


@pytest.mark.parametrize(
    ("op", "params", "cuts"),
    [
        ("torch.chunk", "chunks=3 dim=2", [2, 4]),
        ("torch.split", "split_size_or_sections=2 dim=2", [2, 4]),
        ("torch.split", "split_size_or_sections=(1,3,1) dim=-1", [1, 4]),
        ("torch.tensor_split", "indices=(1,1) dim=2", [1, 1]),
        ("torch.tensor_split", "sections=3 dim=2", [2, 4]),
    ],
)
def test_splits(op: str, params: str, cuts: list[int]) -> None:
    got = one_op(op, [X], params, outputs=3)
    for part, expected in zip(got, np.split(X, cuts, axis=2), strict=True):
        np.testing.assert_array_equal(part, expected)


@pytest.mark.parametrize(
    ("expr", "inputs", "expected"),
    [
        ("[None,[2,0,1]]", [], X[:, [2, 0, 1]]),
        ("[[1]]", [], X[[1]]),
        ("[None,None,@1]", [np.array([4, 0], np.int64)], X[:, :, [4, 0]]),
    ],
)
def test_indices(expr: str, inputs: list[Array], expected: Array) -> None:
    np.testing.assert_array_equal(one_op("Tensor.index", [X, *inputs], f"expr={expr}")[0], expected)


def test_indices_on_two_axes_are_refused() -> None:
    with pytest.raises(ModelParseError, match=r"expected indices on one axis, got '\[\[1\],\[2\]\]'"):
        one_op("Tensor.index", [X], "expr=[[1],[2]]")


def test_gather_with_fewer_rows() -> None:
    index = np.array([[[0, 1, 4]], [[2, 2, 2]]], np.int64)
    got = one_op("torch.gather", [X, index], "dim=2", names=["input", "index"])[0]
    np.testing.assert_array_equal(got, np.take_along_axis(X[:2, :1], index, 2))


def test_index_select() -> None:
    index = np.array([2, 0], np.int64)
    got = one_op("torch.index_select", [X, index], "dim=0", names=["input", "index"])[0]
    np.testing.assert_array_equal(got, X[[2, 0]])
