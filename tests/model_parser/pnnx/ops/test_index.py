"""Reads by index equal numpy's."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.pnnx.models import noise, one_op

X = noise(3, 4, 5)


@pytest.mark.parametrize(
    ("expr", "inputs", "expected"),
    [
        ("[None,[2,0,1]]", [], X[:, [2, 0, 1]]),
        ("[[1]]", [], X[[1]]),
        ("[None,None,@1]", [np.array([4, 0], np.int64)], X[:, :, [4, 0]]),
    ],
)
def test_index_along_one_axis(expr: str, inputs: list[Array], expected: Array) -> None:
    np.testing.assert_array_equal(one_op("Tensor.index", [X, *inputs], f"expr={expr}")[0], expected)


def test_gather_with_fewer_indices_than_elements() -> None:
    index = np.array([[[0, 1, 4]], [[2, 2, 2]]], np.int64)
    output = one_op("torch.gather", [X, index], "dim=2", names=["input", "index"])[0]
    np.testing.assert_array_equal(output, np.take_along_axis(X[:2, :1], index, 2))


def test_index_select_of_rows() -> None:
    index = np.array([2, 0], np.int64)
    output = one_op("torch.index_select", [X, index], "dim=0", names=["input", "index"])[0]
    np.testing.assert_array_equal(output, X[[2, 0]])


def test_embedding_reads_rows_of_the_weight() -> None:
    ids, weight = np.array([[3, 0], [1, 3]], np.int64), noise(4, 2)
    (output,) = one_op("nn.Embedding", [ids], "num_embeddings=4 embedding_dim=2", {"weight": weight})
    np.testing.assert_array_equal(output, weight[ids])
