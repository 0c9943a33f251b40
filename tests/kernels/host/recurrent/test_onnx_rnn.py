"""lstm_sequence, gru_sequence and rnn_sequence: one gate of one sequence at a time, after ONNX's formulas."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from lite.errors import ExecutionError
from lite.ir.types import Array
from tests.kernels.host.checked import checked
from tests.kernels.host.onnx_reference import near, noise

STEPS, BATCH, SIZE, HIDDEN = 4, 3, 2, 5
OUTPUTS = {"lstm_sequence": ("Out", "H", "C"), "gru_sequence": ("Out", "H"), "rnn_sequence": ("Out", "H")}
GATES = {"lstm_sequence": 4, "gru_sequence": 3, "rnn_sequence": 1}
DEFAULTS = {
    "lstm_sequence": ["Sigmoid", "Tanh", "Tanh"],
    "gru_sequence": ["Sigmoid", "Tanh"],
    "rnn_sequence": ["Tanh"],
}
FUNCTIONS: dict[str, Callable[[float], float]] = {
    "Sigmoid": lambda v: 1 / (1 + math.exp(-v)),
    "Tanh": math.tanh,
    "Relu": lambda v: max(v, 0.0),
    "Softsign": lambda v: v / (1 + abs(v)),
    "Softplus": lambda v: math.log1p(math.exp(v)),
    "Elu": lambda v: v if v >= 0 else 2.0 * math.expm1(v),
    "LeakyRelu": lambda v: v if v >= 0 else 2.0 * v,
    "ThresholdedRelu": lambda v: v if v > 2.0 else 0.0,
    "HardSigmoid": lambda v: min(max(2.0 * v + 0.25, 0.0), 1.0),
    "Affine": lambda v: 2.0 * v + 0.25,
    "ScaledTanh": lambda v: 2.0 * math.tanh(0.25 * v),
}
"""Those with numbers have 2 and 0.25."""


class Cells:
    """One direction of one op."""

    def __init__(self, op: str, arrays: dict[str, Array], number: int, attrs: dict[str, Any]) -> None:
        self.op, self.attrs = op, attrs
        self.w, self.r = arrays["W"][number], arrays["R"][number]
        bias = arrays["B"][number] if "B" in arrays else np.zeros(2 * GATES[op] * HIDDEN)
        self.input_bias, self.bias = np.split(bias, 2)
        self.peepholes = arrays["P"][number].reshape(3, HIDDEN) if "P" in arrays else np.zeros((3, HIDDEN))
        names = attrs.get("activations") or DEFAULTS[op] * 2
        share = len(DEFAULTS[op])
        own = [FUNCTIONS[name] for name in names[share * number : share * (number + 1)]]
        self.f = [*map(self.clipped, own[:2]), *own[2:]]

    def clipped(self, function: Callable[[float], float]) -> Callable[[float], float]:
        most = self.attrs.get("clip", 0.0) or math.inf
        return lambda v: function(min(max(v, -most), most))

    def gate(self, number: int, unit: int, x: Array, h: Array) -> tuple[float, float]:
        """The sum of the projections of input and hidden state."""
        row = number * HIDDEN + unit
        return float(self.w[row] @ x + self.input_bias[row]), float(self.r[row] @ h + self.bias[row])

    def step(self, x: Array, states: list[Array]) -> list[Array]:
        h = states[0]
        new = [np.zeros(HIDDEN) for _ in states]
        updates = [self.f[0](sum(self.gate(0, n, x, h))) for n in range(HIDDEN)]
        for n in range(HIDDEN):
            if self.op == "rnn_sequence":
                new[0][n] = updates[n]
            elif self.op == "gru_sequence":
                new[0][n] = self.gru(n, x, h, updates[n])
            else:
                new[0][n], new[1][n] = self.lstm(n, x, h, float(states[1][n]))
        return new

    def gru(self, n: int, x: Array, h: Array, update: float) -> float:
        resets = np.array([self.f[0](sum(self.gate(1, k, x, h))) for k in range(HIDDEN)])
        if self.attrs.get("linear_before_reset"):
            given, hidden = self.gate(2, n, x, h)
            candidate = self.f[1](given + resets[n] * hidden)
        else:
            candidate = self.f[1](sum(self.gate(2, n, x, resets * h)))
        return (1 - update) * candidate + update * float(h[n])

    def lstm(self, n: int, x: Array, h: Array, memory: float) -> tuple[float, float]:
        entry, out, forget, cell = (sum(self.gate(k, n, x, h)) for k in range(4))
        taken = self.f[0](entry + self.peepholes[0, n] * memory)
        kept = self.f[0](forget + self.peepholes[2, n] * memory)
        if self.attrs.get("input_forget"):
            kept = 1 - taken
        memory = kept * memory + taken * self.f[1](cell)
        return self.f[0](out + self.peepholes[1, n] * memory) * self.f[2](memory), memory


def expected(op: str, arrays: dict[str, Array], attrs: dict[str, Any]) -> list[Array]:
    directions, kinds = len(arrays["W"]), len(OUTPUTS[op]) - 1
    x = arrays["X"].swapaxes(0, 1) if attrs.get("layout") else arrays["X"]
    out = np.zeros((STEPS, directions, BATCH, HIDDEN))
    last = [np.zeros((directions, BATCH, HIDDEN)) for _ in range(kinds)]
    for number, row in itertools.product(range(directions), range(BATCH)):
        states = []
        for slot in ("H0", "C0")[:kinds]:
            given = arrays.get(slot, np.zeros((directions, BATCH, HIDDEN)))
            given = given.swapaxes(0, 1) if slot in arrays and attrs.get("layout") else given
            states.append(given[number, row].astype(float))
        length = int(arrays["SequenceLength"][row]) if "SequenceLength" in arrays else STEPS
        steps: Sequence[int] = range(length)
        if number == 1 or attrs.get("direction") == "reverse":
            steps = steps[::-1]
        cells = Cells(op, arrays, number, attrs)
        for step in steps:
            states = cells.step(x[step, row].astype(float), states)
            out[step, number, row] = states[0]
        for kept, state in zip(last, states, strict=True):
            kept[number, row] = state
    if attrs.get("layout"):
        out, last = out.transpose(2, 0, 1, 3), [state.swapaxes(0, 1) for state in last]
    return [array.astype(np.float32) for array in (out, *last)]


def given(op: str, directions: int, layout: int, *slots: str) -> dict[str, Array]:
    gates = GATES[op] * HIDDEN
    state = (BATCH, directions, HIDDEN) if layout else (directions, BATCH, HIDDEN)
    x = (BATCH, STEPS, SIZE) if layout else (STEPS, BATCH, SIZE)
    arrays = {
        "X": noise(*x),
        "W": noise(directions, gates, SIZE, seed=1),
        "R": noise(directions, gates, HIDDEN, seed=2) / 2,
        "B": noise(directions, 2 * gates, seed=3),
        "SequenceLength": np.array([4, 0, 2], np.int32),
        "H0": noise(*state, seed=4),
        "C0": noise(*state, seed=5),
        "P": noise(directions, 3 * HIDDEN, seed=6),
    }
    return {slot: arrays[slot] for slot in ("X", "W", "R", *slots)}


def check(op: str, arrays: dict[str, Array], attrs: dict[str, Any]) -> None:
    near(checked(op, arrays, attrs, dict.fromkeys(OUTPUTS[op], 1)), expected(op, arrays, attrs), 1e-5)


@pytest.mark.parametrize("op", OUTPUTS)
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("layout", [0, 1])
def test_all_directions_agree_with_a_loop(op: str, direction: str, layout: int) -> None:
    arrays = given(op, 1 + (direction == "bidirectional"), layout, "B", "SequenceLength", "H0")

    check(op, arrays, {"direction": direction, "layout": layout})


@pytest.mark.parametrize("op", OUTPUTS)
def test_optional_inputs_may_be_missing(op: str) -> None:
    check(op, given(op, 1, 0), {})


@pytest.mark.parametrize("linear", [False, True])
def test_gru_resets_before_or_after_the_product(linear: bool) -> None:
    check("gru_sequence", given("gru_sequence", 1, 0, "B", "H0"), {"linear_before_reset": linear})


@pytest.mark.parametrize("coupled", [False, True])
def test_lstm_peepholes_and_coupled_gates(coupled: bool) -> None:
    check("lstm_sequence", given("lstm_sequence", 2, 0, "B", "H0", "C0", "P"), {
        "input_forget": coupled, "direction": "bidirectional"})  # fmt: skip


def _rounded(x: Array) -> Array:
    """The nearest of 256 numbers with equal steps over the range of `x` and 0."""
    low, high = min(float(x.min()), 0.0), max(float(x.max()), 0.0)
    step = (high - low) / 255
    zero = round(-low / step)
    return np.array(
        [[(min(max(round(v / step) + zero, 0), 255) - zero) * step for v in row] for row in x.tolist()]
    )


def test_dynamic_quantize_lstm_rounds_input_and_hidden_states() -> None:
    arrays = given("lstm_sequence", 1, 0, "B", "H0", "C0")
    x = _rounded(arrays["X"].reshape(-1, SIZE)).reshape(STEPS, BATCH, SIZE)
    cells = Cells("lstm_sequence", arrays, 0, {})
    hidden, memory = arrays["H0"][0].astype(float), arrays["C0"][0].astype(float)
    for step in range(STEPS):
        rounded = _rounded(hidden)
        states = [cells.step(x[step, row], [rounded[row], memory[row]]) for row in range(BATCH)]
        hidden, memory = (np.array([state[n] for state in states]) for n in range(2))

    out, h, c = checked("dynamic_quantize_lstm", arrays, {}, {"Out": 1, "H": 1, "C": 1})

    near([out[-1], h, c], [state.astype(np.float32)[None] for state in (hidden, hidden, memory)], 1e-5)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("clip", [0.0, 0.75])
def test_all_functions_agree_with_their_definition(name: str, clip: float) -> None:
    attrs = {"activations": [name], "activation_alpha": [2.0], "activation_beta": [0.25], "clip": clip}

    check("rnn_sequence", given("rnn_sequence", 1, 0, "B", "H0"), attrs)


def test_each_direction_has_its_functions() -> None:
    attrs = {"activations": ["Sigmoid", "Relu", "Softsign", "Tanh"], "direction": "bidirectional"}

    check("gru_sequence", given("gru_sequence", 2, 0, "B"), attrs)


def test_an_unknown_function_is_refused() -> None:
    with pytest.raises(ExecutionError, match=r"expected functions out of relu, tanh, .*, got 'Sinus'"):
        checked("rnn_sequence", given("rnn_sequence", 1, 0), {"activations": ["Sinus"]})


def test_half_precision_is_computed_in_float32() -> None:
    arrays = given("rnn_sequence", 1, 0, "B")
    half = {slot: array.astype(np.float16) for slot, array in arrays.items()}

    (found,) = checked("rnn_sequence", half)

    near([found], [expected("rnn_sequence", half, {})[0].astype(np.float16)], 1e-3)
