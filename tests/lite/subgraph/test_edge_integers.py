"""Edges of regions: shared integers, no pair between neighbours, and the same results on the host."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import lite
from lite.ir.lower import lower_graph
from lite.ir.text import parse_graph, print_graph
from lite.ir.verify import verify
from lite.subgraph.edge_integers import store_edges
from tests.support.fake_device import fake_device

Q = "quant([0.1], [3], -1, int8)"
TEXT = f"""
graph main(%x: float32[2]) {{
  %a = relu(X=%x) : float32[2] {Q}
  Outputs=%b = subgraph(Inputs=%a) {{device="npu", region=0}} : float32[2] {Q}
    graph npu_0(%a: float32[2] {Q}) {{
      %b = tanh(X=%a) : float32[2] {Q}
      return %b
    }}
  Outputs=[%c, %d] = subgraph(Inputs=[%a, %b]) {{device="npu", region=1}} : float32[2] {Q}, float32[2]
    graph npu_1(%a: float32[2] {Q}, %b: float32[2] {Q}) {{
      %c = elementwise_add(X=%a, Y=%b) : float32[2] {Q}
      %d = sigmoid(X=%b) : float32[2]
      return %c, %d
    }}
  %y = exp(X=%c) : float32[2]
  return %y, %d
}}
"""


def test_neighbours_pass_integers_and_readers_share_them() -> None:
    graph = parse_graph(TEXT)
    store_edges(graph, [node for node in graph if node.blocks])
    verify(graph)

    assert [node.op for node in graph] == [
        "relu",
        "affine_quantize",
        "subgraph",
        "subgraph",
        "affine_dequantize",
        "exp",
    ]
    quantize, first, second = list(graph)[1:4]
    integers = quantize.output()
    assert first.inputs["Inputs"] == [integers]
    assert second.inputs["Inputs"] == [integers, first.output()]
    assert [str(value.dtype) for value in second.all_outputs()] == ["int8", "float32"]
    assert [node.op for node in second.blocks[0]] == [
        "affine_dequantize",
        "affine_dequantize",
        "elementwise_add",
        "sigmoid",
        "affine_quantize",
    ]


def test_regions_of_real_numbers_stay() -> None:
    text = TEXT.replace(f" {Q}", "")
    graph = parse_graph(text)
    before = print_graph(graph)
    store_edges(graph, [node for node in graph if node.blocks])
    assert print_graph(graph) == before


def test_the_host_answers_for_a_device_with_integer_edges(tmp_path: Path) -> None:
    graph = parse_graph("""graph main(%x: float32[2,3]) {
      %s = const float32[] [0.02]
      %q = affine_quantize(X=%x, Scale=%s) {axis=1, block_size=0, dtype=21} : int8[2,3]
      %d = affine_dequantize(X=%q, Scale=%s) {axis=1, block_size=0, dtype=-1} : float32[2,3]
      %a = sigmoid(X=%d) : float32[2,3]
      %e = affine_quantize(X=%a, Scale=%s) {axis=1, block_size=0, dtype=21} : int8[2,3]
      %f = affine_dequantize(X=%e, Scale=%s) {axis=1, block_size=0, dtype=-1} : float32[2,3]
      return %f }""")
    lite.save_program(lower_graph(graph), tmp_path)
    x = np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)
    [expected] = lite.create_predictor(lite.Config(tmp_path, precision="strict")).run([x]).values()
    ops = ("sigmoid", "affine_quantize", "affine_dequantize")
    for fails in ("", "sigmoid"):
        with fake_device(*ops, quantized_values=True, integer_edges=True) as faults:
            faults.compile = frozenset({fails})
            config = lite.Config(tmp_path, devices=["fake"], precision="strict", min_subgraph_ops=1)
            [result] = lite.create_predictor(config).run([x]).values()
            assert fails or [array.dtype for array in faults.inputs] == [np.int8]
        np.testing.assert_array_equal(result, expected)
