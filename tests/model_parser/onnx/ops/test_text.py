"""Ops on strings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import helper

from lite.errors import LiteError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import (
    check_against_onnxruntime,
    check_against_reference,
    model_of,
    run,
)


def strings(*items: str) -> Array:
    return np.array(items, object)


WORDS = strings("a", "b", "A", "c")
TEXTS = strings("ab, cd  e", "héllo wörld_1", " ")


@pytest.mark.parametrize(
    ("attrs", "expected"),
    [
        ({}, ["a", "b", "A", "c"]),
        ({"case_change_action": "UPPER", "stopwords": ["b"]}, ["A", "A", "C"]),
        ({"is_case_sensitive": 1, "stopwords": ["A"]}, ["a", "b", "c"]),
        ({"stopwords": ["a", "b", "c"]}, [""]),
    ],
)
def test_string_normalizer_changes_case_and_drops_stopwords(
    attrs: dict[str, Any], expected: list[str]
) -> None:
    assert run(model_of("StringNormalizer", [WORDS], attrs), {"x0": WORDS})["y0"].tolist() == expected


@pytest.mark.parametrize(
    ("mode", "skip", "expected"),
    [("TF", 0, [2, 1, 1]), ("IDF", 0, [0.5, 2, 3]), ("TFIDF", 0, [1, 2, 3]), ("TF", 1, [2, 1, 2])],
)
def test_tf_idf_vectorizer_weights_n_grams(mode: str, skip: int, expected: list[float]) -> None:
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

    np.testing.assert_array_equal(run(model_of("TfIdfVectorizer", [x], attrs), {"x0": x})["y0"], expected)


@pytest.mark.parametrize(
    "attrs",
    [
        {"tokenexp": "[a-z]+"},
        {"tokenexp": r"\w+"},
        {"tokenexp": "a|ab|,"},
        {"tokenexp": "[a-z]+?"},
        {"tokenexp": "x*"},
        {"tokenexp": "."},
        {"separators": [""]},
        {"separators": [" ", ","]},
        {"separators": ["x*"]},
        {"separators": [" |  "]},
        {"separators": ["a|ab", "[ ,]+"]},
    ],
    ids=str,
)
@pytest.mark.parametrize("mark", [0, 1])
@pytest.mark.parametrize("least", [1, 2])
def test_tokenizer_finds_the_tokens_of_onnxruntime(attrs: dict[str, Any], mark: int, least: int) -> None:
    is_by_character = "." in attrs.values() or [""] in attrs.values()
    all_attrs = {**attrs, "mark": mark, "mincharnum": 1 if is_by_character else least, "pad_value": "#"}
    model = model_of("Tokenizer", [TEXTS], all_attrs, symbolic=True)
    model.graph.node[0].domain = "com.microsoft"
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))

    check_against_onnxruntime(model, {"x0": TEXTS}, {"x0": strings("", "")})


def test_tokenizer_refuses_a_text_that_could_take_long() -> None:
    attrs = {"mark": 0, "mincharnum": 1, "pad_value": "", "tokenexp": "a|ab"}
    model = model_of("Tokenizer", [WORDS], attrs, symbolic=True)
    model.graph.node[0].domain = "com.microsoft"
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))

    with pytest.raises(LiteError, match="may take"):
        run(model, {"x0": strings("a" * 10_000)})


def test_string_concat_broadcasts() -> None:
    check_against_reference("StringConcat", [strings("a", "b"), strings("c")])


@pytest.mark.parametrize(
    ("items", "attrs"),
    [(["a b  c", "", "d e"], {}), (["a,b,c", "d"], {"delimiter": ",", "maxsplit": 1})],
)
def test_string_split_equals_the_reference(items: list[str], attrs: dict[str, Any]) -> None:
    check_against_reference("StringSplit", [strings(*items)], attrs, outputs=2)


def test_regex_full_match_equals_the_reference() -> None:
    check_against_reference("RegexFullMatch", [strings("ab", "abc", "")], {"pattern": "ab?"})


def test_classes_of_expressions_are_those_of_ascii() -> None:
    words = strings("a1_", "é", "٣")

    check_against_onnxruntime(model_of("RegexFullMatch", [words], {"pattern": r"\w+"}), {"x0": words})
