"""nn.MultiheadAttention equals its formula, head by head."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.pnnx.models import noise, one_op

WIDTH, HEADS = 6, 2
IN, IN_BIAS = noise(3 * WIDTH, WIDTH, seed=1), noise(3 * WIDTH, seed=2)
OUT, OUT_BIAS = noise(WIDTH, WIDTH, seed=3), noise(WIDTH, seed=4)
WEIGHTS = {"in_proj_weight": IN, "in_proj_bias": IN_BIAS, "out_proj.weight": OUT, "out_proj.bias": OUT_BIAS}
Q, K, V = noise(2, 4, WIDTH, seed=5), noise(2, 5, WIDTH, seed=6), noise(2, 5, WIDTH, seed=7)


def params(**changes: object) -> str:
    values: Mapping[str, object] = {
        "num_heads": HEADS,
        "embed_dim": WIDTH,
        "batch_first": True,
        "add_zero_attn": False,
        "add_bias_kv": False,
        "bias": True,
        **changes,
    }
    return " ".join(f"{name}={value}" for name, value in values.items())


def attention(
    q: Array, k: Array, v: Array, masked: Array | None = None, rows: tuple[Array, Array] | None = None
) -> tuple[Array, Array]:
    """With batches first; `masked` is added to the scores, `rows` are appended to keys and values."""
    parts = [
        x @ IN[n * WIDTH : (n + 1) * WIDTH].T + IN_BIAS[n * WIDTH : (n + 1) * WIDTH]
        for n, x in enumerate((q, k, v))
    ]
    for n, row in enumerate(rows or ()):
        parts[n + 1] = np.concatenate([parts[n + 1], np.broadcast_to(row, (len(q), 1, WIDTH))], 1)
    results, weights = [], []
    for head in range(HEADS):
        a, b, c = (part[..., head * 3 : head * 3 + 3] for part in parts)
        scores = a @ b.swapaxes(1, 2) / np.sqrt(3)
        scores = scores if masked is None else scores + masked
        e = np.exp(scores - scores.max(-1, keepdims=True))
        weights.append(e / e.sum(-1, keepdims=True))
        results.append(weights[-1] @ c)
    return np.concatenate(results, -1) @ OUT.T + OUT_BIAS, np.mean(weights, 0)


def close(got: Array, wanted: Array) -> None:
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)


def test_self_attention_and_its_weights() -> None:
    result, weights = one_op("nn.MultiheadAttention", [Q], params(), WEIGHTS, outputs=2)

    wanted = attention(Q, Q, Q)
    close(result, wanted[0])
    close(weights, wanted[1])


@pytest.mark.parametrize("batch_first", [True, False])
def test_attention_to_another_sequence(batch_first: bool) -> None:
    fed = [x if batch_first else np.ascontiguousarray(x.swapaxes(0, 1)) for x in (Q, K, V)]

    (result,) = one_op("nn.MultiheadAttention", fed, params(batch_first=batch_first), WEIGHTS)

    close(result if batch_first else result.swapaxes(0, 1), attention(Q, K, V)[0])


def test_two_operands_are_the_query_and_the_rest_and_may_have_no_batch() -> None:
    (result,) = one_op("nn.MultiheadAttention", [Q[0], K[0]], params(), WEIGHTS)

    close(result, attention(Q[:1], K[:1], K[:1])[0][0])


def test_a_mask_of_truth_values_hides_where_it_holds() -> None:
    mask = np.triu(np.ones((4, 5), bool), 1)

    (result,) = one_op(
        "nn.MultiheadAttention", [Q, K, V, mask], params(), WEIGHTS, names=["q", "k", "v", "attn_mask"]
    )

    close(result, attention(Q, K, V, np.where(mask, -np.inf, 0))[0])


def test_masks_of_numbers_and_of_keys() -> None:
    added = noise(4, 5, seed=8)
    hidden = np.array([[0, 0, 0, 0, 1], [0, 1, 1, 0, 0]], bool)

    (result,) = one_op(
        "nn.MultiheadAttention",
        [Q, K, V, added, hidden],
        params(),
        WEIGHTS,
        names=["q", "k", "v", "attn_mask", "key_padding_mask"],
    )

    close(result, attention(Q, K, V, added + np.where(hidden, -np.inf, 0)[:, None])[0])


def test_rows_that_are_appended_to_keys_and_values() -> None:
    rows = noise(1, 1, WIDTH, seed=9), noise(1, 1, WIDTH, seed=10)
    added = noise(4, 5, seed=8)
    weights = {**WEIGHTS, "bias_k": rows[0], "bias_v": rows[1]}

    (result,) = one_op(
        "nn.MultiheadAttention",
        [Q, K, V, added],
        params(add_bias_kv=True),
        weights,
        names=["q", "k", "v", "attn_mask"],
    )

    close(result, attention(Q, K, V, np.pad(added, [(0, 0), (0, 1)]), rows)[0])


def test_a_zero_that_is_appended_takes_its_share_of_the_weights() -> None:
    result, weights = one_op("nn.MultiheadAttention", [Q], params(add_zero_attn=True), WEIGHTS, outputs=2)

    assert result.shape == (2, 4, WIDTH)
    assert weights.shape == (2, 4, 5)
    close(weights.sum(-1), np.ones((2, 4)))


def test_weights_of_other_widths() -> None:
    key, value = noise(2, 5, 3, seed=11), noise(2, 5, 7, seed=12)
    to_key, to_value = noise(WIDTH, 3, seed=13), noise(WIDTH, 7, seed=14)
    weights = {
        "q_proj_weight": IN[:WIDTH],
        "k_proj_weight": to_key,
        "v_proj_weight": to_value,
        "in_proj_bias": IN_BIAS,
        "out_proj.weight": OUT,
        "out_proj.bias": OUT_BIAS,
    }

    (result,) = one_op("nn.MultiheadAttention", [Q, key, value], params(kdim=3, vdim=7), weights)

    plain = [np.linalg.lstsq(IN[n * WIDTH : (n + 1) * WIDTH], np.eye(WIDTH), rcond=None)[0] for n in (1, 2)]
    keys, values = key @ to_key.T @ plain[0].T, value @ to_value.T @ plain[1].T
    np.testing.assert_allclose(result, attention(Q, keys, values)[0], rtol=1e-2, atol=1e-2)


def test_heads_that_do_not_divide_the_width_are_refused() -> None:
    with pytest.raises(ModelParseError, match="embed_dim 6 is no multiple of num_heads 4"):
        one_op("nn.MultiheadAttention", [Q], params(num_heads=4), WEIGHTS)


def test_masks_of_bools_that_are_named_late() -> None:
    """pnnx writes the masks before the query, and their name after the last operand."""
    hidden = np.array([[0, 0, 0, 1], [0, 1, 0, 0]], bool)
    above = np.triu(np.ones((4, 4), bool), 1)
    text = f"{params()} $attn_mask=2"
    (result,) = one_op("nn.MultiheadAttention", [hidden, above, Q], text, WEIGHTS)
    both = np.where(above[None] | hidden[:, None], -np.inf, 0)
    close(result, attention(Q, Q, Q, both)[0])
