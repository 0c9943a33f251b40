"""rnn against loops written from the cells' definitions, one sequence at a time."""

import numpy as np
import pytest

from lite.ir.program import AttrValue
from lite.ops import Meta, get_schema, infer
from lite.plugin.kernel import Array, Attributes, PrepareContext, evaluate, host_kernel

GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def cell(
    mode: str, x: Array, h: Array, c: Array, w: Array, u: Array, b: Array, d: Array
) -> tuple[Array, Array]:
    a, r = w @ x + b, u @ h + d
    if mode == "RNN_TANH":
        return np.tanh(a + r), c
    if mode == "RNN_RELU":
        return np.maximum(a + r, 0), c
    if mode == "LSTM":
        i, f, g, o = np.split(a + r, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c
    (ar, az, ac), (rr, rz, rc) = np.split(a, 3), np.split(r, 3)
    z = sigmoid(az + rz)
    return z * h + (1 - z) * np.tanh(ac + sigmoid(ar + rr) * rc), c


def expected(
    mode: str,
    x: Array,
    states: list[Array],
    weights: list[Array],
    layers: int,
    directions: int,
    lengths: list[int],
) -> tuple[Array, list[Array]]:
    last = [state.astype(np.float64) for state in states]
    biases = weights[2 * layers * directions :] or [np.zeros(len(w)) for w in weights]
    for layer in range(layers):
        y = np.zeros((*x.shape[:2], directions, states[0].shape[2]))
        for direction in range(directions):
            n = layer * directions + direction
            for b, length in enumerate(lengths):
                h, c = last[0][n, b], last[-1][n, b]
                for t in range(length)[:: -1 if direction else 1]:
                    h, c = cell(mode, x[t, b], h, c, *weights[2 * n : 2 * n + 2], *biases[2 * n : 2 * n + 2])
                    y[t, b, direction] = h
                last[-1][n, b], last[0][n, b] = c, h
        x = y.reshape(*y.shape[:2], y.shape[2] * y.shape[3])
    return x, last


CASES = [
    # mode, T, B, I, H, layers, bidirectional, biases, lengths
    ("LSTM", 5, 3, 4, 6, 1, False, True, None),
    ("LSTM", 6, 3, 4, 5, 2, True, True, [6, 2, 0]),
    ("LSTM", 1, 1, 1, 1, 1, True, False, None),
    ("GRU", 5, 2, 4, 3, 1, True, True, None),
    ("GRU", 4, 3, 2, 3, 2, False, True, [1, 4, 3]),
    ("GRU", 4, 2, 2, 3, 1, False, False, None),
    ("RNN_TANH", 4, 2, 3, 5, 2, True, True, [4, 1]),
    ("RNN_RELU", 4, 2, 3, 5, 3, False, True, None),
    ("RNN_RELU", 0, 2, 3, 5, 1, True, True, None),
]


@pytest.mark.parametrize("prepared", [False, True])
@pytest.mark.parametrize(("mode", "t", "b", "i", "h", "layers", "both", "biases", "lengths"), CASES)
def test_rnn_agrees_with_a_loop(
    mode: str,
    t: int,
    b: int,
    i: int,
    h: int,
    layers: int,
    both: bool,
    biases: bool,
    lengths: list[int] | None,
    prepared: bool,
) -> None:
    rng = np.random.default_rng(t + h)
    directions = 2 if both else 1

    def draw(*shape: int) -> Array:
        array = rng.standard_normal(shape).astype(np.float32)
        array.flags.writeable = False
        return array

    rows = GATES[mode] * h
    weights = []
    for n in range(layers * directions):
        weights += [draw(rows, i if n < directions else h * directions), draw(rows, h)]
    weights += [draw(rows) for _ in range(2 * layers * directions * biases)]
    inputs = {
        "Input": [draw(t, b, i)],
        "PreState": [draw(layers * directions, b, h) for _ in range(2 if mode == "LSTM" else 1)],
        "WeightList": weights,
    }
    if lengths is not None:
        inputs["SequenceLength"] = [np.array(lengths, np.int32)]
    attrs: dict[str, AttrValue] = {"mode": mode, "hidden_size": h, "num_layers": layers, "is_bidirec": both}
    outputs = {"Out": 1, "State": len(inputs["PreState"])}
    want, want_states = expected(
        mode, inputs["Input"][0], inputs["PreState"], weights, layers, directions, lengths or [t] * b
    )
    if not prepared:
        found = evaluate("rnn", inputs, attrs, outputs)
        out, states = found["Out"][0].array, [state.array for state in found["State"]]
    else:
        schema = get_schema("rnn")
        values = schema.attr_values(attrs)
        metas = {slot: [Meta.of(array) for array in arrays] for slot, arrays in inputs.items()}
        inferred = infer(schema, metas, values, outputs)
        prepare = host_kernel("rnn").prepare
        assert prepare is not None
        run = prepare(PrepareContext(metas, inferred, Attributes("rnn", values), lambda _, make: make()))
        assert run is not None
        states = [np.full(state.shape, 7, np.float32) for state in inputs["PreState"]]
        out = np.full(want.shape, 7, np.float32)
        length = inputs.get("SequenceLength", [None])[0]
        run(inputs["Input"][0], inputs["PreState"], weights, length, out=(out, states))
    assert out.dtype == np.float32
    np.testing.assert_allclose(out, want, atol=1e-5)
    for state, wanted in zip(states, want_states, strict=True):
        np.testing.assert_allclose(state, wanted, atol=1e-5)
