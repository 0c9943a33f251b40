"""Recurrent layers equal loops over time."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.types import Array
from tests.model_parser.pnnx.models import noise, one_op, run

GATES = {"nn.LSTM": 4, "nn.GRU": 3, "nn.RNN": 1}


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def layer(kind: str, x: Array, h: Array, c: Array, w: dict[str, Array]) -> tuple[Array, Array, Array]:
    """torch's formulas, one step after another; x [T, B, I]."""
    outs = []
    for step in x:
        a, b = step @ w["weight_ih_l0"].T + w["bias_ih_l0"], h @ w["weight_hh_l0"].T + w["bias_hh_l0"]
        if kind == "nn.LSTM":
            i, f, g, o = np.split(a + b, 4, axis=1)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
        elif kind == "nn.GRU":
            (ar, az, an), (br, bz, bn) = np.split(a, 3, axis=1), np.split(b, 3, axis=1)
            z = sigmoid(az + bz)
            h = (1 - z) * np.tanh(an + sigmoid(ar + br) * bn) + z * h
        else:
            h = np.maximum(a + b, 0)
        outs.append(h)
    return np.stack(outs), h, c


def weights(kind: str) -> dict[str, Array]:
    rows = GATES[kind] * 3
    shapes = {
        "weight_ih_l0": (rows, 2),
        "weight_hh_l0": (rows, 3),
        "bias_ih_l0": (rows,),
        "bias_hh_l0": (rows,),
    }
    return {name: noise(*shape, seed=n) * 0.5 for n, (name, shape) in enumerate(shapes.items())}


@pytest.mark.parametrize("kind", GATES)
@pytest.mark.parametrize("has_states", [False, True])
def test_a_layer_with_and_without_initial_states(kind: str, has_states: bool) -> None:
    x, w = noise(5, 4, 2, seed=9), weights(kind)
    count = 2 if kind == "nn.LSTM" else 1
    states = [noise(1, 4, 3, seed=20 + n) for n in range(count)] if has_states else []
    params = "hidden_size=3 input_size=2 num_layers=1 bidirectional=False batch_first=False nonlinearity=relu"
    result = one_op(kind, [x, *states], params, w, outputs=1 + count)
    first = [state[0] for state in states] or [np.zeros((4, 3))] * count
    out, h, c = layer(kind, x, first[0], first[-1], w)
    for array, expected in zip(result, (out, h[None], c[None]), strict=False):
        np.testing.assert_allclose(array, expected, rtol=1e-4, atol=1e-5)


def test_a_layer_with_a_batch_of_unknown_size() -> None:
    x, w = noise(4, 5, 2, seed=9), weights("nn.GRU")
    kinds = " ".join(f"@{name}=({','.join(map(str, array.shape))})f32" for name, array in w.items())
    lines = [
        "pnnx.Input i 0 1 x #x=(?,5,2)f32",
        f"nn.GRU g 1 1 x y hidden_size=3 input_size=2 num_layers=1 batch_first=True {kinds}",
        "pnnx.Output o 1 0 y",
    ]
    (output,) = run(lines, [x], {f"g.{name}": array for name, array in w.items()})
    out, _, _ = layer("nn.GRU", x.transpose(1, 0, 2), np.zeros((4, 3)), np.zeros(0), w)
    np.testing.assert_allclose(output, out.transpose(1, 0, 2), rtol=1e-4, atol=1e-5)


def test_a_projection_of_the_hidden_state() -> None:
    rng = np.random.default_rng(3)
    shapes: dict[str, tuple[int, ...]] = {
        "weight_ih_l0": (12, 2),
        "weight_hh_l0": (12, 2),
        "weight_hr_l0": (2, 3),
        "bias_ih_l0": (12,),
        "bias_hh_l0": (12,),
    }
    w = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    x, h, c = (rng.standard_normal(shape).astype(np.float32) for shape in ((5, 4, 2), (1, 4, 2), (1, 4, 3)))
    hidden, cell, outs = h[0], c[0], []
    for step in x:
        gates = step @ w["weight_ih_l0"].T + hidden @ w["weight_hh_l0"].T + w["bias_ih_l0"] + w["bias_hh_l0"]
        i, f, g, o = np.split(gates, 4, 1)
        i, f, o = (1 / (1 + np.exp(-gate)) for gate in (i, f, o))
        cell = f * cell + i * np.tanh(g)
        hidden = (o * np.tanh(cell)) @ w["weight_hr_l0"].T
        outs.append(hidden)
    text = "hidden_size=3 input_size=2 proj_size=2 num_layers=1 bias=True"
    results = one_op("nn.LSTM", [x, h, c], text, w, outputs=3)
    for result, expected in zip(results, (np.stack(outs), hidden[None], cell[None]), strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("batch_first", [False, True])
def test_an_input_without_a_batch(batch_first: bool) -> None:
    rng = np.random.default_rng(4)
    shapes = {"weight_ih_l0": (3, 2), "weight_hh_l0": (3, 3), "bias_ih_l0": (3,), "bias_hh_l0": (3,)}
    w = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    x, h = noise(5, 2), np.zeros(3, np.float32)
    outs = []
    for step in x:
        h = np.tanh(w["weight_ih_l0"] @ step + w["weight_hh_l0"] @ h + w["bias_ih_l0"] + w["bias_hh_l0"])
        outs.append(h)
    text = f"hidden_size=3 input_size=2 batch_first={batch_first}"
    results = one_op("nn.RNN", [x], text, w, outputs=2)
    for result, expected in zip(results, (np.stack(outs), h[None]), strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)


def test_outputs_that_the_file_has_last() -> None:
    rng = np.random.default_rng(4)
    shapes = {"weight_ih_l0": (3, 2), "weight_hh_l0": (3, 3), "bias_ih_l0": (3,), "bias_hh_l0": (3,)}
    w = {name: rng.standard_normal(shape).astype(np.float32) for name, shape in shapes.items()}
    x = noise(5, 4, 2)
    outputs, last = one_op("nn.RNN", [x], "hidden_size=3 input_size=2", w, outputs=2)
    swapped = one_op("nn.RNN", [x], "hidden_size=3 input_size=2 pnnx_rnn_output_swapped=1", w, outputs=2)
    np.testing.assert_array_equal(swapped[0], last)
    np.testing.assert_array_equal(swapped[1], outputs)
