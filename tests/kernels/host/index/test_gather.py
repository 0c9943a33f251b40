"""gather, gather_nd, index_select, lookup_table…, one_hot…, scatter…, element by element."""

import numpy as np
import pytest

from lite.errors import LiteError
from lite.ir.program import AttrValue
from lite.ir.types import Array
from tests.kernels.host.checked import checked, filled, numbers, same, whole

Attrs = dict[str, AttrValue]
X = numbers(4, 3, 2)


@pytest.mark.parametrize("tensor", [False, True])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_gather_takes_slices(axis: int, tensor: bool) -> None:
    index = whole(1, 0, 1, dtype=np.int64)
    inputs = {"X": X, "Index": index, **({"Axis": whole(axis)} if tensor else {})}
    shape = list(X.shape)
    shape[axis] = 3

    def element(*i: int) -> float:
        place = list(i)
        place[axis] = int(index[i[axis]])
        return float(X[tuple(place)])

    same(checked("gather", inputs, {"axis": 0 if tensor else axis})[0], filled(shape, X.dtype, element))


def test_gather_takes_columns_scalars_and_empty_indices() -> None:
    same(checked("gather", {"X": X, "Index": whole(3, 1).reshape(2, 1)})[0], np.stack([X[3], X[1]]))
    same(checked("gather", {"X": X, "Index": np.array(2)}, {"axis": 1})[0], X[:, 2])
    same(checked("gather", {"X": X, "Index": whole()})[0], np.zeros((0, 3, 2), X.dtype))


@pytest.mark.parametrize(
    "index", [[[1, 0], [3, 2]], [[[0], [3]]], [2, 1, 1], [[0, 0, 0], [3, 2, 1], [0, 0, 0]], [[-1, -1]]]
)
def test_gather_nd_takes_slices_at_coordinates(index: list[object]) -> None:
    points = np.array(index, np.int64)
    depth = points.shape[-1]
    wanted = np.empty((*points.shape[:-1], *X.shape[depth:]), X.dtype)
    for place in np.ndindex(*points.shape[:-1]):
        wanted[place] = X[tuple(points[place])]
    same(checked("gather_nd", {"X": X, "Index": points})[0], wanted)


def test_gather_nd_by_empty_vectors_repeats_x() -> None:
    same(checked("gather_nd", {"X": X, "Index": np.zeros((2, 0), np.int32)})[0], np.stack([X, X]))


TABLE = numbers(5, 3)


@pytest.mark.parametrize("padding", [-1, 4])
def test_lookup_table_reads_rows(padding: int) -> None:
    ids = np.array([[4, 0], [2, 4], [1, 1]])
    wanted = filled(
        (3, 2, 3), TABLE.dtype, lambda i, j, k: 0 if ids[i, j] == padding else TABLE[ids[i, j], k]
    )
    attrs: Attrs = {"padding_idx": padding}
    same(checked("lookup_table_v2", {"W": TABLE, "Ids": ids}, attrs)[0], wanted)
    same(checked("lookup_table_v2", {"W": TABLE, "Ids": ids[:0]}, attrs)[0], wanted[:0])


def test_lookup_table_dequant_reads_rows_of_bytes() -> None:
    bounds = np.array([[-1, 1], [0, 64]], np.float32)
    steps = np.array([[0, 64, 128, 255], [1, 2, 3, 4]], np.uint8)
    table = np.concatenate([bounds, steps.view(np.float32)], axis=1)
    ids = np.array([[1], [0], [1]])
    wanted = np.array([[0.25, 0.5, 0.75, 1], [-1, -0.5, 0, 127 / 128], [0.25, 0.5, 0.75, 1]], np.float32)
    same(checked("lookup_table_dequant", {"W": table, "Ids": ids})[0], wanted)
    wanted[[0, 2]] = 0
    same(checked("lookup_table_dequant", {"W": table, "Ids": ids}, {"padding_idx": 1})[0], wanted)


@pytest.mark.parametrize("tensor", [False, True])
def test_one_hot_has_1_at_each_index(tensor: bool) -> None:
    x = np.array([[0, 2], [1, 3]])
    more = {"depth_tensor": whole(4)} if tensor else {}
    attrs: Attrs = {"depth": 9 if tensor else 4}
    wanted = filled((2, 2, 4), np.float32, lambda i, j, k: x[i, j] == k)
    same(checked("one_hot_v2", {"X": x, **more}, attrs)[0], wanted)
    same(checked("one_hot_v2", {"X": x, **more}, {**attrs, "dtype": 2})[0], wanted.astype(np.int32))


def test_one_hot_out_of_range_is_zeros_or_an_error() -> None:
    x = whole(-1, 1, 7)
    wanted = np.array([[0, 0, 0], [0, 1, 0], [0, 0, 0]], np.float32)
    same(checked("one_hot_v2", {"X": x}, {"depth": 3, "allow_out_of_range": True})[0], wanted)
    with pytest.raises(LiteError, match="from 0 to 2"):
        checked("one_hot_v2", {"X": x}, {"depth": 3})


@pytest.mark.parametrize("overwrite", [True, False])
@pytest.mark.parametrize("ids", [[2, 0], [1, 1, 3], []])
def test_scatter_writes_or_adds_rows(ids: list[int], overwrite: bool) -> None:
    updates = numbers(len(ids), 3, 2) + 100
    wanted = X.copy()
    for row in ids:
        wanted[row] = 0
    for row, update in zip(ids, updates, strict=True):
        wanted[row] = update if overwrite else wanted[row] + update
    inputs = {"X": X, "Ids": whole(*ids), "Updates": updates}
    same(checked("scatter", inputs, {"overwrite": overwrite})[0], wanted)


@pytest.mark.parametrize("points", [[[1, 2], [1, 2], [0, 0]], [[3], [3]], [[]]])
def test_scatter_nd_add_adds_at_coordinates(points: list[list[int]]) -> None:
    index = np.array(points, np.int64).reshape(len(points), -1)
    updates = numbers(len(points), *X.shape[index.shape[1] :])
    wanted = X.copy()
    for point, update in zip(points, updates, strict=True):
        wanted[tuple(point)] += update
    same(checked("scatter_nd_add", {"X": X, "Index": index, "Updates": updates})[0], wanted)


@pytest.mark.parametrize(
    ("op", "inputs", "attrs"),
    [
        ("gather", {"X": X, "Index": whole(1, 2).reshape(1, 2)}, {}),
        ("gather", {"X": X, "Index": whole(0)}, {"axis": 3}),
        ("gather", {"X": X, "Index": whole(4)}, {}),
        ("gather_nd", {"X": X, "Index": whole(0, 0, 0, 0)}, {}),
        ("lookup_table_v2", {"W": TABLE, "Ids": whole(5)}, {}),
        ("lookup_table_v2", {"W": TABLE, "Ids": whole(-1)}, {}),
    ],
)
def test_errors_name_the_input_that_does_not_fit(op: str, inputs: dict[str, Array], attrs: Attrs) -> None:
    with pytest.raises(LiteError, match=op):
        checked(op, inputs, attrs)
