"""matmul_v2, matmul and bmm against sums over single elements."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lite.errors import GraphError
from lite.plugin.kernel import Array, host_kernel
from tests.kernels.host.checked import checked

Shape = tuple[int, ...]


def sample(shape: Shape, seed: int) -> Array:
    return np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float32)


def expected(x: Array, y: Array) -> Array:
    """The product of tensors of at least two axes whose batches broadcast."""
    batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    x, y = np.broadcast_to(x, batch + x.shape[-2:]), np.broadcast_to(y, batch + y.shape[-2:])
    result = np.zeros((*batch, x.shape[-2], y.shape[-1]), np.float32)
    for *at, row, column in np.ndindex(result.shape):
        pairs = zip(x[(*at, row)], y[(*at, slice(None), column)], strict=True)
        result[(*at, row, column)] = sum(float(a * b) for a, b in pairs)
    return result


@pytest.mark.parametrize(
    ("x_shape", "y_shape", "trans_x", "trans_y"),
    [
        ((3, 4), (4, 2), False, False),
        ((4, 3), (4, 2), True, False),
        ((3, 4), (2, 4), False, True),
        ((4, 3), (2, 4), True, True),
        ((2, 3, 4), (4, 5), False, False),
        ((2, 3, 4), (5, 4), False, True),
        ((2, 4, 3), (4, 5), True, False),
        ((2, 3, 4), (2, 4, 5), False, False),
        ((3, 4), (2, 4, 5), False, False),
        ((2, 1, 3, 4), (5, 4, 2), False, False),
        ((2, 3, 0), (0, 5), False, False),
        ((0, 3, 4), (4, 5), False, False),
    ],
)
def test_matrices_multiply_and_leading_axes_broadcast(
    x_shape: Shape, y_shape: Shape, trans_x: bool, trans_y: bool
) -> None:
    x, y = sample(x_shape, 1), sample(y_shape, 2)
    wanted = expected(x.swapaxes(-1, -2) if trans_x else x, y.swapaxes(-1, -2) if trans_y else y)

    (got,) = checked("matmul_v2", {"X": x, "Y": y}, {"trans_x": trans_x, "trans_y": trans_y})
    (scaled,) = checked(
        "matmul", {"X": x, "Y": y}, {"transpose_X": trans_x, "transpose_Y": trans_y, "alpha": -0.5}
    )

    np.testing.assert_array_equal(got, wanted)
    np.testing.assert_array_equal(scaled, wanted * -0.5)


@pytest.mark.parametrize(
    ("x_shape", "y_shape", "wanted_shape"),
    [
        ((4,), (4,), ()),
        ((4,), (4, 2), (2,)),
        ((3, 4), (4,), (3,)),
        ((2, 3, 4), (4,), (2, 3)),
        ((4,), (2, 4, 3), (2, 3)),
    ],
)
@pytest.mark.parametrize("trans", [False, True])
def test_vectors_in_matmul_v2(x_shape: Shape, y_shape: Shape, wanted_shape: Shape, trans: bool) -> None:
    x, y = sample(x_shape, 3), sample(y_shape, 4)
    attrs = {"trans_x": trans and x.ndim == 1, "trans_y": trans and y.ndim == 1}

    (got,) = checked("matmul_v2", {"X": x, "Y": y}, dict(attrs))

    rows = x.reshape(1, -1) if x.ndim == 1 else x
    columns = y.reshape(-1, 1) if y.ndim == 1 else y
    np.testing.assert_array_equal(got, expected(rows, columns).reshape(wanted_shape))


@pytest.mark.parametrize(
    ("x_shape", "y_shape", "trans_x", "trans_y", "rows", "columns", "wanted_shape"),
    [
        ((4,), (4,), False, False, (1, 4), (4, 1), (1,)),
        ((4,), (3,), True, True, (4, 1), (1, 3), (4, 3)),
        ((4,), (4, 2), False, False, (1, 4), (4, 2), (2,)),
        ((3, 4), (4,), False, False, (3, 4), (4, 1), (3,)),
    ],
)
def test_vectors_in_matmul(
    x_shape: Shape,
    y_shape: Shape,
    trans_x: bool,
    trans_y: bool,
    rows: Shape,
    columns: Shape,
    wanted_shape: Shape,
) -> None:
    x, y = sample(x_shape, 5), sample(y_shape, 6)

    (got,) = checked("matmul", {"X": x, "Y": y}, {"transpose_X": trans_x, "transpose_Y": trans_y})

    np.testing.assert_array_equal(got, expected(x.reshape(rows), y.reshape(columns)).reshape(wanted_shape))


@pytest.mark.parametrize("batch", [1, 3, 0])
def test_bmm_multiplies_two_batches(batch: int) -> None:
    x, y = sample((batch, 2, 4), 7), sample((batch, 4, 3), 8)

    (got,) = checked("bmm", {"X": x, "Y": y})

    np.testing.assert_array_equal(got, expected(x, y))


@pytest.mark.parametrize("dtype", [np.float64, np.float16, ml_dtypes.bfloat16, np.int32])
def test_other_dtypes_are_computed(dtype: type[np.generic]) -> None:
    x, y = sample((2, 3, 4), 9), sample((4, 2), 10)

    (got,) = checked("matmul_v2", {"X": x.astype(dtype), "Y": y.astype(dtype)})

    np.testing.assert_array_equal(got.astype(np.float32), expected(x, y))


def test_the_result_may_be_part_of_an_array() -> None:
    x, y = sample((2, 3, 4), 11), sample((4, 5), 12)
    whole = np.zeros((2, 3, 9), np.float32)

    host_kernel("matmul_v2").run(x, y, trans_x=False, trans_y=False, out=whole[:, :, 2:7])

    np.testing.assert_array_equal(whole[:, :, 2:7], expected(x, y))
    assert not whole[:, :, :2].any()
    assert not whole[:, :, 7:].any()


@pytest.mark.parametrize("op", ["matmul_v2", "matmul"])
def test_different_inner_sizes_are_refused(op: str) -> None:
    with pytest.raises(
        GraphError, match=f"{op}: Y: expected 4 rows to multiply with the columns of X, got 5"
    ):
        checked(op, {"X": sample((3, 4), 1), "Y": sample((5, 2), 1)})


def test_fused_form_of_onednn_is_refused() -> None:
    with pytest.raises(GraphError, match="matmul_v2: attribute fused_transpose_X"):
        checked("matmul_v2", {"X": sample((3, 4), 1), "Y": sample((4, 2), 1)}, {"fused_transpose_X": [1, 0]})


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8, np.uint64])
@pytest.mark.parametrize("largest", [100, 2**31 - 1])
def test_products_of_integers_are_exact(dtype: Any, largest: int) -> None:
    """Those that float64 does not hold wrap around, as numpy's do."""
    least, largest = (0, min(largest, 255)) if np.dtype(dtype).kind == "u" else (-largest, largest)
    generator = np.random.default_rng(0)
    x, y = (generator.integers(least, largest, shape).astype(dtype) for shape in ((2, 9, 40), (40, 30)))

    [result] = checked("matmul_v2", {"X": x, "Y": y})

    np.testing.assert_array_equal(result, np.matmul(x, y))
    assert result.dtype == dtype
