"""Quantised values on the HTP: the nodes of a region without the SDK, and its results with it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.bridges.qnn.device import Qnn, QnnOptions
from lite.bridges.qnn.quantized import QuantizedHtpBuilder
from lite.emission.onnx.bridging import OPSET
from lite.ir.graph import Graph, Quant
from lite.ir.lower import lower_graph
from lite.ir.types import Array, DType
from lite.plugin.device import Settings, convert
from lite.plugin.device.bridge_search import load_bridges_of
from lite.plugin.device.bridging import why_not
from lite.quantization.ranges import measure_ranges
from tests.bridges.arrays import floats
from tests.bridges.region import region
from tests.support.device_availability import require

RANGE = Quant((8 / 255,), (-1,), -1, DType.INT8)


def layer() -> Graph:
    """A convolution with a bias and a relu; its values are quantised."""
    graph = region(
        """graph main(%x: float32[1,2,4,4]) {
          %w = const float32[2,2,1,1] [1.0, -2.0, 0.5, 0.25]
          %b = const float32[2] [1.0, -1.0]
          Output=%y = conv2d(Input=%x, Filter=%w, Bias=%b)
          %z = relu(X=%y)
          return %z
        }"""
    )
    for value in (*graph.args, *(value for node in graph for value in node.all_outputs())):
        value.quant = RANGE
    return graph


def built(precision: str, graph: Graph) -> QuantizedHtpBuilder:
    device = Qnn(QnnOptions(precision=precision), Settings())  # type: ignore[arg-type]
    load_bridges_of(device, {node.op for node in graph})
    builder = device._builder()
    assert isinstance(builder, QuantizedHtpBuilder)
    convert(graph, device, builder)
    builder.finished()
    return builder


@pytest.mark.parametrize(("precision", "storage"), [("w8a8", DType.UINT8), ("w8a16", DType.UINT16)])
def test_values_weights_and_biases_are_integers(precision: str, storage: DType) -> None:
    builder = built(precision, layer())

    kinds = Counter(node.op_type for node in builder.nodes)
    assert kinds["QuantizeLinear"] == 3
    assert kinds["DequantizeLinear"] == 5
    assert {node.outputs[0].dtype for node in builder.nodes if node.op_type == "QuantizeLinear"} == {storage}
    (conv,) = (node for node in builder.nodes if node.op_type == "Conv")
    sources = {node.outputs[0]: node for node in builder.nodes}
    weight, bias = (sources[tensor] for tensor in conv.inputs[1:] if tensor is not None)
    stored, scales = (tensor.array for tensor in weight.inputs[:2] if tensor is not None)
    assert stored is not None
    assert scales is not None
    np.testing.assert_array_equal(stored.reshape(2, 2), [[64, -127], [127, 64]])
    np.testing.assert_allclose(scales, [2 / 127, 0.5 / 127], rtol=1e-6)
    assert bias.inputs[0] is not None
    assert bias.inputs[0].dtype is DType.INT32


def test_16_bits_divide_the_same_range() -> None:
    fine = QuantizedHtpBuilder(OPSET, DType.UINT16)._stored_as(RANGE)

    assert fine is not None
    (scale,), (zero,) = fine.scale, fine.zero_point
    assert scale == pytest.approx(8 / 65535)
    assert -zero * scale == pytest.approx((-128 + 1) * 8 / 255, abs=scale)


def test_a_value_without_a_range_stays_real() -> None:
    graph = layer()
    for node in graph:
        node.output().quant = None

    kinds = Counter(node.op_type for node in built("w8a8", graph).nodes)

    assert (kinds["QuantizeLinear"], kinds["DequantizeLinear"], kinds["Conv"]) == (1, 1, 1)


def test_float16_has_no_quantised_values() -> None:
    assert not Qnn(QnnOptions(), Settings()).takes_quantized
    assert Qnn(QnnOptions(precision="w8a8"), Settings()).takes_quantized


@pytest.fixture
def model(tmp_path: Path) -> tuple[Path, Array, Path]:
    """A float model, its input, and a recipe."""
    text = """graph main(%x: float32[1,3,8,8]) {
      %w = const float32[4,3,1,1] [0.5, -1.0, 2.0, 1.0, 0.25, -0.5, 1.5, -2.0, 0.75, 0.1, 0.2, -0.3]
      Output=%y = conv2d(Input=%x, Filter=%w)
      %z = hard_swish(X=%y)
      %m = const float32[4,5] [0.1, -0.2, 0.3, 0.4, 0.5, 0.6, -0.7, 1, 0.9, 1, 1, 1, 2, 1, 1, 2, -1, 2, 1, 0]
      Out=%p = reduce_mean(X=%z) {dim=[2, 3]}
      Out=%q = matmul_v2(X=%p, Y=%m)
      return %q
    }"""
    lite.save_program(lower_graph(region(text)), tmp_path / "model")
    x = floats(1, 3, 8, 8)
    measure_ranges(str(tmp_path / "model"), [{"x": x}], tmp_path / "recipe.json")
    return tmp_path / "model", x, tmp_path / "recipe.json"


@pytest.mark.parametrize(("precision", "tolerance"), [("w8a8", 5e-2), ("w8a16", 3e-2)])
def test_a_recipe_quantises_a_float_model(
    model: tuple[Path, Array, Path], tmp_path: Path, precision: str, tolerance: float
) -> None:
    require("qnn")
    path, x, recipe = model
    (expected,) = lite.create_predictor(lite.Config(path)).run([x]).values()
    states, results = [], []
    for _ in range(2):
        devices = [f"qnn{{precision={precision}}}"]
        config = lite.Config(
            path, devices=devices, fallback="error", recipe=recipe, cache_dir=tmp_path / "cache"
        )
        predictor = lite.create_predictor(config)
        results.append(next(iter(predictor.run([x]).values())))
        states.append([each.state for each in predictor.report().regions])

    error = np.abs(results[0] - expected).max() / np.abs(expected).max()
    assert 1e-4 < error < tolerance
    assert states == [["built"], ["loaded"]]
    np.testing.assert_array_equal(results[0], results[1])


def test_an_activation_with_several_scales_is_declined() -> None:
    graph = layer()
    graph.args[0].quant = Quant((0.1, 0.2), (0, 0), 1, DType.INT8)
    device = Qnn(QnnOptions(precision="w8a8"), Settings())

    load_bridges_of(device, {node.op for node in graph})
    reason = why_not(next(iter(graph)), device)

    assert reason is not None
    assert reason.endswith("the HTP's activations are int8 or uint8 of one scale")
