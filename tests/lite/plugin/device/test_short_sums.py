"""Which regions may saturate where products of bytes are added in 16 bits."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.text import parse_graph
from lite.plugin.device.short_sums import may_saturate, pair_sums


def graph(weight: str, op: str = "matmul_v2(X=%x, Y=%w)", shape: str = "4,2", dtype: str = "int8") -> str:
    zero = 128 if dtype == "uint8" else 0
    return f"""graph main(%x: float32[2,4] quant([0.1], [0], -1, uint8)) {{
      %w = const {dtype}[{shape}] [{weight}] : float32[{shape}] quant([0.1], [{zero}], -1, {dtype})
      %y = {op} : float32[2,2]
      return %y }}"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (graph("64, 127, 64, 1, 127, 100, -1, 28"), False),
        (graph("64, 127, -65, 1, 0, 0, 0, 0"), True),
        (graph("64, 64, 1, 127, 100, 28, 127, -1", "matmul_v2(X=%x, Y=%w) {trans_y=true}", "2,4"), False),
        (graph("64, 65, 1, 127, 0, 0, 0, 0", "matmul_v2(X=%x, Y=%w) {trans_y=true}", "2,4"), True),
        (graph("128, 255, 128, 129, 228, 1, 100, 128", dtype="uint8"), False),
        (graph("0, 128, 255, 128, 128, 128, 128, 128", dtype="uint8"), True),
        ("graph main(%x: float32[2]) { %y = relu(X=%x) : float32[2] return %y }", False),
    ],
)
def test_pairs_of_neighbouring_weights_decide(text: str, expected: bool) -> None:
    assert may_saturate(parse_graph(text)) == expected


def test_products_of_activations_may_saturate() -> None:
    text = """graph main(%x: float32[2,4] quant([0.1], [0], -1, int8),
      %z: float32[4,2] quant([0.1], [0], -1, int8)) {
      %y = matmul_v2(X=%x, Y=%z) : float32[2,2]
      return %y }"""

    assert may_saturate(parse_graph(text))


def test_all_neighbours_count_where_the_number_is_odd() -> None:
    weight = np.zeros((1, 3, 1, 2), np.int8)
    weight[0, 2, 0, 0], weight[0, 0, 0, 1] = 100, -29

    assert pair_sums(weight, 1).tolist() == [[0, 100, 129, 29, 0]]
    assert pair_sums(np.pad(weight, ((0, 0), (0, 1), (0, 0), (0, 0))), 1).tolist() == [[0, 100, 29, 0]]
