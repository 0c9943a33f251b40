"""Indices of several axes, masks, and tensors with elements replaced equal numpy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.pnnx.models import noise, one_op, run

X = noise(3, 4, 5)
ROWS, COLUMNS = np.array([0, 2, -1], np.int64), np.array([3, 1, 1], np.int64)
MASK = noise(3, 4, seed=3) > 0
KINDS = {"float32": "f32", "int64": "i64", "bool": "bool"}
ENTRIES: list[tuple[str, list[Array], Any]] = [
    ("[@0]", [ROWS], ROWS),
    ("[@0,@1]", [ROWS, COLUMNS], (ROWS, COLUMNS)),
    ("[None,@0,@1]", [COLUMNS, ROWS], (slice(None), COLUMNS, ROWS)),
    ("[@0,None,@1]", [ROWS, COLUMNS], (ROWS, slice(None), COLUMNS)),
    ("[@0,@1]", [ROWS[:, None], COLUMNS[None]], (ROWS[:, None], COLUMNS[None])),
    ("[None,None,[4,0]]", [], (slice(None), slice(None), [4, 0])),
    ("[[2,1],[0,3]]", [], ([2, 1], [0, 3])),
    ("[@0]", [MASK], MASK),
    ("[None,@0]", [np.array([True, False, True, True])], (slice(None), np.array([True, False, True, True]))),
]


def kind(array: Array) -> str:
    return f"({','.join(map(str, array.shape))}){KINDS[array.dtype.name]}"


def lines(entries: str, indices: list[Array], tail: list[str]) -> list[str]:
    """The inputs x and the indices, and the list of indices ``list``."""
    feeds = [f"pnnx.Input i{n} 0 1 i{n} #i{n}={kind(array)}" for n, array in enumerate(indices)]
    names = " ".join(f"i{n}" for n in range(len(indices)))
    listed = f"pnnx.Expression e {len(indices)} 1 {names} list expr={entries}"
    return [f"pnnx.Input x 0 1 x #x={kind(X)}", *feeds, listed, *tail]


@pytest.mark.parametrize(("entries", "indices", "key"), ENTRIES)
def test_reads(entries: str, indices: list[Array], key: Any) -> None:
    # The file declares the greatest shape that a mask may give.
    tail = ["Tensor.index t 2 1 x list y $input=x $expr=list #y=(12,5)f32", "pnnx.Output o 1 0 y"]
    (output,) = run(lines(entries, indices, tail), [X, *indices])
    np.testing.assert_array_equal(output, X[key])


@pytest.mark.parametrize("accumulate", [False, True])
@pytest.mark.parametrize(("entries", "indices", "key"), ENTRIES)
def test_writes_of_a_number(entries: str, indices: list[Array], key: Any, accumulate: bool) -> None:
    tail = [
        f"Tensor.index_put t 2 1 x list y accumulate={accumulate} values=2.5 $input=x $indices=list",
        "pnnx.Output o 1 0 y",
    ]
    expected = X.copy()
    if accumulate:
        np.add.at(expected, key, np.float32(2.5))
    else:
        expected[key] = 2.5
    (output,) = run(lines(entries, indices, tail), [X, *indices])
    np.testing.assert_array_equal(output, expected)


def test_writes_of_a_tensor_between_axes() -> None:
    values = noise(3, 3, seed=4)
    tail = [
        "pnnx.Input v 0 1 v #v=(3,3)f32",
        "Tensor.index_put t 3 1 x list v y accumulate=False $input=x $indices=list $values=v",
        "pnnx.Output o 1 0 y",
    ]
    expected = X.copy()
    expected[:, ROWS, COLUMNS] = values
    (output,) = run(lines("[None,@0,@1]", [ROWS, COLUMNS], tail), [X, ROWS, COLUMNS, values])
    np.testing.assert_array_equal(output, expected)


def test_sizes_that_follow_from_a_mask_are_not_those_of_the_file() -> None:
    tail = [
        "Tensor.index t 2 1 x list y $input=x $expr=list #y=(12,5)f32",
        "pnnx.Expression s 1 1 y z expr=mul(@0,2) #z=(12,5)f32",
        "torch.masked_select m 2 1 x c w $input=x $mask=c #w=(60)f32",
        "pnnx.Output o 2 0 z w",
    ]
    text = lines("[@0]", [MASK], tail)
    text.insert(1, "torch.gt g 1 1 x c other=0")
    doubled, positive = run(text, [X, MASK])
    np.testing.assert_array_equal(doubled, X[MASK] * 2)
    np.testing.assert_array_equal(positive, X[X > 0])


def test_slices_replaced() -> None:
    value = noise(3, 2, seed=5)
    text = "dims=(1,2) starts=(1,0) ends=(3,0) steps=(1,0) selects=(2147483647,-1)"
    (output,) = one_op("Tensor.slice_copy", [X, value], text, names=["self", "src"])
    expected = X.copy()
    expected[:, 1:3, -1] = value
    np.testing.assert_array_equal(output, expected)
    (output,) = one_op("torch.slice_scatter", [X, X[:, :2] * 2], "dim=1 start=0 end=2147483647 step=2")
    expected = X.copy()
    expected[:, ::2] = X[:, :2] * 2
    np.testing.assert_array_equal(output, expected)
    np.testing.assert_array_equal(one_op("Tensor.fill", [X], "value=3.5")[0], np.full_like(X, 3.5))
    np.testing.assert_array_equal(one_op("Tensor.copy", [X, X[0]])[0], np.broadcast_to(X[0], X.shape))


def test_elements_added_along_an_axis() -> None:
    index = np.array([[0, 2, 2, 1, 0]], np.int64)
    source = noise(3, 5, seed=6)
    (output,) = one_op("torch.scatter_add", [X[0], index, source], "dim=0", names=["input", "index", "src"])
    expected = X[0].copy()
    np.add.at(expected, (index, np.arange(5)[None]), source[:1])
    np.testing.assert_allclose(output, expected, rtol=1e-6)


def test_slices_by_index_repeated() -> None:
    (tripled,) = one_op("torch.repeat_interleave", [X], "dim=1 repeats=3")
    np.testing.assert_array_equal(tripled, X.repeat(3, 1))
    (flat,) = one_op("torch.repeat_interleave", [X], "dim=None repeats=2")
    np.testing.assert_array_equal(flat, X.repeat(2))
    counts = np.array([1, 0, 2, 3], np.int64)
    (each,) = one_op("torch.repeat_interleave", [X, counts], "dim=1", names=["input", "repeats"])
    np.testing.assert_array_equal(each, X.repeat(counts, 1))
