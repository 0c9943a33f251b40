"""Tensor arrays as values, against lists."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from lite.errors import ExecutionError
from lite.ir.types import Array
from lite.kernels.host.control import tensor_array as kernels
from tests.kernels.host.checked import numbers, same

ITEMS = [numbers(2), numbers(3, 1), numbers(2, 2, dtype=np.int64)]
ITEM = numbers(4)


def at(position: int) -> Array:
    return np.array(position)


def equal(found: Sequence[Array], wanted: Sequence[Array]) -> None:
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        same(one, other)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_make_array_copies_its_elements(count: int) -> None:
    given = ITEMS[:count]

    found = kernels.make_array(given or None, dtype=-1)

    equal(found, given)
    assert not any(np.shares_memory(one, other) for one, other in zip(found, given, strict=True))


@pytest.mark.parametrize("position", [None, 0, 1, 3, -1, -3])
def test_insert_puts_the_item_before_the_position(position: int | None) -> None:
    wanted = list(ITEMS)
    wanted.insert(len(ITEMS) if position is None else position, ITEM)

    equal(kernels.insert_to_array(ITEMS, ITEM, None if position is None else at(position), None), wanted)
    equal(kernels.insert_to_array([], ITEM, None, None), [ITEM])


@pytest.mark.parametrize("shape", [(), (1,)])
def test_insert_only_where_the_condition_holds(shape: tuple[int, ...]) -> None:
    equal(kernels.insert_to_array(ITEMS, ITEM, None, np.full(shape, True)), [*ITEMS, ITEM])
    equal(kernels.insert_to_array(ITEMS, ITEM, None, np.full(shape, False)), ITEMS)


@pytest.mark.parametrize("position", [None, 0, 2, -1, -3])
def test_erase_and_element_count_from_either_end(position: int | None) -> None:
    wanted = list(ITEMS)
    removed = wanted.pop(-1 if position is None else position)

    equal(kernels.erase_from_array(ITEMS, None if position is None else at(position)), wanted)
    same(kernels.array_element(ITEMS, at(-1 if position is None else position)), removed)
    assert len(ITEMS) == 3


@pytest.mark.parametrize("position", [3, -4])
def test_positions_outside_are_refused(position: int) -> None:
    for call in (kernels.erase_from_array, kernels.array_element):
        with pytest.raises(IndexError, match=rf"Position: expected one from -3 to 2, got {position}"):
            call(ITEMS, at(position))
    with pytest.raises(IndexError, match="from -3 to 3"):
        kernels.insert_to_array(ITEMS, ITEM, at(position * 2), None)


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("split", [None, 1, 2, 4, 9, [1, 3], [4, 0], [2, 1, 1]])
def test_split_gives_copies_of_the_parts(axis: int, split: int | list[int] | None) -> None:
    x = numbers(4, 4, 4)
    lines = np.moveaxis(x, axis, 0)
    sizes = split if isinstance(split, list) else [split or 1] * 4
    wanted, begin = [], 0
    for size in sizes:
        if begin < 4 or isinstance(split, list):
            wanted.append(np.moveaxis(lines[begin : begin + size], 0, axis))
        begin += size

    found = kernels.split_to_array(x, None if split is None else np.array(split), axis=axis, keepdims=1)

    equal(found, wanted)


def test_split_without_sizes_may_drop_the_axis() -> None:
    x = numbers(2, 3)

    equal(kernels.split_to_array(x, None, axis=1, keepdims=0), [x[:, 0], x[:, 1], x[:, 2]])
    equal(kernels.split_to_array(x[:0], None, axis=0, keepdims=0), [])
    equal(kernels.split_to_array(x[:0], np.array([0, 0]), axis=0, keepdims=1), [x[:0], x[:0]])
    equal(kernels.split_to_array(x[:0], np.array([], np.int64), axis=0, keepdims=1), [])


@pytest.mark.parametrize(
    ("split", "message"),
    [([1, 2], "sizes that add up to 4, got"), ([5, -1], "add up to 4"), (0, "a size from 1, got 0")],
)
def test_sizes_that_do_not_add_up_are_refused(split: int | list[int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kernels.split_to_array(numbers(4), np.array(split), axis=0, keepdims=1)


def test_an_error_names_the_op() -> None:
    from lite.plugin.kernel import evaluate

    with pytest.raises(ExecutionError, match="split_to_array"):
        evaluate("split_to_array", {"X": [numbers(4)], "Split": [np.array(0)]}, {}, {"Out": 1})
