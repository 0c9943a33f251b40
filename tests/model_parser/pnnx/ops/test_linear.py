"""Matrix products and attention."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.pnnx.models import noise, one_op

Q, K, V = noise(2, 3, 5, 4), noise(2, 3, 6, 4, seed=1), noise(2, 3, 6, 7, seed=2)
NAMES = ["query", "key", "value"]


def attended(scores: Array) -> Array:
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    result: Array = weights / weights.sum(-1, keepdims=True) @ V
    return result


def test_attention() -> None:
    (got,) = one_op("F.scaled_dot_product_attention", [Q, K, V], "attn_mask=None", names=NAMES)
    np.testing.assert_allclose(got, attended(Q @ K.swapaxes(2, 3) / 2), rtol=1e-4, atol=1e-5)


def test_attention_to_what_lies_before() -> None:
    params = "is_causal=True scale=0.25"
    (got,) = one_op("F.scaled_dot_product_attention", [Q, K, V], params, names=NAMES)
    scores = np.where(np.tri(5, 6, dtype=bool), Q @ K.swapaxes(2, 3) / 4, -np.inf)
    np.testing.assert_allclose(got, attended(scores), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("mask", [noise(5, 6, seed=3), np.tri(5, 6, 1, dtype=bool)], ids=["real", "bool"])
def test_attention_with_a_mask(mask: Array) -> None:
    names = [*NAMES, "attn_mask"]
    (got,) = one_op("F.scaled_dot_product_attention", [Q, K, V, mask], "", names=names)
    scores = Q @ K.swapaxes(2, 3) / 2
    scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    np.testing.assert_allclose(got, attended(scores), rtol=1e-4, atol=1e-5)


def test_linear() -> None:
    x, weight, bias = noise(2, 3, 4), noise(5, 4, seed=1), noise(5, seed=2)
    (got,) = one_op("nn.Linear", [x], "", {"weight": weight, "bias": bias})
    np.testing.assert_allclose(got, x @ weight.T + bias, rtol=1e-4, atol=1e-5)
    (got,) = one_op("F.linear", [x, weight, bias], "", names=["input", "weight", "bias"])
    np.testing.assert_allclose(got, x @ weight.T + bias, rtol=1e-4, atol=1e-5)


def test_addmm_with_factors() -> None:
    x, first, second = noise(2, 5), noise(2, 3, seed=1), noise(3, 5, seed=2)
    (got,) = one_op("torch.addmm", [x, first, second], "alpha=2 beta=0.5", names=["input", "mat1", "mat2"])
    np.testing.assert_allclose(got, 0.5 * x + 2 * (first @ second), rtol=1e-4, atol=1e-5)
