"""skip_layernorm and fused_embedding_eltwise_layernorm against one row at a time."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import GraphError
from lite.plugin.kernel import Array
from tests.kernels.host.checked import checked

EPSILON = 0.01


def normalised(x: Array, begin: int, scale: Array | None, bias: Array | None) -> Array:
    result = np.zeros(x.shape)
    for index in np.ndindex(x.shape[:begin]):
        row = x[index].astype(np.float64).reshape(-1)
        mean = sum(row) / row.size
        variance = sum((value - mean) ** 2 for value in row) / row.size
        found = np.array([(value - mean) / (variance + EPSILON) ** 0.5 for value in row])
        found = found * (1 if scale is None else scale) + (0 if bias is None else bias)
        result[index] = found.reshape(x.shape[begin:])
    return result


def random(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize(("begin", "size"), [(1, 12), (2, 4)])
@pytest.mark.parametrize("other", [(2, 3, 4), (3, 4), (4,), (2, 1, 4)])
@pytest.mark.parametrize("affine", [True, False])
def test_skip_layernorm_normalises_a_sum(begin: int, size: int, other: tuple[int, ...], affine: bool) -> None:
    x, y = random(2, 3, 4), random(*other)
    scale, bias = (random(size), random(size) + 1) if affine else (None, None)
    more = {"Scale": scale, "Bias": bias} if scale is not None and bias is not None else {}

    (found,) = checked(
        "skip_layernorm", {"X": x, "Y": y, **more}, {"epsilon": EPSILON, "begin_norm_axis": begin}
    )

    np.testing.assert_allclose(found, normalised(x + y, begin, scale, bias), rtol=1e-4, atol=1e-5)
    assert found.dtype == np.float32


def test_skip_layernorm_of_a_smaller_first_operand() -> None:
    x, y = random(1, 3, 1), random(2, 3, 4)

    (found,) = checked("skip_layernorm", {"X": x, "Y": y}, {"epsilon": EPSILON, "begin_norm_axis": 2})

    np.testing.assert_allclose(found, normalised(x + y, 2, None, None), rtol=1e-4, atol=1e-5)


def test_skip_layernorm_of_half_precision() -> None:
    x = random(2, 8).astype(np.float16)

    (found,) = checked("skip_layernorm", {"X": x, "Y": x}, {"epsilon": EPSILON})

    assert found.dtype == np.float16
    np.testing.assert_allclose(found, normalised(x + x, 1, None, None), atol=2e-3)


def test_skip_layernorm_refuses_a_missing_axis() -> None:
    with pytest.raises(GraphError, match="begin_norm_axis"):
        checked("skip_layernorm", {"X": random(2, 3), "Y": random(2, 3)}, {"begin_norm_axis": 2})


@pytest.mark.parametrize("ids", [[(2, 5)], [(2, 5), (1, 5)], [(2, 5), (5,), (2, 1)]])
def test_embeddings_are_added_and_normalised(ids: list[tuple[int, ...]]) -> None:
    generator = np.random.default_rng(0)
    tables = [random(7 + n, 4) for n in range(len(ids))]
    rows = [generator.integers(0, 7, shape) for shape in ids]
    scale, bias = random(4), random(4) + 1

    (found,) = checked(
        "fused_embedding_eltwise_layernorm",
        {"Ids": rows, "Embs": tables, "Scale": scale, "Bias": bias},
        {"epsilon": EPSILON},
    )

    total = np.zeros((2, 5, 4))
    for table, index in zip(tables, rows, strict=True):
        for place in np.ndindex(2, 5):
            total[place] += table[np.broadcast_to(index, (2, 5))[place]]
    np.testing.assert_allclose(found, normalised(total, 2, scale, bias), rtol=1e-4, atol=1e-5)


def test_ids_and_tables_must_be_as_many() -> None:
    rows = np.zeros((2, 3), np.int64)
    with pytest.raises(GraphError, match="as many ids as tables"):
        checked("fused_embedding_eltwise_layernorm", {"Ids": [rows, rows], "Embs": [random(7, 4)]})
