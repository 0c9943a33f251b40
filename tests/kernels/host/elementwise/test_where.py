"""where, where_index, tril_triu, split_lod_tensor, merge_lod_tensor, element by element."""

import numpy as np
import pytest

from lite.errors import LiteError
from lite.ir.types import Array, Lod
from lite.plugin.kernel import evaluate
from tests.kernels.host.checked import checked, filled, numbers, same, whole


def test_where_selects_by_condition() -> None:
    x, y = numbers(2, 3), -numbers(2, 3)
    condition = np.array([[True, False, True], [False, False, True]])
    wanted = filled((2, 3), x.dtype, lambda i, j: x[i, j] if condition[i, j] else y[i, j])
    same(checked("where", {"Condition": condition, "X": x, "Y": y})[0], wanted)
    scalar = {"Condition": np.array(False), "X": whole(1)[0], "Y": whole(2)[0]}
    same(checked("where", {name: np.array(item) for name, item in scalar.items()})[0], np.array(2, np.int32))


@pytest.mark.parametrize("dtype", [np.bool_, np.int32, np.float32])
def test_where_index_lists_coordinates(dtype: type) -> None:
    condition: Array = np.array([[0, 1, 0], [2, 0, 3]]).astype(dtype)
    same(checked("where_index", {"Condition": condition})[0], np.array([[0, 1], [1, 0], [1, 2]]))
    same(checked("where_index", {"Condition": np.zeros(3, dtype)})[0], np.zeros((0, 1), np.int64))


@pytest.mark.parametrize(("held", "rows"), [(True, 1), (False, 0)])
def test_where_index_of_a_scalar_has_no_columns(held: bool, rows: int) -> None:
    same(checked("where_index", {"Condition": np.array(held)})[0], np.zeros((rows, 0), np.int64))


@pytest.mark.parametrize("diagonal", [-5, -1, 0, 2])
@pytest.mark.parametrize("lower", [True, False])
def test_tril_triu_keeps_a_triangle(lower: bool, diagonal: int) -> None:
    x = numbers(2, 3, 4)
    wanted = filled(
        x.shape,
        x.dtype,
        lambda n, i, j: x[n, i, j] if (j - i <= diagonal if lower else j - i >= diagonal) else 0,
    )
    same(checked("tril_triu", {"X": x}, {"lower": lower, "diagonal": diagonal})[0], wanted)


def test_tril_triu_needs_a_matrix() -> None:
    with pytest.raises(LiteError, match="tril_triu"):
        checked("tril_triu", {"X": numbers(3)})


ROWS = np.arange(7, dtype=np.float32).reshape(7, 1)


@pytest.mark.parametrize(
    ("lod", "level", "mask", "held", "held_lod", "other_lod"),
    [
        ((), 0, [0, 1, 0, 0, 1, 1, 0], [1, 4, 5], (), ()),
        ((), 0, [0] * 7, [], (), ()),
        (((0, 2, 3, 7),), 0, [1, 0, 1], [0, 1, 3, 4, 5, 6], ((0, 2, 6),), ((0, 1),)),
        (((0, 1, 3), (0, 2, 3, 7)), 0, [0, 1], [2, 3, 4, 5, 6], ((0, 2), (0, 1, 5)), ((0, 1), (0, 2))),
        (((0, 1, 3), (0, 2, 3, 7)), 1, [0, 1, 0], [2], ((0, 1),), ((0, 2, 6),)),
    ],
)
def test_split_and_merge_sequences(
    lod: Lod, level: int, mask: list[int], held: list[int], held_lod: Lod, other_lod: Lod
) -> None:
    parts = {"X": [ROWS], "Mask": [np.array(mask, bool).reshape(-1, 1)]}
    both = {"OutTrue": 1, "OutFalse": 1}
    found = evaluate("split_lod_tensor", parts, {"level": level}, both, {"X": [lod]})
    same(found["OutTrue"][0].array, ROWS[held])
    same(found["OutFalse"][0].array, np.delete(ROWS, held, axis=0))
    assert (found["OutTrue"][0].lod, found["OutFalse"][0].lod) == (held_lod, other_lod)
    joined = {**parts, "InTrue": [ROWS[held]], "InFalse": [np.delete(ROWS, held, axis=0)]}
    lods = {"X": [lod], "InTrue": [held_lod], "InFalse": [other_lod]}
    back = evaluate("merge_lod_tensor", joined, {"level": level}, {"Out": 1}, lods)["Out"][0]
    same(back.array, ROWS)
    assert back.lod == lod


def test_one_side_of_a_merge_may_be_empty() -> None:
    empty: Array = ROWS[:0]
    parts = {"X": ROWS, "Mask": np.ones(7, bool), "InTrue": ROWS, "InFalse": empty}
    same(checked("merge_lod_tensor", parts)[0], ROWS)
