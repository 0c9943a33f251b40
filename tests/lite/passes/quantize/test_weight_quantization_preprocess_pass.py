"""Quantised weights get as many scales as outputs; other constants stay."""

from __future__ import annotations

import pytest

from tests.lite.passes.check import check, check_unchanged

PASS = "weight_quantization_preprocess_pass"

CONVOLUTION = """
    graph main(%x: float32[1,1,2,2]) {
      %w = const int8[2,1,1,1] [3, -4] : float32[2,1,1,1] QUANT
      Output=%y = conv2d(Input=%x, Filter=%w) : float32[1,2,2,2]
      return out=%y
    }
"""

PRODUCT = """
    graph main(%x: float32[2,2]) {
      %w = const int8[2,3] [1, 2, 3, 4, 5, 6] : float32[2,3] QUANT
      %y = matmul_v2(X=%x, Y=%w) : float32[2,3]
      return out=%y
    }
"""
TRANSPOSED = """
    graph main(%x: float32[2,3]) {
      %w = const int8[2,3] [1, 2, 3, 4, 5, 6] : float32[2,3] QUANT
      %y = matmul_v2(X=%x, Y=%w) {trans_y=true} : float32[2,2]
      return out=%y
    }
"""

ONE = "quant([0.5], [0], -1, int8)"
OF_TWO = "quant([0.5, 0.5], [0, 0], 0, int8)"
OF_THREE = "quant([0.5, 0.5, 0.5], [0, 0, 0], 1, int8)"


@pytest.mark.parametrize(
    ("text", "quant"),
    [(CONVOLUTION, OF_TWO), (PRODUCT, OF_THREE), (TRANSPOSED, OF_TWO)],
    ids=["convolution", "product", "transposed"],
)
def test_the_scale_is_repeated(text: str, quant: str) -> None:
    check(PASS, text.replace("QUANT", ONE), text.replace("QUANT", quant))


@pytest.mark.parametrize(
    "text",
    [
        CONVOLUTION.replace("QUANT", "quant([0.5, 0.25], [0, 0], 0, int8)"),
        PRODUCT.replace("QUANT", ONE).replace("matmul_v2(", "elementwise_add(").replace("[2,2]", "[2,3]"),
        PRODUCT.replace("QUANT", ONE).replace("return", "%z = scale(X=%w) {scale=2.0} : float32[2,3] return"),
    ],
    ids=["several scales", "another op", "another reader"],
)
def test_other_constants_stay(text: str) -> None:
    check_unchanged(PASS, text)
