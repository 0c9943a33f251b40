"""Sparse constants of TFLite models become dense arrays."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.model_parser.tflite.sparsity import dense
from lite.plugin.format.flatbuffer import Table
from tests.model_parser.tflite.builder import Buffer
from tests.model_parser.tflite.builder import Table as Fields
from tests.model_parser.tflite.models import ints


def table(order: list[int], blocks: list[int], *levels: Fields) -> Table:
    """The sparsity of a tensor, as the reader finds it in a file."""
    buffer = Buffer()
    buffer.data += bytes(4)
    buffer.refer(0, buffer.table({0: ints(*order), 1: ints(*blocks), 2: list(levels)}))
    return Table(bytes(buffer.data), struct.unpack_from("<I", buffer.data)[0])


def dense_level(size: int) -> Fields:
    """A dense axis."""
    return Fields({0: ("b", 0), 1: ("i", size)})


def compressed_level(segments: list[int], indices: list[int], code: int = 1) -> Fields:
    """A compressed axis with numbers of a type."""
    dtype = {1: np.int32, 2: np.uint16, 3: np.uint8}[code]
    parts = [Fields({0: np.array(numbers, dtype)}) for numbers in (segments, indices)]
    return Fields({0: ("b", 1), 2: ("B", code), 3: parts[0], 4: ("B", code), 5: parts[1]})


VALUES = np.array([1, 2, 3], np.float32)


@pytest.mark.parametrize("code", [1, 2, 3])
def test_rows_with_compressed_columns(code: int) -> None:
    sparsity = table([0, 1], [], dense_level(2), compressed_level([0, 2, 3], [0, 3, 1], code))
    np.testing.assert_array_equal(dense(VALUES, [2, 4], sparsity), [[1, 0, 0, 2], [0, 3, 0, 0]])


def test_columns_first() -> None:
    sparsity = table([1, 0], [], dense_level(2), compressed_level([0, 1, 3], [2, 0, 1]))
    np.testing.assert_array_equal(dense(VALUES, [3, 2], sparsity), [[0, 2], [0, 3], [1, 0]])


def test_blocks() -> None:
    sparsity = table([0, 1, 2], [1], dense_level(1), compressed_level([0, 1], [1]), dense_level(3))
    np.testing.assert_array_equal(dense(VALUES, [1, 6], sparsity), [[0, 0, 0, 1, 2, 3]])


@pytest.mark.parametrize(
    ("order", "blocks", "levels", "message"),
    [
        ([0, 0], [], [dense_level(2)] * 2, "expected an order of 2 axes and their levels, got [0, 0]"),
        ([0, 1], [], [dense_level(2)], "expected an order of 2 axes and their levels, got [0, 1]"),
        ([0, 1, 2], [5], [dense_level(1)] * 3, "expected blocks along different axes below 2, got [5]"),
        ([0, 1], [], [dense_level(-1)] * 2, "expected at most 8 positions, got 1 · -1"),
        ([0, 1], [], [dense_level(2), dense_level(9)], "expected at most 8 positions, got 2 · 9"),
        ([0, 1], [], [dense_level(2), dense_level(4)], "expected 8 stored values, got 3"),
        ([0, 1], [], [dense_level(2), compressed_level([0, 3], [0])], "expected 3 segments, got 2"),
        (
            [0, 1],
            [],
            [dense_level(2), compressed_level([0, 3, 1], [0])],
            "expected segments in order with at most 8 indices",
        ),
        (
            [0, 1],
            [],
            [dense_level(2), compressed_level([0, 2, 3], [0, 1])],
            "expected segments of 2 indices, got 2",
        ),
        (
            [0, 1],
            [],
            [dense_level(2), compressed_level([0, 2, 3], [0, 1, 4])],
            "expected indices below 4 on axis 1, got 4",
        ),
        (
            [0, 1],
            [],
            [dense_level(2), Fields({0: ("b", 7)})],
            "expected a dense or compressed axis, got the number 7",
        ),
        (
            [0, 1],
            [],
            [dense_level(2), Fields({0: ("b", 1)})],
            "expected segments and indices of a compressed axis",
        ),
    ],
)
def test_damaged_sparsity_is_refused(
    order: list[int], blocks: list[int], levels: list[Fields], message: str
) -> None:
    with pytest.raises(ModelParseError) as caught:
        dense(VALUES, [2, 4], table(order, blocks, *levels))
    assert str(caught.value) == message


def test_a_sparse_scalar_is_refused() -> None:
    with pytest.raises(ModelParseError, match="expected a sparse tensor of rank 1 or more, got a scalar"):
        dense(VALUES[:1], [], table([], []))


def test_a_small_file_cannot_ask_for_much_memory() -> None:
    sparsity = table([0, 1], [], dense_level(2), compressed_level([0, 2, 3], [0, 3, 1]))
    with pytest.raises(ModelParseError, match="expected at most 1000 elements per stored value, got"):
        dense(VALUES, [2, 2**40], sparsity)
