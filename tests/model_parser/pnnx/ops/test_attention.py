"""Scaled dot-product attention equals its formula."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.pnnx.models import noise, one_op

Q, K, V = noise(2, 3, 5, 4), noise(2, 3, 6, 4, seed=1), noise(2, 3, 6, 7, seed=2)
NAMES = ["query", "key", "value"]


def attention(scores: Array) -> Array:
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    result: Array = weights / weights.sum(-1, keepdims=True) @ V
    return result


def test_attention_without_a_mask() -> None:
    (output,) = one_op("F.scaled_dot_product_attention", [Q, K, V], "attn_mask=None", names=NAMES)
    np.testing.assert_allclose(output, attention(Q @ K.swapaxes(2, 3) / 2), rtol=1e-4, atol=1e-5)


def test_causal_attention_with_a_scale() -> None:
    params = "is_causal=True scale=0.25"
    (output,) = one_op("F.scaled_dot_product_attention", [Q, K, V], params, names=NAMES)
    scores = np.where(np.tri(5, 6, dtype=bool), Q @ K.swapaxes(2, 3) / 4, -np.inf)
    np.testing.assert_allclose(output, attention(scores), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mask", [noise(5, 6, seed=3), np.tri(5, 6, 1, dtype=bool)], ids=["real", "bool"])
def test_attention_with_a_mask(mask: Array) -> None:
    names = [*NAMES, "attn_mask"]
    (output,) = one_op("F.scaled_dot_product_attention", [Q, K, V, mask], "", names=names)
    scores = Q @ K.swapaxes(2, 3) / 2
    scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    np.testing.assert_allclose(output, attention(scores), rtol=1e-4, atol=1e-5)


def test_groups_of_heads_share_keys() -> None:
    query, key, value = noise(2, 4, 3, 5), noise(2, 2, 6, 5, seed=1), noise(2, 2, 6, 5, seed=2)
    names = ["query", "key", "value"]
    (output,) = one_op("F.scaled_dot_product_attention", [query, key, value], "enable_gqa=True", names=names)
    keys, values = key.repeat(2, 1), value.repeat(2, 1)
    powers = np.exp(query @ keys.swapaxes(2, 3) / np.sqrt(5))
    expected = powers / powers.sum(-1, keepdims=True) @ values
    np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-5)
