"""Ops that see a tensor as rows, in any layout, against numpy in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array, Layout
from lite.ops import Meta, get_schema
from lite.plugin.kernel import PrepareContext
from tests.kernels.cpu.prepared import compiled_kernel, floats


def run(op: str, *arguments: Any, **attrs: Any) -> Any:
    """What a kernel for any layout returns, which is also what it writes into buffers."""
    kernel = compiled_kernel(op, Layout.ANY)
    values = get_schema(op).attr_values(attrs)
    keywords = {name: values[name] for name in kernel.attrs}
    result = kernel.run(*arguments, **keywords)
    parts = result if isinstance(result, tuple) else (result,)
    buffers = tuple(np.full_like(part, np.nan) for part in parts)
    kernel.run(*arguments, **keywords, out=buffers if isinstance(result, tuple) else buffers[0])
    for part, buffer in zip(parts, buffers, strict=True):
        np.testing.assert_array_equal(part, buffer)
    return result


def close(found: Array, expected: Array, tolerance: float = 1e-6) -> None:
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * max(np.abs(expected).max(), 1e-3))


@pytest.mark.parametrize("shape", [(5,), (3, 1), (4, 7), (2, 3, 33), (1, 6625)])
def test_softmax(shape: tuple[int, ...]) -> None:
    x = 10 * floats(1, *shape)
    weights = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True))
    close(run("softmax", x), weights / weights.sum(-1, keepdims=True))


def test_softmax_along_another_axis() -> None:
    x = floats(1, 3, 4, 5)
    weights = np.exp(x.astype(np.float64))
    close(run("softmax", x, axis=1), weights / weights.sum(1, keepdims=True))


@pytest.mark.parametrize("place", [0, 9, 12])
def test_softmax_of_not_a_number(place: int) -> None:
    x = np.zeros((1, 13), np.float32)
    x[0, place] = np.nan
    assert np.isnan(run("softmax", x)).all()


def test_softmax_of_large_numbers() -> None:
    x = np.array([[3e38, 0, -3e38, 3e38, -np.inf]], np.float32)
    np.testing.assert_array_equal(run("softmax", x), [[0.5, 0, 0, 0.5, 0]])


def normalised(x: Array, axes: int, epsilon: float) -> Array:
    rows = x.reshape(*x.shape[:axes], -1).astype(np.float64)
    mean, variance = rows.mean(-1, keepdims=True), rows.var(-1, keepdims=True)
    result: Array = ((rows - mean) / np.sqrt(variance + epsilon)).reshape(x.shape)
    return result


@pytest.mark.parametrize("shape", [(2, 3), (4, 16), (3, 5, 13)])
@pytest.mark.parametrize("affine", [True, False])
def test_layer_norm(shape: tuple[int, ...], affine: bool) -> None:
    x = floats(1, *shape) + 3
    size = int(np.prod(shape[1:]))
    scale, bias = (floats(2, size), floats(3, size)) if affine else (None, None)
    y, mean, variance = run("layer_norm", x, scale, bias, epsilon=1e-3, begin_norm_axis=1)
    expected = normalised(x, 1, 1e-3)
    if scale is not None and bias is not None:
        expected = expected * scale.reshape(shape[1:]) + bias.reshape(shape[1:])
    close(y, expected, 1e-5)
    rows = x.reshape(shape[0], -1)
    close(mean, rows.mean(1), 1e-5)
    close(variance, rows.var(1), 1e-5)


def test_skip_layernorm() -> None:
    x, y, scale = floats(1, 2, 5, 12), floats(2, 2, 5, 12), floats(3, 12)
    found = run("skip_layernorm", x, y, scale, None, epsilon=1e-5, begin_norm_axis=2)
    close(found, normalised(x + y, 2, 1e-5) * scale, 1e-5)
    row = floats(4, 12)
    found = run("skip_layernorm", x, row, scale, None, epsilon=1e-5, begin_norm_axis=2)
    close(found, normalised(x + row, 2, 1e-5) * scale, 1e-5)


ACTIVATIONS: dict[str, tuple[dict[str, Any], Any]] = {
    "relu": ({}, lambda v: np.maximum(v, 0)),
    "relu6": ({"threshold": 2.0}, lambda v: np.clip(v, 0, 2)),
    "hard_sigmoid": ({"slope": 0.3, "offset": 0.4}, lambda v: np.clip(0.3 * v + 0.4, 0, 1)),
    "hard_swish": ({}, lambda v: v * np.clip(v + 3, 0, 6) / 6),
    "sigmoid": ({}, lambda v: 1 / (1 + np.exp(-v))),
    "silu": ({}, lambda v: v / (1 + np.exp(-v))),
    "swish": ({"beta": 2.0}, lambda v: v / (1 + np.exp(-2 * v))),
    "tanh": ({}, np.tanh),
    "gelu": (
        {"approximate": True},
        lambda v: v / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (v + 0.044715 * v**3))),
    ),
    "leaky_relu": ({"alpha": 0.3}, lambda v: np.where(v < 0, 0.3 * v, v)),
    "elu": ({"alpha": 0.7}, lambda v: np.where(v < 0, 0.7 * np.expm1(np.minimum(v, 0)), v)),
}


@pytest.mark.parametrize("op", ACTIVATIONS)
@pytest.mark.parametrize("shape", [(), (0,), (7,), (2, 3, 11)])
def test_activations(op: str, shape: tuple[int, ...]) -> None:
    attrs, function = ACTIVATIONS[op]
    x = np.asarray(4 * floats(1, *shape), np.float32)
    found = run(op, x, **attrs)
    assert found.shape == shape
    np.testing.assert_allclose(found, function(x.astype(np.float64)), rtol=1e-5, atol=1e-6)


def test_activations_read_what_is_not_contiguous() -> None:
    x = floats(1, 6, 8)[:, ::2]
    np.testing.assert_array_equal(run("relu", x), np.maximum(x, 0))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_concat(axis: int) -> None:
    parts = [floats(n, *(2 + n if a == axis % 3 else 3 for a in range(3))) for n in range(3)]
    np.testing.assert_array_equal(run("concat", parts, None, axis=axis), np.concatenate(parts, axis))


@pytest.mark.parametrize(
    "shape", [(1, 3, 5, 7), (2, 16, 8, 8), (1, 19, 9, 11), (1, 1, 4, 5), (2, 5, 1, 1), (0, 3, 2, 2)]
)
def test_layout(shape: tuple[int, ...]) -> None:
    x = floats(1, *shape)
    there = run("layout", x, **{"from": "nchw", "to": "nhwc"})
    np.testing.assert_array_equal(there, np.moveaxis(x, 1, 3))
    np.testing.assert_array_equal(run("layout", there, **{"from": "nhwc", "to": "nchw"}), x)


@pytest.mark.parametrize(
    ("rows", "depth", "channels"),
    [(1, 4, 3), (40, 120, 70), (9, 33, 8), (3, 1, 100), (4, 33, 70), (5, 9, 20)],
)
@pytest.mark.parametrize("activation", ["", "relu", "swish"])
def test_fc(rows: int, depth: int, channels: int, activation: str) -> None:
    x, w, bias = floats(1, 2, rows, depth), floats(2, depth, channels), floats(3, channels)
    kernel = compiled_kernel("fc", Layout.ANY)
    values = get_schema("fc").attr_values({"in_num_col_dims": 2, "activation": activation})
    metas = {"Input": [Meta.of(x, known=False)], "W": [Meta.of(w)], "Bias": [Meta.of(bias)]}
    out = {"Out": [Meta(metas["Input"][0].dtype, (2, rows, channels))]}
    assert kernel.prepare is not None
    prepared = kernel.prepare(PrepareContext(metas, out, values, lambda _, make: make()))
    assert prepared is not None
    expected = x.astype(np.float64) @ w + bias
    expected = ACTIVATIONS[activation][1](expected) if activation == "relu" else expected
    expected = expected / (1 + np.exp(-expected)) if activation == "swish" else expected
    close(prepared(x, w, bias, None), expected, 1e-5)
    close(run("fc", x, w, bias, None, in_num_col_dims=2, activation=activation), expected, 1e-5)
