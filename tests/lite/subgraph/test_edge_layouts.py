"""Edges with channels last: shared transposes, none between neighbours, and the same results on the host."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.lower import lower_graph
from lite.ir.text import parse_graph, print_graph
from lite.ir.verify import verify
from lite.subgraph.edge_layouts import channels_last_edges
from tests.support.fake_device import fake_device

CONV = '{strides=[1, 1], paddings=[0, 0], dilations=[1, 1], groups=1, data_format="NCHW"}'
TEXT = f"""
graph main(%x: float32[2,3,4,5]) {{
  %w = const float32[3,3,1,1] random(1)
  %a = relu(X=%x) : float32[2,3,4,5]
  Outputs=%b = subgraph(Inputs=[%a, %w]) {{device="npu", region=0}} : float32[2,3,4,5]
    graph npu_0(%a: float32[2,3,4,5], %w: float32[3,3,1,1]) {{
      Output=%c = conv2d(Input=%a, Filter=%w) {CONV} : float32[2,3,4,5]
      %b = tanh(X=%c) : float32[2,3,4,5]
      return %b
    }}
  Outputs=[%c, %d] = subgraph(Inputs=[%a, %b]) {{device="npu", region=1}} : float32[2,3,4,5], float32[2,3,4,4]
    graph npu_1(%a: float32[2,3,4,5], %b: float32[2,3,4,5]) {{
      %e = elementwise_add(X=%a, Y=%b) {{axis=-1}} : float32[2,3,4,5]
      %c = pool2d(X=%e) {{ksize=[1, 1], pooling_type="max"}} : float32[2,3,4,5]
      %d = matmul_v2(X=%b, Y=%b) {{trans_y=true}} : float32[2,3,4,4]
      return %c, %d
    }}
  %y = exp(X=%c) : float32[2,3,4,5]
  return %y, %d
}}
"""


def test_neighbours_pass_images_and_readers_share_them() -> None:
    graph = parse_graph(TEXT)
    channels_last_edges(graph, [node for node in graph if node.blocks])
    verify(graph)

    assert [node.op for node in graph] == ["relu", "transpose2", "subgraph", "subgraph", "transpose2", "exp"]
    transpose, first, second = list(graph)[1:4]
    image = transpose.output()
    assert image.shape == (2, 4, 5, 3)
    assert first.inputs["Inputs"][0] is image
    assert second.inputs["Inputs"] == [image, first.output()]
    assert [value.shape for value in second.all_outputs()] == [(2, 4, 5, 3), (2, 3, 4, 4)]
    inner = second.blocks[0]
    assert [node.op for node in inner] == [
        "transpose2",
        "transpose2",
        "elementwise_add",
        "pool2d",
        "matmul_v2",
        "transpose2",
    ]
    assert [value.shape for value in inner.args] == [(2, 4, 5, 3), (2, 4, 5, 3)]


def test_values_of_four_axes_that_are_no_images_stay() -> None:
    text = """graph main(%x: float32[2,3,4,5]) {
      Outputs=%b = subgraph(Inputs=%x) {device="npu", region=0} : float32[2,3,4,4]
        graph npu_0(%x: float32[2,3,4,5]) {
          %a = relu(X=%x) : float32[2,3,4,5]
          %b = matmul_v2(X=%a, Y=%a) {trans_y=true} : float32[2,3,4,4]
          return %b
        }
      return %b }"""
    graph = parse_graph(text)
    before = print_graph(graph)
    channels_last_edges(graph, [node for node in graph if node.blocks])
    assert print_graph(graph) == before


MODEL = f"""graph main(%x: float32[2,3,4,5]) {{
  %w = const float32[4,3,2,2] random(1)
  %v = const float32[2,4,1,1] random(2)
  %a = relu(X=%x) : float32[2,3,4,5]
  Output=%c = conv2d(Input=%a, Filter=%w) {CONV} : float32[2,4,3,4]
  %s = softmax(X=%c) {{axis=1}} : float32[2,4,3,4]
  Output=%d = conv2d(Input=%s, Filter=%v) {CONV} : float32[2,2,3,4]
  %y = tanh(X=%d) : float32[2,2,3,4]
  return %y
}}"""


@pytest.mark.parametrize("fails", ["", "conv2d"])
@pytest.mark.parametrize(
    ("on_device", "last_input"),
    [(("conv2d", "relu", "softmax", "tanh"), (2, 4, 5, 3)), (("conv2d", "relu", "tanh"), (2, 3, 4, 4))],
)
def test_the_host_answers_as_the_device_does(
    tmp_path: Path, fails: str, on_device: tuple[str, ...], last_input: tuple[int, ...]
) -> None:
    lite.save_program(lower_graph(parse_graph(MODEL)), tmp_path)
    x = np.random.default_rng(0).standard_normal((2, 3, 4, 5)).astype(np.float32)
    [expected] = lite.create_predictor(lite.Config(tmp_path)).run([x]).values()
    with fake_device(*on_device, "transpose2", channels_last=True) as faults:
        faults.compile = frozenset({fails})
        config = lite.Config(tmp_path, devices=["fake"], min_subgraph_ops=1)
        [result] = lite.create_predictor(config).run([x]).values()
        assert fails or [array.shape for array in faults.inputs] == [last_input]
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)
