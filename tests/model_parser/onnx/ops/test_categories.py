"""Categories of ai.onnx.ml, against ONNX Runtime where it has the same types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import check_against_onnxruntime, run
from tests.model_parser.onnx.ops.test_features import model_of

TEXTS = np.array([["red", "blue"], ["green", "none"]], object)
NUMBERS = np.array([[3, 5], [7, 4]])


@pytest.mark.parametrize(
    ("x", "attrs"),
    [
        (NUMBERS, {"cats_int64s": [5, 3, 7]}),
        (NUMBERS[0].astype(np.float32), {"cats_int64s": [5, 3]}),
        (TEXTS, {"cats_strings": ["blue", "red"]}),
    ],
    ids=["integers", "reals", "texts"],
)
def test_one_hot(x: Array, attrs: dict[str, Any]) -> None:
    check_against_onnxruntime(*model_of("OneHotEncoder", [x], zeros=1, **attrs))


@pytest.mark.parametrize("x", [TEXTS, NUMBERS], ids=["to integers", "to texts"])
def test_texts_and_integers(x: Array) -> None:
    model, feeds = model_of(
        "CategoryMapper", [x], cats_strings=["red", "green", "blue"], cats_int64s=[3, 4, 9],
        default_int64=-7, default_string="other",
    )  # fmt: skip

    check_against_onnxruntime(model, feeds)


def test_zip_map_gives_the_scores_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    scores = np.array([[0.25, 0.75], [1.0, 0.0]], np.float32)
    model, feeds = model_of("ZipMap", [scores], classlabels_int64s=[4, 2])

    [result] = run(model, feeds).values()

    np.testing.assert_array_equal(result, scores)
    assert "one array with a column for each of [4, 2]" in caplog.text


@pytest.mark.parametrize(
    ("op", "x", "attrs", "reason"),
    [
        (
            "OneHotEncoder",
            TEXTS,
            {"cats_int64s": [1]},
            "cats_int64s or cats_strings: expected those of string",
        ),
        ("CategoryMapper", TEXTS, {"cats_strings": ["a"]}, "expected as many cats_int64s as cats_strings"),
    ],
)
def test_what_does_not_fit_is_refused(op: str, x: Array, attrs: dict[str, Any], reason: str) -> None:
    model, feeds = model_of(op, [x], **attrs)

    with pytest.raises(ModelParseError, match=reason):
        run(model, feeds)
