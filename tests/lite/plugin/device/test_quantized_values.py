"""Devices that take quantised values get them; the others get ops that quantise and dequantise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.lower import lower_graph
from lite.ir.text import parse_graph
from lite.ir.types import DType
from lite.plugin.device import BridgeOp
from lite.plugin.device.opening import open_device
from lite.subgraph.mark import mark
from tests.support.fake_device import fake_device

TEXT = """
graph main(%x: float32[2,3]) {
  %w = const int8[3] [10, -20, 127]
  %s = const float32[] [0.03]
  %z = const uint8[] [120]
  %n = const int8[] [0]
  %a = sigmoid(X=%x) : float32[2,3]
  %q = affine_quantize(X=%a, Scale=%s, ZeroPoint=%z) {axis=1, block_size=0, dtype=20} : uint8[2,3]
  %d = affine_dequantize(X=%q, Scale=%s, ZeroPoint=%z) {axis=1, block_size=0, dtype=-1} : float32[2,3]
  %r = affine_dequantize(X=%w, Scale=%s, ZeroPoint=%n) {axis=1, block_size=0, dtype=-1} : float32[3]
  %m = elementwise_mul(X=%d, Y=%r) : float32[2,3]
  %e = affine_quantize(X=%m, Scale=%s, ZeroPoint=%z) {axis=1, block_size=0, dtype=20} : uint8[2,3]
  %f = affine_dequantize(X=%e, Scale=%s, ZeroPoint=%z) {axis=1, block_size=0, dtype=-1} : float32[2,3]
  return %f
}
"""
X = np.linspace(-3, 3, 6, dtype=np.float32).reshape(2, 3)

QUANTISED = """
graph main(%x: float32[2] quant([0.5], [0], -1, int8)) {
  %w = const int8[2] [2, 4] : float32[2] quant([0.5, 0.25], [0, 1], 0, int8)
  %y = elementwise_mul(X=%x, Y=%w) : float32[2] quant([0.25], [3], -1, uint8)
  return %y
}
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    lite.save_program(lower_graph(parse_graph(TEXT)), tmp_path / "model")
    return tmp_path / "model"


def test_a_bridge_sees_the_parameters_and_real_numbers() -> None:
    [node] = parse_graph(QUANTISED)
    op = BridgeOp(node)

    x, w, y = op["X"].quant, op["Y"].quant, op.output().quant
    assert x is not None
    assert y is not None
    assert w is not None
    assert (x.scale, w.zero_point, w.axis, y.storage) == ((0.5,), (0, 1), 0, DType.UINT8)
    np.testing.assert_array_equal(op.constant("Y"), np.array([1, 0.75], np.float32))
    assert op["Y"].dtype is DType.FLOAT32
    np.testing.assert_array_equal(op["Y"].value, op.constant("Y"))


def test_a_device_for_real_numbers_declines_with_a_sentence() -> None:
    with fake_device("elementwise_mul"):
        marks = mark(parse_graph(QUANTISED), [open_device("fake")])
    [entry] = marks.ops.values()
    assert entry.why_not == {"fake": "%y is quantised, and fake takes real numbers only"}


def test_a_device_that_takes_quantised_values_gets_no_ops_for_them(model: Path) -> None:
    [expected] = lite.create_predictor(lite.Config(model, precision="strict")).run([X]).values()
    with fake_device("sigmoid", "elementwise_mul", quantized_values=True) as faults:
        config = lite.Config(model, devices=["fake"], fallback="error", debug=True)
        predictor = lite.create_predictor(config)
        [result] = predictor.run([X]).values()
        report = predictor.report()

    np.testing.assert_array_equal(result, expected)
    assert (faults.runs, len(report.regions)) == (1, 1)
    assert [(op.type, op.placed_on) for op in report.ops] == [
        ("sigmoid", "fake"),
        ("elementwise_mul", "fake"),
    ]


def test_other_devices_get_ops(model: Path) -> None:
    with fake_device("sigmoid", "elementwise_mul", "affine_quantize", "affine_dequantize"):
        config = lite.Config(model, devices=["fake"], fallback="error")
        report = lite.create_predictor(config).report()

    assert [op.type for op in report.ops] == [
        "sigmoid",
        "affine_quantize",
        "affine_dequantize",
        "elementwise_mul",
        "affine_quantize",
        "affine_dequantize",
    ]


@pytest.mark.parametrize("fails", ["relu", "elementwise_mul", "sigmoid"])
def test_the_host_answers_exactly_where_the_device_fails(model: Path, fails: str) -> None:
    [expected] = lite.create_predictor(lite.Config(model, precision="strict")).run([X]).values()
    with fake_device("sigmoid", "elementwise_mul", quantized_values=True) as faults:
        faults.compile = frozenset({fails})
        predictor = lite.create_predictor(lite.Config(model, devices=["fake"], precision="strict"))
        for _ in range(2):
            [result] = predictor.run([X]).values()
            np.testing.assert_array_equal(result, expected)


def test_a_stored_plan_keeps_quantised_values(model: Path, tmp_path: Path) -> None:
    [expected] = lite.create_predictor(lite.Config(model, precision="strict")).run([X]).values()
    config = lite.Config(model, devices=["fake"], fallback="error", cache_dir=tmp_path / "cache")
    with fake_device("sigmoid", "elementwise_mul", quantized_values=True) as faults:
        for _ in range(2):
            [result] = lite.create_predictor(config).run([X]).values()
            np.testing.assert_array_equal(result, expected)
    assert (faults.compiled, faults.loaded) == (1, 1)


def test_an_optimised_program_has_ops_again(model: Path) -> None:
    [expected] = lite.create_predictor(lite.Config(model, precision="strict")).run([X]).values()
    with fake_device("sigmoid", "elementwise_mul", quantized_values=True):
        config = lite.Config(model, devices=["fake"], debug=True)
        program = lite.create_predictor(config).optimized_program()
    folder = model.parent / "optimised"
    lite.save_program(program, folder)

    [result] = lite.create_predictor(lite.Config(folder, precision="strict")).run([X]).values()
    np.testing.assert_array_equal(result, expected)
