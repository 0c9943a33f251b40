"""Quantised values run by OpenVINO's integer kernels; with the precision "strict", in float."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.bridges.openvino import device as openvino_device
from lite.bridges.openvino.compiled import OpenvinoModel
from lite.ir.lower import lower_graph
from lite.ir.text import parse_graph
from lite.ir.types import Array
from lite.passes.quantize.restore_quantization_pass import restore
from tests.support.device_availability import require

PRODUCTS = frozenset({"Convolution", "FullyConnected", "MatMul"})

ROUNDINGS = ["", ", abs_max", ", abs_max_away"]


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[OpenvinoModel]:
    """The models that OpenVINO compiles during the test."""
    require("openvino")
    models: list[OpenvinoModel] = []
    compile_region = openvino_device.Openvino.compile

    def record(self: openvino_device.Openvino, *arguments: object) -> OpenvinoModel:
        models.append(compile_region(self, *arguments))  # type: ignore[arg-type]
        return models[-1]

    monkeypatch.setattr(openvino_device.Openvino, "compile", record)
    return models


def executed(models: list[OpenvinoModel]) -> list[str]:
    """The kernels that run convolutions and products."""
    ops = [op.get_rt_info() for model in models for op in model.compiled.get_runtime_model().get_ops()]
    return [op["primitiveType"].astype(str).lower() for op in ops if op["layerType"].astype(str) in PRODUCTS]


def model(folder: Path, rounding: str, *, most: int = 64) -> Path:
    """A convolution per channel and a product, quantised before and after.

    With weights up to 64 no sum saturates on processors without VNNI.
    """
    graph = parse_graph(f"""
graph main(%x: float32[1,16,8,8]) {{
  %w = const int8[32,16,3,3] random(1) : float32[32,16,3,3]
    quant({[0.001 * (n + 1) for n in range(32)]}, {[0] * 32}, 0, int8{rounding})
  %m = const int8[32,10] random(2) : float32[32,10] quant([0.01], [0], -1, int8{rounding})
  %a = assign(X=%x) : float32[1,16,8,8] quant([0.03], [0], -1, int8{rounding})
  Output=%c = conv2d(Input=%a, Filter=%w) {{paddings=[1, 1]}} : float32[1,32,8,8]
  %r = relu(X=%c) : float32[1,32,8,8] quant([0.2], [0], -1, {"int8" if rounding else "uint8"}{rounding})
  %p = pool2d(X=%r) {{pooling_type="avg", global_pooling=true}} : float32[1,32,1,1]
  %f = flatten_contiguous_range(X=%p) {{start_axis=1, stop_axis=3}} : float32[1,32]
    quant([0.1], [0], -1, int8{rounding})
  %y = matmul_v2(X=%f, Y=%m) : float32[1,10]
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


@pytest.mark.parametrize("rounding", ROUNDINGS, ids=["affine", "abs_max", "abs_max_away"])
def test_products_run_in_integers(compiled: list[OpenvinoModel], rounding: str, tmp_path: Path) -> None:
    source = model(tmp_path / "model", rounding)
    [expected] = lite.create_predictor(lite.Config(source, precision="strict")).run([inputs()]).values()
    predictor = lite.create_predictor(lite.Config(source, devices=["openvino"], fallback="error"))
    [result] = predictor.run([inputs()]).values()

    kernels = executed(compiled)
    assert len(kernels) == 2
    assert all(name.endswith("i8") for name in kernels), kernels
    assert len(predictor.report().regions) == 1
    # A sum next to a half rounds to the next integer: a step of an activation.
    assert np.abs(result - expected).max() <= 0.03 * np.abs(expected).max()


def test_with_strict_precision_products_run_in_float(compiled: list[OpenvinoModel], tmp_path: Path) -> None:
    source = model(tmp_path / "model", "")
    config = lite.Config(source, devices=["openvino"], precision="strict", fallback="error")
    lite.create_predictor(config).run([inputs()]).values()

    kernels = executed(compiled)
    assert kernels
    assert all(name.endswith("f32") for name in kernels), kernels


@pytest.mark.parametrize("has_short_sums", [True, False])
@pytest.mark.parametrize("saturate", [False, True])
def test_sums_that_may_saturate_are_computed_in_float(
    compiled: list[OpenvinoModel],
    has_short_sums: bool,
    saturate: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On processors without VNNI; `saturate` leaves the choice to the vendor."""
    module = openvino_device
    monkeypatch.setattr(module, "has_short_sums", lambda: has_short_sums)
    source = model(tmp_path / "model", "", most=127)
    [expected] = lite.create_predictor(lite.Config(source, precision="strict")).run([inputs()]).values()
    device = f"openvino{{saturate={str(saturate).lower()}}}"
    predictor = lite.create_predictor(lite.Config(source, devices=[device], fallback="error"))
    [result] = predictor.run([inputs()]).values()

    if saturate or not has_short_sums:
        assert all(name.endswith("i8") for name in executed(compiled))
    else:
        assert all(name.endswith("f32") for name in executed(compiled))
        assert np.abs(result - expected).max() <= 0.03 * np.abs(expected).max()


def test_real_inputs_of_products_with_bytes_are_not_rounded(tmp_path: Path) -> None:
    require("openvino")
    graph = parse_graph("""
graph main(%x: float32[4,256]) {
  %w = const int8[256,64] random(1) : float32[256,64] quant([0.01], [0], -1, int8)
  %p = matmul_v2(X=%x, Y=%w) : float32[4,64]
  %y = relu(X=%p) : float32[4,64]
  return %y
}
""")
    restore(graph)
    lite.save_program(lower_graph(graph), tmp_path / "model")
    x = np.random.default_rng(0).standard_normal((4, 256)).astype(np.float32)
    results = [
        next(iter(lite.create_predictor(lite.Config(tmp_path / "model", **options)).run([x]).values()))
        for options in ({"valid_places": ["host"]}, {"devices": ["openvino"], "fallback": "error"})
    ]

    np.testing.assert_allclose(results[1], results[0], rtol=1e-4, atol=1e-4 * np.abs(results[0]).max())


def test_magnitudes_of_a_constant_of_unsigned_bytes(tmp_path: Path) -> None:
    require("openvino")
    graph = parse_graph("""
graph main(%x: float32[3]) {
  %w = const uint8[3] [0, 0, 25] : float32[3] quant([0.5], [6], -1, uint8)
  %a = abs(X=%w) : float32[3]
  %y = elementwise_add(X=%x, Y=%a) {axis=-1} : float32[3]
  return %y
}
""")
    restore(graph)
    lite.save_program(lower_graph(graph), tmp_path / "model")
    config = lite.Config(tmp_path / "model", devices=["openvino"], fallback="error")
    [result] = lite.create_predictor(config).run([np.zeros(3, np.float32)]).values()

    np.testing.assert_array_equal(result, np.array([3, 3, 9.5], np.float32))


_REAL_STEPS = {
    "maximum": "%m = reduce_max(X=%a) {dim=[0], keep_dim=true} : float32[1,3,8,6]",
    "minimum": "%m = reduce_min(X=%a) {dim=[0], keep_dim=true} : float32[1,3,8,6]",
    "infinite norm": "%m = p_norm(X=%a) {porder=inf, axis=0, keepdim=true} : float32[1,3,8,6]",
    "layers": "Y=%m = layer_norm(X=%a) {begin_norm_axis=2, epsilon=0.001} : float32[2,3,8,6]",
    "instances": "Y=%m = instance_norm(X=%a) {epsilon=0.001} : float32[2,3,8,6]",
    "groups": "Y=%m = group_norm(X=%a) {epsilon=0.001, groups=3} : float32[2,3,8,6]",
}


@pytest.mark.parametrize("step", _REAL_STEPS)
def test_steps_between_quantised_values_that_take_reals(step: str, tmp_path: Path) -> None:
    require("openvino")
    made = _REAL_STEPS[step]
    dims = made[made.index("[", made.index(": float32")) :]
    graph = parse_graph(f"""
graph main(%x: float32[2,3,8,6], %r: float32[2,3,8,6]) {{
  %s = const float32[] [0.05]
  %z = const uint8[] [5]
  %i = affine_quantize(X=%x, Scale=%s, ZeroPoint=%z) {{axis=1, block_size=0, dtype=20}} : uint8[2,3,8,6]
  %j = affine_dequantize(X=%i, Scale=%s, ZeroPoint=%z) {{axis=1, block_size=0}} : float32[2,3,8,6]
  %a = elementwise_add(X=%j, Y=%r) {{axis=-1}} : float32[2,3,8,6]
  {made}
  %q = affine_quantize(X=%m, Scale=%s, ZeroPoint=%z) {{axis=1, block_size=0, dtype=20}} : uint8{dims}
  %d = affine_dequantize(X=%q, Scale=%s, ZeroPoint=%z) {{axis=1, block_size=0}} : float32{dims}
  %t = reduce_max(X=%d) {{dim=[1], keep_dim=true}} : float32{dims.replace(",3,", ",1,", 1)}
  return {"%m" if made.startswith("Y") else "%t"}
}}
""")
    restore(graph)
    lite.save_program(lower_graph(graph), tmp_path / "model")
    x, real = (0.1 * np.random.default_rng(seed).normal(size=(2, 3, 8, 6)) for seed in (0, 1))
    inputs = [x.astype(np.float32), real.astype(np.float32)]
    source = tmp_path / "model"
    [expected] = lite.create_predictor(lite.Config(source, valid_places=["host"])).run(inputs).values()
    config = lite.Config(source, devices=["openvino"], fallback="error")
    [result] = lite.create_predictor(config).run(inputs).values()

    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    "steps",
    [
        "%y = clip(X=%j) {min=0.02, max=0.33} : float32[1,2,1,3]",
        "%y = clip(X=%j) {min=-0.8, max=-0.7} : float32[1,2,1,3]",
        "%y = brelu(X=%j) {t_min=0.02, t_max=0.33} : float32[1,2,1,3]",
        """%a = elementwise_max(X=%j, Y=%l) {axis=-1} : float32[1,2,1,3]
  %y = elementwise_min(X=%a, Y=%h) {axis=-1} : float32[1,2,1,3]""",
    ],
    ids=["clip", "limits below all bytes", "brelu", "maximum and minimum"],
)
def test_limits_of_dequantised_values_are_not_rounded_to_bytes(steps: str, tmp_path: Path) -> None:
    require("openvino")
    graph = parse_graph(f"""
graph main(%x: float32[1,2,1,3]) {{
  %s = const float32[] [0.05]
  %z = const uint8[] [0]
  %l = const float32[] [0.02]
  %h = const float32[] [0.33]
  %r = relu(X=%x) : float32[1,2,1,3]
  %i = affine_quantize(X=%r, Scale=%s, ZeroPoint=%z) {{axis=1, block_size=0, dtype=20}} : uint8[1,2,1,3]
  %j = affine_dequantize(X=%i, Scale=%s, ZeroPoint=%z) {{axis=1, block_size=0}} : float32[1,2,1,3]
  {steps}
  return %y
}}
""")
    restore(graph)
    lite.save_program(lower_graph(graph), tmp_path / "model")
    x = np.array([[[[-1, 0, 0.1]], [[0.25, 0.6, 2]]]], np.float32)
    source = tmp_path / "model"
    [expected] = lite.create_predictor(lite.Config(source, valid_places=["host"])).run([x]).values()
    config = lite.Config(source, devices=["openvino"], fallback="error")
    [result] = lite.create_predictor(config).run([x]).values()

    np.testing.assert_allclose(result, expected, rtol=0, atol=1e-6)
