"""Versions of a tensor array: each keeps its own elements, and an append copies nothing."""

from __future__ import annotations

import random
import threading

import numpy as np
import pytest

from lite.plugin.kernel import TensorArray, is_tensor_array


def element(number: int) -> np.ndarray:
    return np.array([number])


def numbers(array: TensorArray) -> list[int]:
    return [int(each[0]) for each in array]


def test_versions_keep_their_elements() -> None:
    source = random.Random(0)
    versions: list[tuple[TensorArray, list[int]]] = [(TensorArray([]), [])]
    for number in range(500):
        array, expected = source.choice(versions[-4:])
        versions.append((array.appended(element(number)), [*expected, number]))
    for array, expected in versions:
        assert numbers(array) == expected
        assert len(array) == len(expected)
        assert [int(each[0]) for each in array[::-1]] == expected[::-1]
        if expected:
            assert (int(array[0][0]), int(array[-1][0])) == (expected[0], expected[-1])


def test_appending_to_the_last_version_shares_the_list() -> None:
    first = TensorArray([])
    second = first.appended(element(1))
    assert second._items is first._items
    assert first.appended(element(2))._items is not first._items


@pytest.mark.parametrize("index", [2, -3])
def test_an_index_outside_of_a_version_is_an_error(index: int) -> None:
    first = TensorArray([element(0), element(1)])
    first.appended(element(2))
    with pytest.raises(IndexError, match="of an array of 2 tensors"):
        first[index]


def test_threads_that_append_to_one_version_get_their_own_elements() -> None:
    base = TensorArray([element(0)])
    results: list[list[int]] = []

    def append(number: int) -> None:
        array = base
        for step in range(200):
            array = array.appended(element(1000 * number + step))
        results.append(numbers(array))

    threads = [threading.Thread(target=append, args=(number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = [[0, *range(1000 * number, 1000 * number + 200)] for number in range(1, 5)]
    assert sorted(results) == expected


def test_lists_are_tensor_arrays_too() -> None:
    assert is_tensor_array([])
    assert is_tensor_array(TensorArray([]))
    assert not is_tensor_array(element(0))
    assert not is_tensor_array(None)
