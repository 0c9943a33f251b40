"""Products keep weights in their type; others do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lite.ir.graph import Graph
from lite.ir.text import parse_graph
from lite.ir.types import Array, DType, Layout, Place
from lite.passes.base import PassContext
from tests.lite.passes.check import constants_of, run_pass

PASS = "weight_storage_fuse_pass"
CPU = PassContext(valid_places=(Place("cpu", DType.FLOAT32, Layout.NHWC), Place("host")))
HALF = replace(CPU, valid_places=(Place("cpu", DType.FLOAT16), Place("host")))

CAST = """
    graph main(%x: float32[2,128]) {
      %w = const float16[128,128] [0.0]
      %f = cast(X=%w) {in_dtype=4, out_dtype=5} : float32[128,128]
      %y = matmul_v2(X=%x, Y=%f) : float32[2,128]
      return out=%y
    }
"""


def graph_of(text: str, weights: Array) -> Graph:
    """The graph with these weights, which are too many for a text."""
    kind = {np.dtype(np.float16): "float16", np.dtype(np.float32): "float32"}.get(weights.dtype, "int8")
    small = text.replace("float16[128,128] [0.0]", f"{kind}[1] [0]")
    graph = parse_graph(small)
    old = graph.constants["w"]
    graph.replace_uses(old, graph.add_constant("weights", weights))
    graph.drop_unused_constants()
    return graph


def weights() -> Array:
    return np.random.default_rng(1).standard_normal((128, 128)).astype(np.float32)


def test_float16_weights_of_a_cast() -> None:
    numbers = weights().astype(np.float16)
    graph = graph_of(CAST, numbers)
    assert run_pass(PASS, graph, CPU)
    [node] = graph
    assert (node.op, node.attrs) == ("stored_fc", {"in_num_col_dims": 1})
    np.testing.assert_array_equal(constants_of(graph)[node.input("W").name], numbers)
    assert not run_pass(PASS, graph, CPU)


def test_transposed_weights() -> None:
    numbers = weights().astype(np.float16)
    graph = graph_of(CAST.replace("Y=%f)", "Y=%f) {trans_y=true}"), numbers)
    assert run_pass(PASS, graph, CPU)
    [node] = graph
    np.testing.assert_array_equal(constants_of(graph)[node.input("W").name], numbers.T)


def test_int8_weights_with_a_scale_for_each_column() -> None:
    text = CAST.replace(
        "%f = cast(X=%w) {in_dtype=4, out_dtype=5}", "%f = affine_dequantize(X=%w, Scale=%s) {axis=1}"
    ).replace("%w = const", "%s = const float32[] [0.5]\n      %w = const")
    numbers = (10 * weights()).astype(np.int8)
    graph = graph_of(text, numbers)
    assert run_pass(PASS, graph, CPU)
    [node] = graph
    constants = constants_of(graph)
    np.testing.assert_array_equal(constants[node.input("W").name], numbers)
    np.testing.assert_array_equal(constants[node.input("Scale").name], np.full(128, 0.5, np.float32))


REAL = CAST.replace("Y=%f", "Y=%w").replace(
    "%f = cast(X=%w) {in_dtype=4, out_dtype=5} : float32[128,128]\n", ""
)


def test_a_place_for_float16_rounds_weights() -> None:
    graph = graph_of(REAL, weights())
    assert run_pass(PASS, graph, HALF)
    [node] = graph
    stored = constants_of(graph)[node.input("W").name]
    np.testing.assert_array_equal(stored, weights().astype(np.float16))


@pytest.mark.parametrize(
    ("numbers", "ctx"),
    [
        (weights(), CPU),
        (weights(), replace(HALF, strict=True)),
        (1e6 * weights(), HALF),
        (weights()[:, :64], HALF),
    ],
    ids=["another place", "strict", "beyond the range", "few elements"],
)
def test_other_weights_stay(numbers: Array, ctx: PassContext) -> None:
    graph = graph_of(REAL.replace("float32[2,128]\n      return", "float32[2,?]\n      return"), numbers)
    assert not run_pass(PASS, graph, ctx)
    [node] = graph
    assert node.op == "matmul_v2"
