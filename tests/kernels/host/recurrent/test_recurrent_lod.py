"""lstm, gru and their single steps against loops over one sequence at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from lite.plugin.kernel import Array
from tests.kernels.host.checked import checked
from tests.kernels.host.sequence.run_lod_op import cut, draw, run_lod_op

LEVEL = (0, 3, 3, 4, 8)
FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "sigmoid": lambda x: np.asarray(1 / (1 + np.exp(-x))),
    "tanh": np.tanh,
    "relu": lambda x: np.maximum(x, 0),
    "identity": lambda x: x,
}


def gru_step(
    x: Array, h: Array, weight: Array, gate: str, activation: str, origin: bool
) -> tuple[Array, Array, Array]:
    size = len(h)
    flat = weight.reshape(-1)
    gates, candidate = flat[: 2 * size * size].reshape(size, -1), flat[2 * size * size :].reshape(size, size)
    update, reset = np.split(FUNCTIONS[gate](x[: 2 * size] + h @ gates), 2)
    new = FUNCTIONS[activation](x[2 * size :] + (reset * h) @ candidate)
    mixed = update * h + (1 - update) * new if origin else (1 - update) * h + update * new
    return mixed, np.concatenate((update, reset, new)), reset * h


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    ("gate", "activation", "origin"), [("sigmoid", "tanh", False), ("sigmoid", "relu", True)]
)
@pytest.mark.parametrize("start", [False, True])
def test_gru_agrees_with_a_loop(reverse: bool, gate: str, activation: str, origin: bool, start: bool) -> None:
    size = 3
    x, weight, bias, h0 = draw(8, 9), draw(3, 9, seed=2), draw(1, 9, seed=3), draw(4, 3, seed=4)
    inputs = {"Input": x, "Weight": weight, **({"H0": h0, "Bias": bias} if start else {})}

    ((out, lod),) = run_lod_op(
        "gru",
        inputs,
        {"Input": (LEVEL,)},
        {"is_reverse": reverse, "gate_activation": gate, "activation": activation, "origin_mode": origin},
        {"Hidden": 1},
    )

    expected = np.zeros((8, size))
    for number, rows in enumerate(cut(np.arange(8), LEVEL)):
        h = h0[number] if start else np.zeros(size)
        for row in rows[::-1] if reverse else rows:
            h, _, _ = gru_step(x[row] + (bias[0] if start else 0), h, weight, gate, activation, origin)
            expected[row] = h
    np.testing.assert_allclose(out, expected, atol=1e-5)
    assert lod == (LEVEL,)


@pytest.mark.parametrize("origin", [False, True])
def test_gru_unit_is_one_step(origin: bool) -> None:
    x, h, weight, bias = draw(4, 9), draw(4, 3, seed=5), draw(3, 9, seed=2), draw(1, 9, seed=3)

    found = checked(
        "gru_unit",
        {"Input": x, "HiddenPrev": h, "Weight": weight, "Bias": bias},
        {"origin_mode": origin},
        {"Hidden": 1, "Gate": 1, "ResetHiddenPrev": 1},
    )

    steps = [gru_step(a + bias[0], b, weight, "sigmoid", "tanh", origin) for a, b in zip(x, h, strict=True)]
    for got, expected in zip(found, zip(*steps, strict=True), strict=True):
        np.testing.assert_allclose(got, np.stack(expected), atol=1e-5)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("peepholes", [False, True])
@pytest.mark.parametrize("start", [False, True])
def test_lstm_agrees_with_a_loop(reverse: bool, peepholes: bool, start: bool) -> None:
    size = 3
    x, weight, bias = draw(8, 12), draw(3, 12, seed=2), draw(1, 21 if peepholes else 12, seed=3)
    h0, c0 = draw(4, 3, seed=4), draw(4, 3, seed=5)
    inputs = {"Input": x, "Weight": weight, "Bias": bias, **({"H0": h0, "C0": c0} if start else {})}

    (hidden, lod), (cells, _) = run_lod_op(
        "lstm",
        inputs,
        {"Input": (LEVEL,)},
        {"is_reverse": reverse, "use_peepholes": peepholes, "cell_activation": "relu"},
        {"Hidden": 1, "Cell": 1},
    )

    w_i, w_f, w_o = bias[0, 12:].reshape(3, 3) if peepholes else np.zeros((3, 3))
    sigmoid = FUNCTIONS["sigmoid"]
    want_hidden, want_cells = np.zeros((8, size)), np.zeros((8, size))
    for number, rows in enumerate(cut(np.arange(8), LEVEL)):
        h, c = (h0[number], c0[number]) if start else (np.zeros(size), np.zeros(size))
        for row in rows[::-1] if reverse else rows:
            g, i, f, o = np.split(x[row] + bias[0, :12] + h @ weight, 4)
            c = sigmoid(f + w_f * c) * c + sigmoid(i + w_i * c) * np.tanh(g)
            h = sigmoid(o + w_o * c) * np.maximum(c, 0)
            want_hidden[row], want_cells[row] = h, c
    np.testing.assert_allclose(hidden, want_hidden, atol=1e-5)
    np.testing.assert_allclose(cells, want_cells, atol=1e-5)
    assert lod == (LEVEL,)


@pytest.mark.parametrize("batch", [0, 2])
def test_lstm_unit_is_one_step(batch: int) -> None:
    x, c = draw(batch, 8), draw(batch, 2, seed=2)

    cell, hidden = checked("lstm_unit", {"X": x, "C_prev": c}, {"forget_bias": 1.0}, {"C": 1, "H": 1})

    sigmoid = FUNCTIONS["sigmoid"]
    i, f, o, g = np.split(x.astype(np.float64), 4, axis=1)
    expected = sigmoid(f + 1) * c + sigmoid(i) * np.tanh(g)
    np.testing.assert_allclose(cell, expected, atol=1e-6)
    np.testing.assert_allclose(hidden, sigmoid(o) * np.tanh(expected), atol=1e-6)
