"""PIR ops on indices, sorted elements and matrices equal numpy."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.paddle.pir.builder import (
    DTypeName,
    PirBuilder,
    check_equal,
    like,
    noise,
    run_op,
    tensor,
)

X = noise(3, 4)
ROWS = np.array([2, 0])


@pytest.mark.parametrize("is_constant", [True, False])
def test_gather_along_an_axis(is_constant: bool) -> None:
    builder = PirBuilder()
    axis = builder.full(1, dtype="int32") if is_constant else builder.data("axis", np.array([1], np.int32))
    operands = [builder.data("x", X), builder.data("rows", ROWS), axis]
    out = builder.one("gather", *operands, result=tensor("float32", [-1, -1]))
    feeds = {"x": X, "rows": ROWS} | ({} if is_constant else {"axis": np.array([1], np.int32)})
    check_equal(builder.fetch(out).run(**feeds)[0], X[:, ROWS])


def test_ops_that_read_by_index() -> None:
    check_equal(run_op("gather_nd", [X, np.array([[1, 2]])], result=tensor("float32", [1])), X[1, 2:3])
    taken = run_op("index_select", [X, ROWS], {"axis": 1}, tensor("float32", [3, 2]))
    check_equal(taken, X[:, ROWS])
    along = np.array([[0], [3], [1]])
    taken = run_op("take_along_axis", [X, along], {"axis": 1}, tensor("float32", [3, 1]))
    check_equal(taken, np.take_along_axis(X, along, 1))
    embedded = run_op("embedding", [ROWS, X], {"padding_idx": -1}, tensor("float32", [2, 4]))
    check_equal(embedded, X[ROWS])
    check_equal(run_op("nonzero", [X > 0], result=tensor("int64", [-1, 2])), np.argwhere(X > 0))


def test_ops_that_write_by_index() -> None:
    updates = noise(2, 4, seed=1)
    written = X.copy()
    written[ROWS] = updates
    check_equal(run_op("scatter", [X, ROWS, updates], {"overwrite": True}), written)
    added = X.copy()
    added[ROWS] += updates
    check_equal(run_op("scatter_nd_add", [X, ROWS[:, None], updates]), added)
    along = np.array([[0], [3], [1]])
    put = X.copy()
    np.put_along_axis(put, along, X[:, :1], 1)
    output = run_op("put_along_axis", [X, along, X[:, :1]], {"axis": 1, "reduce": "assign"})
    check_equal(output, put)


@pytest.mark.parametrize("is_constant", [True, False])
def test_one_hot(is_constant: bool) -> None:
    builder = PirBuilder()
    classes = np.array([4], np.int32)
    count = builder.full(4, dtype="int32") if is_constant else builder.data("classes", classes)
    out = builder.one("one_hot", builder.data("x", ROWS), count, result=tensor("float32", [2, -1]))
    feeds = {"x": ROWS} | ({} if is_constant else {"classes": classes})
    check_equal(builder.fetch(out).run(**feeds)[0], np.eye(4, dtype=np.float32)[ROWS])


@pytest.mark.parametrize("is_constant", [True, False])
def test_topk(is_constant: bool) -> None:
    builder = PirBuilder()
    count = np.array([2], np.int32)
    k = builder.full(2, dtype="int32") if is_constant else builder.data("k", count)
    results = [tensor("float32", [3, -1]), tensor("int64", [3, -1])]
    attrs = {"axis": -1, "largest": False, "sorted": True}
    values, indices = builder.op("1.topk", [builder.data("x", X), k], results, attrs)
    feeds: dict[str, Array] = {"x": X} | ({} if is_constant else {"k": count})
    outputs = builder.fetch(values, indices).run(**feeds)
    check_equal(outputs[0], np.sort(X, 1)[:, :2])
    check_equal(outputs[1], np.argsort(X, 1)[:, :2])


def test_argsort() -> None:
    builder = PirBuilder()
    x = builder.data("x", X)
    results = [like(X), tensor("int64", X.shape)]
    attrs = {"axis": 0, "descending": True, "stable": False}
    values, indices = builder.op("1.argsort", [x], results, attrs)
    outputs = builder.fetch(values, indices).run(x=X)
    check_equal(outputs[0], -np.sort(-X, 0))
    check_equal(outputs[1], np.argsort(-X, 0))


def test_unique_with_all_results() -> None:
    x = np.array([3, 1, 3, 2], np.int64)
    builder = PirBuilder()
    attrs: dict[str, object] = {
        "return_index": True,
        "return_inverse": True,
        "return_counts": True,
        "axis": [],
    }
    attrs |= {"dtype": DTypeName("int64"), "is_sorted": True}
    results = builder.op("1.unique", [builder.data("x", x)], [tensor("int64", [-1])] * 4, attrs)
    outputs = builder.fetch(*results).run(x=x)
    expected = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
    for output, array in zip(outputs, expected, strict=True):
        check_equal(output, array)


def test_matrix_products() -> None:
    y = noise(3, 5, seed=1)
    attrs = {"transpose_x": True, "transpose_y": False}
    check_equal(run_op("matmul", [X, y], attrs, tensor("float32", [4, 5])), X.T @ y)
    batches = noise(2, 3, 4), noise(2, 4, 5)
    check_equal(run_op("bmm", batches, result=tensor("float32", [2, 3, 5])), batches[0] @ batches[1])
    square = noise(3, 3)
    check_equal(run_op("inverse", [square]), np.linalg.inv(square), 1e-4)
    result = tensor("float32", [])
    check_equal(run_op("determinant", [square], result=result), np.asarray(np.linalg.det(square)), 1e-4)
    operands = [noise(3, 5), X, noise(4, 5)]
    expected = 0.5 * operands[0] + 2 * operands[1] @ operands[2]
    check_equal(run_op("addmm", operands, {"beta": 0.5, "alpha": 2.0}), expected)


def test_einsum_of_a_list() -> None:
    builder = PirBuilder()
    x = builder.data("x", X)
    out = builder.one(
        "einsum", builder.combine(x, x), result=tensor("float32", [3]), attrs={"equation": "ij,ij->i"}
    )
    check_equal(builder.fetch(out).run(x=X)[0], (X * X).sum(1))
