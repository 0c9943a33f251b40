"""Attention, and rotary embedding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.onnx.node_models import check_against_reference, model_of, run


def array(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


MASK = np.array([[True, True, False], [False, False, False]])


@pytest.mark.parametrize(
    ("op", "inputs", "attrs", "outputs"),
    [
        (
            "Attention",
            [array(2, 2, 8), array(2, 3, 4), array(2, 3, 6)],
            {"q_num_heads": 4, "kv_num_heads": 2},
            1,
        ),
        ("Attention", [array(2, 3, 2, 4), array(2, 3, 3, 4), array(2, 3, 3, 5), MASK], {}, 1),
        (
            "Attention",
            [
                array(1, 2, 2, 4),
                array(1, 2, 2, 4),
                array(1, 2, 2, 4),
                None,
                array(1, 2, 3, 4),
                array(1, 2, 3, 4),
            ],
            {"is_causal": 1, "softcap": 2.0, "scale": 0.3},
            3,
        ),
        (
            "RotaryEmbedding",
            [array(1, 2, 3, 6), array(1, 3, 2), array(1, 3, 2)],
            {"rotary_embedding_dim": 4},
            1,
        ),
        (
            "RotaryEmbedding",
            [array(1, 3, 8), array(5, 2), array(5, 2), np.array([[0, 4, 2]])],
            {"num_heads": 2, "interleaved": 1},
            1,
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_attention_equals_the_reference(
    op: str, inputs: list[Array], attrs: dict[str, Any], outputs: int
) -> None:
    arrays = [None if array is None else np.asarray(array) for array in inputs]

    check_against_reference(op, arrays, attrs, opset=23, outputs=outputs, tolerance=1e-4)


def test_a_row_whose_keys_are_all_masked_is_zero() -> None:
    q, k = array(1, 1, 2, 4), array(1, 1, 3, 4)

    outputs = run(model_of("Attention", [q, k, k, MASK], opset=23), {"x0": q, "x1": k, "x2": k, "x3": MASK})[
        "y0"
    ]

    assert outputs[0, 0, 0].any()
    assert not outputs[0, 0, 1].any()
