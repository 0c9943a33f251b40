"""Regions in int8 equal the same integer arithmetic by NumPy, to the last bit."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from lite.errors import CompileError
from lite.ir.graph import Quant
from lite.ir.quantized_arrays import dequantized, quantized
from lite.ir.types import Array, DType
from lite.plugin.device import CompiledModel
from lite.subgraph.recipe import int8_quant
from tests.bridges.devices import SIM_NPU
from tests.bridges.region import compiled, reasons

X, A, B = int8_quant(-2.0, 3.0), int8_quant(-4.0, 4.5), int8_quant(0.0, 6.0)


def text_of(quant: Quant) -> str:
    return f"quant([{quant.scale[0]!r}], [{quant.zero_point[0]}], -1, int8)"


def model(text: str) -> CompiledModel:
    return compiled(SIM_NPU.open(types="int8"), text)


def fixed(factor: float) -> tuple[int, int]:
    fraction, exponent = math.frexp(factor)
    return round(fraction * 2**31), 31 - exponent


def requantized(sums: Array, factor: float, quant: Quant) -> Array:
    """The documented rounding: halves up, in 64 bits."""
    multiplier, shift = fixed(factor)
    numbers = (sums.astype(np.int64) * multiplier + 2 ** (shift - 1)) >> shift
    result: Array = np.clip(numbers + quant.zero_point[0], -128, 127).astype(np.int8)
    return result


def centred(stored: Array, quant: Quant) -> Array:
    return stored.astype(np.int64) - quant.zero_point[0]


def values(*shape: int) -> Array:
    return (2 * np.random.default_rng(5).standard_normal(shape)).astype(np.float32)


def check(text: str, x: Array, expected: Array) -> None:
    [result] = model(text).run([quantized(x, X)], [None])
    np.testing.assert_array_equal(result, expected)


def test_a_convolution_with_a_normalisation_and_an_activation() -> None:
    random = np.random.default_rng(1)
    w = random.standard_normal((4, 3, 1, 1)).astype(np.float32)
    text = f"""graph main(%x: float32[1,3,4,4] {text_of(X)}) {{
      %w = const float32[4,3,1,1] [{", ".join(repr(float(v)) for v in w.reshape(-1))}]
      %b = const float32[4] [0.5, -1.0, 0.25, 2.0]
      Output=%c = conv2d(Input=%x, Filter=%w, Bias=%b) {{}} : float32[1,4,4,4]
      %y = relu(X=%c) : float32[1,4,4,4] {text_of(B)}
      return %y }}"""
    x = values(1, 3, 4, 4)

    steps = np.abs(w.reshape(4, 3).astype(np.float64)).max(1) / 127
    weights = np.rint(w.reshape(4, 3) / steps[:, None]).astype(np.int64)
    bias = np.rint(np.array([0.5, -1.0, 0.25, 2.0]) / (steps * X.scale[0])).astype(np.int64)
    sums = np.einsum("mc,chw->mhw", weights, centred(quantized(x, X), X)[0]) + bias[:, None, None]
    rows = [requantized(sums[m], steps[m] * X.scale[0] / B.scale[0], B) for m in range(4)]
    expected = np.maximum(np.stack(rows), B.zero_point[0])[None].astype(np.int8)

    check(text, x, expected)


def test_a_sum_of_two_tensors() -> None:
    text = f"""graph main(%x: float32[2,5] {text_of(X)}) {{
      %a = tanh(X=%x) : float32[2,5] {text_of(A)}
      %y = elementwise_add(X=%x, Y=%a) {{axis=-1}} : float32[2,5] {text_of(B)}
      return %y }}"""
    x = values(2, 5)

    stored = quantized(x, X)
    tanh = quantized(np.tanh(dequantized(stored, X, DType.FLOAT32)), A)
    factors = X.scale[0] / B.scale[0], A.scale[0] / B.scale[0]
    shift = 20 - math.frexp(max(factors))[1]
    first, second = (round(factor * 2**shift) for factor in factors)
    sums = centred(stored, X) * first + centred(tanh, A) * second
    numbers = ((sums + 2 ** (shift - 1)) >> shift) + B.zero_point[0]

    check(text, x, np.clip(numbers, -128, 127).astype(np.int8))


def test_a_product_of_two_tensors_and_a_mean() -> None:
    text = f"""graph main(%x: float32[1,2,3,3] {text_of(X)}) {{
      %p = pool2d(X=%x) {{pooling_type="avg", global_pooling=true}} : float32[1,2,1,1] {text_of(A)}
      %y = elementwise_mul(X=%x, Y=%p) {{axis=-1}} : float32[1,2,3,3] {text_of(B)}
      return %y }}"""
    x = values(1, 2, 3, 3)

    stored = centred(quantized(x, X), X)
    mean = requantized(stored.sum((2, 3), keepdims=True), X.scale[0] / A.scale[0] / 9, A)
    products = stored * centred(mean, A)

    check(text, x, requantized(products, X.scale[0] * A.scale[0] / B.scale[0], B))


FUNCTIONS: dict[str, tuple[str, Callable[[Array], Array]]] = {
    "sigmoid": ("sigmoid(X=%x)", lambda x: 1 / (1 + np.exp(-x))),
    "hard_swish": ("hard_swish(X=%x)", lambda x: x * np.clip(x + 3, 0, 6) / np.float32(6)),
    "swish": ("swish(X=%x)", lambda x: x * (1 / (1 + np.exp(-x)))),
    "scale": ("scale(X=%x) {scale=-0.5, bias=1.0}", lambda x: x * np.float32(-0.5) + 1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_one_tensor_are_tables(name: str) -> None:
    call, function = FUNCTIONS[name]
    text = f"""graph main(%x: float32[2,40] {text_of(X)}) {{
      %y = {call} : float32[2,40] {text_of(A)} return %y }}"""
    x = values(2, 40)

    real = function(dequantized(quantized(x, X), X, DType.FLOAT32)).astype(np.float32)

    check(text, x, quantized(real, A))


def test_moves_keep_integers_and_joined_tensors_get_one_scale() -> None:
    text = f"""graph main(%x: float32[2,6] {text_of(X)}) {{
      %t = transpose2(X=%x) {{axis=[1, 0]}} : float32[6,2] {text_of(X)}
      %a = relu(X=%t) : float32[6,2] {text_of(A)}
      %y = concat(X=[%t, %a]) {{axis=0}} : float32[12,2] {text_of(B)}
      return %y }}"""
    x = values(2, 6)

    real = dequantized(quantized(x, X), X, DType.FLOAT32).T
    rectified = dequantized(quantized(np.maximum(real, 0), A), A, DType.FLOAT32)

    check(text, x, np.concatenate([quantized(real, B), quantized(rectified, B)]))


def test_the_maximum_of_windows_keeps_integers() -> None:
    text = f"""graph main(%x: float32[1,1,4,4] {text_of(X)}) {{
      %y = pool2d(X=%x) {{pooling_type="max", ksize=[2, 2], strides=[2, 2]}} : float32[1,1,2,2] {text_of(X)}
      return %y }}"""
    x = values(1, 1, 4, 4)

    check(text, x, quantized(x, X).reshape(1, 1, 2, 2, 2, 2).max((3, 5)))


@pytest.mark.parametrize(
    ("op", "reason"),
    [
        ("relu(X=%x) : float32[2,3]", "%y has no range in the recipe; the chip computes in int8"),
        (f"softmax(X=%x) : float32[2,3] {text_of(A)}", "the chip has no softmax for int8"),
        (
            "relu(X=%x) : float32[2,3] quant([0.5], [0], -1, uint8)",
            "%y is quantised as uint8; the chip takes int8 with one scale",
        ),
        (
            f"matmul_v2(X=%x, Y=%x) {{trans_y=true}} : float32[2,2] {text_of(A)}",
            "Y is computed; the chip in int8 multiplies with constant weights",
        ),
    ],
)
def test_ops_without_an_integer_form_are_declined(op: str, reason: str) -> None:
    text = f"graph main(%x: float32[2,3] {text_of(X)}) {{ %y = {op} return %y }}"
    assert reasons(SIM_NPU.open(types="int8"), text) == [reason]


def test_an_input_without_a_range_is_an_error() -> None:
    with pytest.raises(CompileError, match="the chip needs its range"):
        model(f"graph main(%x: float32[2,3]) {{ %y = relu(X=%x) : float32[2,3] {text_of(A)} return %y }}")


def test_a_stored_model_is_loaded() -> None:
    text = f"""graph main(%x: float32[2,3] {text_of(X)}) {{
      %y = relu(X=%x) : float32[2,3] {text_of(A)} return %y }}"""
    built = model(text)
    blob = built.serialize()
    assert blob is not None
    loaded = SIM_NPU.open(types="int8").load(blob)

    x = quantized(values(2, 3), X)
    np.testing.assert_array_equal(loaded.run([x], [None])[0], built.run([x], [None])[0])
