"""Sparse tensors become dense ones."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from lite.errors import ModelParseError
from lite.model_parser.onnx.sparse import read_sparse
from lite.model_parser.onnx.tensors import TensorReader


@pytest.mark.parametrize("places", [[1, 5], [[0, 1], [1, 2]]])
def test_places(places: list[int]) -> None:
    values = numpy_helper.from_array(np.array([4, 7], np.int16))
    sparse = helper.make_sparse_tensor(values, numpy_helper.from_array(np.array(places)), [2, 3])

    found = read_sparse(sparse, TensorReader(None), "here")

    assert found.dtype == np.int16
    np.testing.assert_array_equal(found, [[0, 4, 0], [0, 0, 7]])


def test_outside() -> None:
    values = numpy_helper.from_array(np.array([4], np.int16))
    sparse = helper.make_sparse_tensor(values, numpy_helper.from_array(np.array([6])), [2, 3])

    with pytest.raises(ModelParseError, match=r"here: its places and values do not fit its dims \[2, 3\]"):
        read_sparse(sparse, TensorReader(None), "here")


def test_sizes_that_no_array_has() -> None:
    values = numpy_helper.from_array(np.array([], np.int16))
    sparse = onnx.SparseTensorProto(
        values=values, indices=numpy_helper.from_array(np.array([], np.int64)), dims=[0, 2**62]
    )

    with pytest.raises(ModelParseError, match="here: its places and values do not fit its dims"):
        read_sparse(sparse, TensorReader(None), "here")


@pytest.mark.parametrize("dims", [[-1], [2**20, 2**20]])
def test_sizes_that_cannot_be(dims: list[int]) -> None:
    values = numpy_helper.from_array(np.array([4], np.int16))
    sparse = onnx.SparseTensorProto(values=values, indices=numpy_helper.from_array(np.array([0])), dims=dims)

    with pytest.raises(
        ModelParseError, match="here: expected at most 2147483648 bytes with the zeros, got dims"
    ):
        read_sparse(sparse, TensorReader(None), "here")
