"""fused_attention and fused_qkv_attention against sums over one query at a time."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from lite.errors import GraphError
from lite.kernels.host.attention.attention import fused_attention
from lite.plugin.kernel import Array
from tests.kernels.host.checked import checked


def attended(q: Array, k: Array, v: Array, mask: Array, scale: float) -> Array:
    """``[batch, heads, rows, size]``, weight by weight."""
    result = np.zeros((*q.shape[:-1], v.shape[-1]))
    for b, h, row in np.ndindex(q.shape[:-1]):
        scores = [
            scale * float(np.dot(q[b, h, row].astype(float), key.astype(float))) + float(mask[b, h, row, n])
            for n, key in enumerate(k[b, h])
        ]
        weights = [math.exp(score - max(scores)) for score in scores]
        for n, weight in enumerate(weights):
            result[b, h, row] += weight / sum(weights) * v[b, h, n].astype(float)
    return result


def random(*shape: int) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


def split(x: Array, heads: int) -> Array:
    batch, rows, columns = x.shape
    size = columns // heads
    return np.stack([x[..., h * size : (h + 1) * size] for h in range(heads)], axis=1).reshape(
        batch, heads, rows, size
    )


def joined(x: Array) -> Array:
    return np.concatenate([x[:, h] for h in range(x.shape[1])], axis=-1)


@pytest.mark.parametrize("mask", [None, (1, 1, 1, 5), (2, 1, 4, 5), (4, 5)])
@pytest.mark.parametrize("scale", [1.0, 0.25])
def test_matrices_give_the_weighted_mean_of_values(mask: tuple[int, ...] | None, scale: float) -> None:
    q, k, v = random(2, 3, 4, 6), random(2, 3, 5, 6), random(2, 3, 5, 7)
    given = np.zeros((1,), np.float32) if mask is None else random(*mask)
    inputs = {"Q": q, "K": k, "V": v, **({} if mask is None else {"Mask": given})}

    (found,) = checked("fused_attention", inputs, {"scale": scale})

    expected = attended(q, k, v, np.broadcast_to(given, (2, 3, 4, 5)), scale)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    assert found.dtype == np.float32


@pytest.mark.parametrize("heads", [1, 3])
def test_each_head_attends_by_itself(heads: int) -> None:
    q, k, v = random(2, 4, 6), random(2, 5, 6), random(2, 5, 9)

    (found,) = checked("fused_attention", {"Q": q, "K": k, "V": v}, {"scale": 0.5, "head_number": heads})

    zeros = np.zeros((2, heads, 4, 5))
    expected = joined(attended(split(q, heads), split(k, heads), split(v, heads), zeros, 0.5))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("mask", [None, (2, 1, 1, 5)])
def test_one_tensor_holds_q_k_and_v(mask: tuple[int, ...] | None) -> None:
    x = random(2, 5, 36)
    given = np.zeros((1,), np.float32) if mask is None else random(*mask)
    inputs = {"QKV": x, **({} if mask is None else {"Mask": given})}

    (found,) = checked("fused_qkv_attention", inputs, {"scale": 0.5, "head_number": 4})

    q, k, v = (split(x[..., n * 12 : (n + 1) * 12], 4) for n in range(3))
    expected = joined(attended(q, k, v, np.broadcast_to(given, (2, 4, 5, 5)), 0.5))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


def test_large_scores_do_not_overflow() -> None:
    q = np.full((1, 2, 4), 100, np.float32)

    (found,) = checked("fused_attention", {"Q": q, "K": q, "V": q})

    np.testing.assert_allclose(found, q)


def test_a_masked_key_has_no_weight_and_a_full_mask_gives_nan() -> None:
    q, k, v = random(1, 2, 4), random(1, 3, 4), random(1, 3, 4)
    mask = np.array([[0, 0, -np.inf], [-np.inf] * 3], np.float32)

    (found,) = checked("fused_attention", {"Q": q, "K": k, "V": v, "Mask": mask})
    (without,) = checked("fused_attention", {"Q": q, "K": k[:, :2], "V": v[:, :2]})

    np.testing.assert_allclose(found[:, 0], without[:, 0], rtol=1e-5)
    assert np.isnan(found[:, 1]).all()

    inputs = {"Q": q, "K": k, "V": v, "Mask": mask}
    for attrs in ({"nan_as_zero": True}, {"nan_as_zero": True, "head_number": 1}):
        (cleared,) = checked("fused_attention", inputs, attrs)
        np.testing.assert_array_equal(cleared, np.nan_to_num(found, nan=0.0))


@pytest.mark.parametrize("heads", [0, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_the_result_may_overwrite_q(heads: int, dtype: type[np.generic]) -> None:
    q, k, v = (random(2, rows, 12).astype(dtype) for rows in (4, 5, 5))
    (expected,) = checked("fused_attention", {"Q": q, "K": k, "V": v}, {"head_number": heads})

    got = fused_attention(q, k, v, head_number=heads, out=q)

    assert got is q
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("rows", [0, 3])
def test_no_keys_give_zeros(rows: int) -> None:
    (found,) = checked(
        "fused_attention", {"Q": random(2, rows, 4), "K": random(2, 0, 4), "V": random(2, 0, 5)}
    )

    np.testing.assert_array_equal(found, np.zeros((2, rows, 5)))


def test_a_mask_may_add_a_batch_axis() -> None:
    q, k, v, mask = random(1, 4, 6), random(1, 5, 6), random(1, 5, 6), random(3, 2, 4, 5)
    inputs = {"Q": q, "K": k, "V": v, "Mask": mask}

    (found,) = checked("fused_attention", inputs, {"head_number": 2})

    each = [checked("fused_attention", {**inputs, "Mask": m[None]}, {"head_number": 2})[0] for m in mask]
    np.testing.assert_allclose(found, np.concatenate(each), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float64])
def test_other_element_types_are_computed(dtype: type[np.generic]) -> None:
    x = random(2, 3, 12).astype(dtype)

    (found,) = checked("fused_qkv_attention", {"QKV": x}, {"head_number": 2})

    (wide,) = checked("fused_qkv_attention", {"QKV": x.astype(np.float64)}, {"head_number": 2})
    assert found.dtype == x.dtype
    np.testing.assert_allclose(
        found.astype(np.float64), wide, rtol=2e-2 if dtype != np.float64 else 1e-12, atol=1e-2
    )


@pytest.mark.parametrize(
    ("op", "inputs", "attrs", "match"),
    [
        (
            "fused_qkv_attention",
            {"QKV": random(1, 2, 8)},
            {"head_number": 1},
            "QKV: expected a multiple of 3 columns",
        ),
        (
            "fused_attention",
            {"Q": random(2, 4), "K": random(2, 5), "V": random(2, 4)},
            {},
            "columns of K: expected 4",
        ),
        (
            "fused_attention",
            {"Q": random(2, 4), "K": random(2, 4), "V": random(3, 4)},
            {},
            "rows of V: expected 2",
        ),
    ],
)
def test_shapes_that_do_not_fit_are_refused(
    op: str, inputs: dict[str, Array], attrs: dict[str, int], match: str
) -> None:
    with pytest.raises(GraphError, match=match):
        checked(op, inputs, attrs)


def test_a_mask_may_have_more_columns_than_one_key() -> None:
    q, k, v, mask = random(2, 4, 6), random(2, 1, 6), random(2, 5, 6), random(2, 1, 4, 5)

    (found,) = checked("fused_attention", {"Q": q, "K": k, "V": v, "Mask": mask}, {"head_number": 2})

    heads = [split(x, 2) for x in (q, np.broadcast_to(k, (2, 5, 6)), v)]
    scores = np.broadcast_to(mask, (2, 2, 4, 5))
    expected = joined(attended(heads[0], heads[1], heads[2], scores, 1.0))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
