"""Ops of ours with ONNX's attributes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.onnx.node_models import matches_reference, model_of, run


def _array(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def _texts(*items: str) -> Array:
    return np.array(items, object)


BYTES = np.random.default_rng(3).integers(0, 255, (1, 2, 4, 5)).astype(np.uint8)
TAPS = np.random.default_rng(4).integers(-90, 90, (3, 2, 2, 3)).astype(np.int8)
ONE, ZERO = np.array(0.02, np.float32), np.array(8, np.uint8)
MASK = np.array([[True, True, False], [False, False, False]])
WORDS = _texts("a", "b", "A", "c")


@pytest.mark.parametrize(
    ("op", "inputs", "attrs", "outputs"),
    [
        (
            "Attention",
            [_array(2, 2, 8), _array(2, 3, 4), _array(2, 3, 6)],
            {"q_num_heads": 4, "kv_num_heads": 2},
            1,
        ),
        ("Attention", [_array(2, 3, 2, 4), _array(2, 3, 3, 4), _array(2, 3, 3, 5), MASK], {}, 1),
        (
            "Attention",
            [
                _array(1, 2, 2, 4),
                _array(1, 2, 2, 4),
                _array(1, 2, 2, 4),
                None,
                _array(1, 2, 3, 4),
                _array(1, 2, 3, 4),
            ],
            {"is_causal": 1, "softcap": 2.0, "scale": 0.3},
            3,
        ),
        (
            "RotaryEmbedding",
            [_array(1, 2, 3, 6), _array(1, 3, 2), _array(1, 3, 2)],
            {"rotary_embedding_dim": 4},
            1,
        ),
        (
            "RotaryEmbedding",
            [_array(1, 3, 8), _array(5, 2), _array(5, 2), np.array([[0, 4, 2]])],
            {"num_heads": 2, "interleaved": 1},
            1,
        ),
        ("CenterCropPad", [_array(5, 4), np.array([3, 7])], {}, 1),
        ("CenterCropPad", [_array(5, 4), np.array([2])], {"axes": [-1]}, 1),
        ("Col2Im", [_array(1, 8, 6), np.array([3, 4]), np.array([2, 2])], {}, 1),
        ("ConvInteger", [BYTES, TAPS.view(np.uint8), ZERO], {"pads": [0, 1, 1, 0]}, 1),
        (
            "QLinearConv",
            [BYTES, ONE, ZERO, TAPS.view(np.uint8), ONE, ZERO, np.array(0.9, np.float32), ZERO],
            {"strides": [2, 1]},
            1,
        ),
        (
            "MelWeightMatrix",
            [np.array(8), np.array(16), np.array(8192), np.float32(0), np.float32(4096)],
            {},
            1,
        ),
        ("STFT", [_array(1, 20, 1), np.array(4), np.hanning(8).astype(np.float32), np.array(8)], {}, 1),
        ("StringConcat", [_texts("a", "b"), _texts("c")], {}, 1),
        ("StringSplit", [_texts("a b  c", "", "d e")], {}, 2),
        ("StringSplit", [_texts("a,b,c", "d")], {"delimiter": ",", "maxsplit": 1}, 2),
        ("RegexFullMatch", [_texts("ab", "abc", "")], {"pattern": "ab?"}, 1),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_equals_the_reference(op: str, inputs: list[Array], attrs: dict[str, Any], outputs: int) -> None:
    arrays = [None if array is None else np.asarray(array) for array in inputs]

    matches_reference(op, arrays, attrs, opset=23, outputs=outputs, tolerance=1e-4)


def test_rows_whose_keys_are_all_masked_are_zeros() -> None:
    q, k = _array(1, 1, 2, 4), _array(1, 1, 3, 4)

    found = run(model_of("Attention", [q, k, k, MASK], opset=23), {"x0": q, "x1": k, "x2": k, "x3": MASK})[
        "y0"
    ]

    assert found[0, 0, 0].any()
    assert not found[0, 0, 1].any()


@pytest.mark.parametrize(
    ("attrs", "wanted"),
    [
        ({}, ["a", "b", "A", "c"]),
        ({"case_change_action": "UPPER", "stopwords": ["b"]}, ["A", "A", "C"]),
        ({"is_case_sensitive": 1, "stopwords": ["A"]}, ["a", "b", "c"]),
        ({"stopwords": ["a", "b", "c"]}, [""]),
    ],
)
def test_string_normalizer(attrs: dict[str, Any], wanted: list[str]) -> None:
    assert run(model_of("StringNormalizer", [WORDS], attrs), {"x0": WORDS})["y0"].tolist() == wanted


@pytest.mark.parametrize(
    ("mode", "skip", "wanted"),
    [("TF", 0, [2, 1, 1]), ("IDF", 0, [0.5, 2, 3]), ("TFIDF", 0, [1, 2, 3]), ("TF", 1, [2, 1, 2])],
)
def test_tf_idf_vectorizer(mode: str, skip: int, wanted: list[float]) -> None:
    x = np.array([1, 2, 1, 3, 3])
    attrs = {
        "mode": mode,
        "min_gram_length": 1,
        "max_gram_length": 2,
        "max_skip_count": skip,
        "ngram_counts": [0, 2],
        "ngram_indexes": [0, 1, 2],
        "pool_int64s": [1, 2, 1, 3],
        "weights": [0.5, 2.0, 3.0],
    }

    np.testing.assert_array_equal(run(model_of("TfIdfVectorizer", [x], attrs), {"x0": x})["y0"], wanted)


@pytest.mark.parametrize("centred", [0, 1])
def test_non_max_suppression(centred: int) -> None:
    corners = np.array([[0, 0, 2, 2], [0, 0.2, 2, 2.2], [5, 5, 6, 6], [2, 2, 0, 0]], np.float32)
    boxes = corners
    if centred:
        middle, size = (corners[:, :2] + corners[:, 2:]) / 2, np.abs(corners[:, 2:] - corners[:, :2])
        boxes = np.concatenate([middle, size], 1)
    scores = np.array([[0.5, 0.9, 0.3, 0.05]], np.float32)
    inputs = [
        boxes[None],
        scores[None],
        np.array([3]),
        np.array([0.5], np.float32),
        np.array([0.1], np.float32),
    ]

    found = run(
        model_of("NonMaxSuppression", inputs, {"center_point_box": centred}),
        {f"x{n}": array for n, array in enumerate(inputs)},
    )["y0"]

    assert found.tolist() == [[0, 0, 1], [0, 0, 2]]
