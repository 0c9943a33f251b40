"""Paddle's fake_* quantisation as quantize_linear and dequantize_linear."""

from __future__ import annotations

import numpy as np
import pytest

from lite.errors import PassError
from lite.ir.graph import Graph
from lite.ir.text import parse_graph
from lite.ir.verify import verify
from lite.plugin.kernel import Array
from tests.lite.passes.check import run_pass
from tests.support.interpreter.tensors import run_graph

X = np.array([[-2.0, -0.3, 0.1], [0.5, 1.0, 1.5]], np.float32)


def canonical(nodes: str, results: str = "y=%y") -> Graph:
    graph = parse_graph(f"graph main(%x: float32[2,3]) {{\n{nodes}\nreturn {results}\n}}")
    run_pass("canonicalize_pass", graph)
    verify(graph)
    return graph


def rounded(x: Array, scale: Array | float) -> Array:
    """X in steps of scale / 127, halves away from zero."""
    limited = np.clip(x, -np.float32(scale), np.float32(scale))
    scaled = limited * (np.float32(127) / np.float32(scale))
    result: Array = np.copysign(np.floor(np.abs(scaled) + np.float32(0.5)), scaled)
    return result


def test_a_scale_of_training_becomes_quantize_linear() -> None:
    graph = canonical("""
        %s = const float32[1] [1.0]
        Out=%y, OutScale=%t = fake_quantize_moving_average_abs_max(X=%x, InScale=%s)
          : float32[2,3], float32[1]
    """)
    assert [node.op for node in graph] == ["quantize_linear"]
    np.testing.assert_array_equal(run_graph(graph, {"x": X})["y"], rounded(X, 1.0))


@pytest.mark.parametrize(("op", "axis"), [("", None), ("channel_wise_", 0), ("channel_wise_", 1)])
def test_a_measured_scale_is_the_greatest_magnitude(op: str, axis: int | None) -> None:
    attrs = "" if axis is None else f"{{quant_axis={axis}}}"
    size = 1 if axis is None else X.shape[axis]
    graph = canonical(
        f"Out=%y, OutScale=%t = fake_{op}quantize_dequantize_abs_max(X=%x) {attrs} "
        f": float32[2,3], float32[{size}]",
        "y=%y, t=%t",
    )
    scale = np.abs(X).max(axis=None if axis is None else 1 - axis, keepdims=True).astype(np.float32)

    results = run_graph(graph, {"x": X})

    np.testing.assert_array_equal(results["t"], scale.reshape(-1))
    np.testing.assert_array_equal(results["y"], rounded(X, scale) * scale / np.float32(127))


@pytest.mark.parametrize(
    "observer",
    [
        "Y=%y = quantize_linear(X=%x, Scale=%s) {only_observer=true, quant_axis=-1} : float32[2,3]",
        "Y=%y = dequantize_linear(X=%x, Scale=%s) {only_observer=true, quant_axis=-1} : float32[2,3]",
        "%y = moving_average_abs_max_scale(X=%x) : float32[2,3]",
    ],
)
def test_an_observer_becomes_assign(observer: str) -> None:
    graph = canonical(f"%s = const float32[1] [1.0]\n{observer}")
    assert [node.op for node in graph] == ["assign"]


def test_a_canonical_pair_stays() -> None:
    nodes = """
        %s = const float32[1] [1.0]
        Y=%q = quantize_linear(X=%x, Scale=%s) {quant_axis=-1} : float32[2,3]
        Y=%y = dequantize_linear(X=%q, Scale=%s) {quant_axis=-1} : float32[2,3]
    """
    graph = canonical(nodes)
    assert [node.op for node in graph] == ["quantize_linear", "dequantize_linear"]
    assert not run_pass("canonicalize_pass", graph)


@pytest.mark.parametrize("scale", ["0.0", "-1.0", "nan", "inf"])
def test_a_scale_that_is_not_valid_is_refused(scale: str) -> None:
    with pytest.raises(PassError, match=r"quantize_linear.*scale 's': expected positive numbers, got"):
        canonical(
            f"%s = const float32[1] [{scale}]\n"
            "Y=%y = quantize_linear(X=%x, Scale=%s) {quant_axis=-1} : float32[2,3]"
        )
