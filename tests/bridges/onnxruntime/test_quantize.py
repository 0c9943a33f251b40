"""Quantised values run by ONNX Runtime's integer kernels; with the precision "strict", in float."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.bridges.onnxruntime import blob
from lite.bridges.onnxruntime import device as runtime_device
from lite.ir.lower import lower_graph
from lite.ir.text import parse_graph
from lite.ir.types import Array
from lite.passes.quantize.restore_quantization_pass import restore
from lite.plugin.device import CompiledModel
from tests.bridges.devices import ONNXRUNTIME
from tests.bridges.region import region
from tests.support.device_availability import require
from tests.support.interpreter.tensors import run_graph_on


@pytest.fixture
def executed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The nodes that ONNX Runtime made of the models that it compiles during the test."""
    require("onnxruntime")
    import onnx

    nodes: list[str] = []
    compile_region = runtime_device.OnnxRuntime.compile

    def record(self: runtime_device.OnnxRuntime, *arguments: object) -> CompiledModel:
        compiled = compile_region(self, *arguments)  # type: ignore[arg-type]
        stored = compiled.serialize()
        assert stored is not None
        model = onnx.load_from_string(bytes(blob.unpack(stored)))
        nodes.extend(node.op_type for node in model.graph.node)
        return compiled

    monkeypatch.setattr(runtime_device.OnnxRuntime, "compile", record)
    return nodes


def model(
    folder: Path, storage: str = "uint8", zero: int = 100, rounding: str = "", *, most: int = 64
) -> Path:
    """A convolution per channel and a product, quantised before and after.

    With weights up to 64 no sum saturates on processors without VNNI.
    """

    def quant(scale: float) -> str:
        return f"quant([{scale}], [{zero}], -1, {storage}{rounding})"

    graph = parse_graph(f"""
graph main(%x: float32[1,16,8,8]) {{
  %w = const int8[32,16,3,3] random(1) : float32[32,16,3,3]
    quant({[0.001 * (n + 1) for n in range(32)]}, {[0] * 32}, 0, int8{rounding})
  %b = const int32[32] random(3) : float32[32]
    quant({[0.03 * 0.001 * (n + 1) for n in range(32)]}, {[0] * 32}, 0, int32)
  %m = const int8[32,10] random(2) : float32[32,10] quant([0.01], [0], -1, int8{rounding})
  %a = assign(X=%x) : float32[1,16,8,8] {quant(0.03)}
  Output=%c = conv2d(Input=%a, Filter=%w, Bias=%b) {{paddings=[1, 1]}} : float32[1,32,8,8] {quant(0.2)}
  %p = pool2d(X=%c) {{pooling_type="avg", global_pooling=true}} : float32[1,32,1,1] {quant(0.1)}
  %f = flatten_contiguous_range(X=%p) {{start_axis=1, stop_axis=3}} : float32[1,32] {quant(0.1)}
  %y = matmul_v2(X=%f, Y=%m) : float32[1,10] {quant(0.3)}
  return %y
}}
""")
    for value in graph.constants.values():
        if value.data is not None and value.data.dtype == np.int8:
            value.data = np.clip(value.data, -most, most)
    restore(graph)
    lite.save_program(lower_graph(graph), folder)
    return folder


def inputs() -> Array:
    return np.random.default_rng(0).standard_normal((1, 16, 8, 8)).astype(np.float32)


CASES = [("uint8", 100, ""), ("int8", 5, ""), ("int8", 0, ", abs_max"), ("int8", 0, ", abs_max_away")]


@pytest.mark.parametrize(("storage", "zero", "rounding"), CASES)
def test_products_run_in_integers(
    executed: list[str], storage: str, zero: int, rounding: str, tmp_path: Path
) -> None:
    source = model(tmp_path / "model", storage, zero, rounding)
    [expected] = lite.create_predictor(lite.Config(source, precision="strict")).run([inputs()]).values()
    predictor = lite.create_predictor(lite.Config(source, devices=["onnxruntime"], fallback="error"))
    [result] = predictor.run([inputs()]).values()

    assert "QLinearConv" in executed
    assert {"QGemm", "QLinearMatMul"}.intersection(executed)
    assert not {"Conv", "MatMul", "Gemm"}.intersection(executed)
    # One step of the result.
    assert np.abs(result - expected).max() <= 0.301


@pytest.mark.parametrize("storage", ["int4", "int16", "int8", "uint8"])
@pytest.mark.parametrize("kind", ["float32", "float64", "float16"])
def test_all_types_are_rounded_alike(storage: str, kind: str) -> None:
    """Between float numbers, so that nothing but the rounding is compared."""
    quant = f"quant([0.25, 0.5, 0.125], [1, 2, 3], 1, {storage})"
    text = f"""graph main(%x: {kind}[4,3]) {{
      %w = const int8[3] [1, -2, 7] : {kind}[3] quant([0.5], [1], -1, {storage.replace("u", "")})
      %a = elementwise_mul(X=%x, Y=%w) : {kind}[4,3] {quant}
      %y = scale(X=%a) {{scale=2.0}} : {kind}[4,3]
      return %y }}""".replace("int8[3] [", f"{storage.replace('u', '')}[3] [")
    x = np.linspace(-6, 6, 12, dtype=kind).reshape(4, 3)
    restored = region(text)
    restore(restored)

    [result] = ONNXRUNTIME.run(text, x)

    [expected] = run_graph_on(restored, [x])
    np.testing.assert_array_equal(result, expected)


def test_with_strict_precision_products_run_in_float(executed: list[str], tmp_path: Path) -> None:
    source = model(tmp_path / "model", most=127)
    [expected] = lite.create_predictor(lite.Config(source, precision="strict")).run([inputs()]).values()
    config = lite.Config(source, devices=["onnxruntime"], precision="strict", fallback="error")
    [result] = lite.create_predictor(config).run([inputs()]).values()

    assert "Conv" in executed
    assert not any(name.startswith(("QLinear", "QGemm")) for name in executed)
    np.testing.assert_allclose(result, expected, atol=1e-5)


@pytest.mark.parametrize("has_short_sums", [True, False])
@pytest.mark.parametrize("saturate", [False, True])
def test_sums_that_may_saturate_are_computed_in_float(
    executed: list[str], has_short_sums: bool, saturate: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On processors without VNNI; `saturate` leaves the choice to the vendor."""
    module = runtime_device
    monkeypatch.setattr(module, "has_short_sums", lambda: has_short_sums)
    source = model(tmp_path / "model", most=127)
    [expected] = lite.create_predictor(lite.Config(source, precision="strict")).run([inputs()]).values()
    device = f"onnxruntime{{saturate={str(saturate).lower()}}}"
    predictor = lite.create_predictor(lite.Config(source, devices=[device], fallback="error"))
    [result] = predictor.run([inputs()]).values()

    if saturate or not has_short_sums:
        assert "QLinearConv" in executed
    else:
        assert "Conv" in executed
        assert np.abs(result - expected).max() <= 0.301
