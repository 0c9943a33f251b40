"""contiguous_parts against numpy's views."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from lite.ir.program import AttrValue
from lite.ir.types import Array, DType
from lite.ops import Meta, get_schema
from lite.ops.contiguous_parts import contiguous_parts

X = np.arange(2 * 3 * 4, dtype=np.float32).reshape(2, 3, 4)
ROW = X[:1]


def found(
    op: str, x: Array, attrs: Mapping[str, AttrValue], index: object = None
) -> tuple[str, list[int]] | None:
    slot = "Input" if op == "slice" else "X"
    inputs = {slot: [Meta.of(x, known=False)]}
    if index is not None:
        inputs["Index"] = [Meta.of(np.array(index, np.int64))]
    return contiguous_parts(op, inputs, get_schema(op).attr_values(attrs))


def start(view: Array, base: Array) -> int:
    """The element at which a view begins; the view must be contiguous."""
    assert view.flags.c_contiguous
    return int(view.reshape(-1)[0] - base.reshape(-1)[0])


@pytest.mark.parametrize("index", [0, 1, -1, [1], [-2, -1], [0, 1], [[1]]])
def test_gather_of_rows_in_order(index: object) -> None:
    first = np.array(X[np.array(index).reshape(-1)[0]])
    assert found("gather", X, {"axis": 0}, index) == ("X", [start(first, X)])


@pytest.mark.parametrize("index", [[1, 0], [0, 0], [0, -1, 0], 2, -3, [-1, 0], []])
def test_gather_in_another_order_or_out_of_range_copies(index: object) -> None:
    assert found("gather", X, {"axis": 0}, index) is None


def test_gather_along_an_axis_is_contiguous_where_those_before_it_have_one_element() -> None:
    assert found("gather", X, {"axis": 1}, 2) is None
    assert found("gather", ROW, {"axis": 1}, 2) == ("X", [start(ROW[:, 2], ROW)])
    assert found("gather", ROW, {"axis": -2}, [1, 2]) == ("X", [start(ROW[:, 1:], ROW)])


@pytest.mark.parametrize(
    ("shape", "axes", "expected"),
    [
        ((3, 1, 2, 4), [0, 2, 1, 3], ("X", [0])),
        ((1, 3, 1, 4), [1, 3, 0, 2], ("X", [0])),
        ((2, 3), [0, 1], ("X", [0])),
        ((3, 1, 2, 4), [0, 3, 1, 2], None),
        ((2, 3), [1, 0], None),
        ((2, 0), [0, 1], None),
    ],
)
def test_transpose_of_axes_of_one_element_is_the_whole_input(
    shape: tuple[int, ...], axes: list[int], expected: tuple[str, list[int]] | None
) -> None:
    assert found("transpose2", np.zeros(shape, np.float32), {"axis": axes}) == expected


@pytest.mark.parametrize("op", ["broadcast_to", "expand_v2"])
@pytest.mark.parametrize(
    ("shape", "expected"),
    [([2, 3, 4], ("X", [0])), ([1, 3, 1], ("X", [0])), ([2, 2, 3, 4], None), ([1, 2, 3, 4], None)],
)
def test_a_broadcast_to_its_own_shape_is_the_whole_input(
    op: str, shape: list[int], expected: tuple[str, list[int]] | None
) -> None:
    assert found(op, X, {"shape": shape}) == expected


def test_a_broadcast_of_an_axis_of_one_element_copies() -> None:
    assert found("broadcast_to", ROW, {"shape": [2, 3, 4]}) is None
    assert found("broadcast_to", ROW, {"shape": [1, 3, 4]}) == ("X", [0])


def test_gather_by_unknown_indices_or_from_unknown_sizes_copies() -> None:
    attrs = get_schema("gather").attr_values({})
    known = Meta.of(np.array(1))
    unknown_index = {"X": [Meta.of(X, known=False)], "Index": [Meta(DType.INT64, ())]}
    assert contiguous_parts("gather", unknown_index, attrs) is None
    assert contiguous_parts("gather", {"X": [Meta(DType.FLOAT32, (-1, 4))], "Index": [known]}, attrs) is None
    axis_of_the_run = {"X": [Meta.of(X)], "Index": [known], "Axis": [Meta(DType.INT64, (1,))]}
    assert contiguous_parts("gather", axis_of_the_run, attrs) is None


@pytest.mark.parametrize(
    ("view", "attrs"),
    [
        (X[1:], {"axes": [0], "starts": [1], "ends": [9]}),
        (X[:1, 1:2], {"axes": [0, 1], "starts": [0, -2], "ends": [1, -1]}),
        (X[1, 1:3], {"axes": [0, 1], "starts": [-1, 1], "ends": [2, 3], "decrease_axis": [0]}),
        (X[-1], {"axes": [0], "starts": [-1], "ends": [0], "decrease_axis": [0]}),
    ],
)  # fmt: skip
def test_slice_of_a_contiguous_box(view: Array, attrs: dict[str, AttrValue]) -> None:
    assert found("slice", X, attrs) == ("Input", [start(view, X)])


@pytest.mark.parametrize(
    "attrs",
    [
        {"axes": [1], "starts": [1], "ends": [3]},
        {"axes": [0, 2], "starts": [0, 0], "ends": [1, 3]},
        {"axes": [0], "starts": [1], "ends": [1]},
    ],
)
def test_slice_of_another_box_copies(attrs: dict[str, AttrValue]) -> None:
    assert found("slice", X, attrs) is None


def test_parts_of_split_and_unstack() -> None:
    starts = [start(part, ROW) for part in np.split(ROW, [1], axis=1)]
    assert found("split", ROW, {"axis": 1, "sections": [1, -1]}) == ("X", starts)
    assert found("split", X, {"axis": 0, "num": 2}) == ("X", [0, 12])
    assert found("split", X, {"axis": 1, "num": 3}) is None
    assert found("unstack", ROW, {"axis": 1}) == ("X", [start(ROW[:, n], ROW) for n in range(3)])
    assert found("unstack", X, {"axis": 2}) is None


def test_other_ops_have_no_parts() -> None:
    assert found("roll", X, {"axis": [0], "shifts": [0]}) is None
