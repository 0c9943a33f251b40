"""Ops on arrays outside any plan."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import ExecutionError, GraphError, PluginError
from lite.plugin.kernel import evaluate, host_kernel

X = np.array([[-1, 2], [3, -4]], np.float32)


def test_outputs_come_by_slot_with_their_lods() -> None:
    (result,) = evaluate("relu", {"X": [X]}, {}, {"Out": 1}, {"X": [((0, 1, 2),)]})["Out"]
    np.testing.assert_array_equal(result.array, [[0, 2], [3, 0]])
    assert result.lod == ((0, 1, 2),)
    parts = evaluate("split", {"X": [X]}, {"axis": 1, "num": 2}, {"Out": 2})["Out"]
    assert [part.array.tolist() for part in parts] == [[[-1], [3]], [[2], [-4]]]


def test_tensor_arrays_are_lists() -> None:
    zero, one = np.array([0]), np.array([1])
    (first,) = evaluate("write_to_array", {"X": [X], "I": [zero]}, {}, {"Out": 1})["Out"]
    inputs = {"X": [2 * X], "I": [one], "Array": [first.array]}
    (array,) = evaluate("write_to_array", inputs, {}, {"Out": 1})["Out"]
    for index, element in ((zero, X), (one, 2 * X)):
        (read,) = evaluate("read_from_array", {"X": [array.array], "I": [index]}, {}, {"Out": 1})["Out"]
        np.testing.assert_array_equal(read.array, element)
    assert len(first.array) == 1


def test_errors_name_the_op_and_what_is_wrong() -> None:
    with pytest.raises(GraphError, match="relu: slot X: expected"):
        evaluate("relu", {"X": [np.array(["a"], object)]}, {}, {"Out": 1})
    inputs = {"Ids": [np.array([9])], "W": [X]}
    with pytest.raises(
        ExecutionError, match=r"lookup_table_v2: its host kernel failed on Ids=\['int64\[1\]'\]"
    ):
        evaluate("lookup_table_v2", inputs, {}, {"Out": 1})
    with pytest.raises(PluginError, match="op 'reshape' has no host kernel"):
        host_kernel("reshape")
