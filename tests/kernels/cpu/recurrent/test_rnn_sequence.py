"""Compiled lstm_sequence, gru_sequence and rnn_sequence against loops over single gates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lite
from lite.ir.types import Array, DType
from tests.kernels.cpu.bound import BoundKernel, bind
from tests.kernels.host.checked import checked
from tests.kernels.host.recurrent import test_onnx_rnn as reference
from tests.support.small_programs import make_program

LSTM, GRU, RNN = "lstm_sequence", "gru_sequence", "rnn_sequence"
WEIGHTS = ("W", "R", "B", "P")


def bound(
    op: str,
    arrays: dict[str, Array],
    attrs: dict[str, Any],
    outputs: tuple[str, ...],
    constants: tuple[str, ...] = WEIGHTS,
) -> BoundKernel:
    return bind(op, arrays, attrs, constants, outputs=dict.fromkeys(outputs, 1))


def check(op: str, attrs: dict[str, Any], *slots: str) -> None:
    directions = 2 if attrs.get("direction") == "bidirectional" else 1
    arrays = reference.given(op, directions, 0, *slots)
    before = {slot: array.copy() for slot, array in arrays.items()}
    run = bound(op, arrays, attrs, reference.OUTPUTS[op])
    assert run.is_compiled
    expected = reference.expected(op, arrays, attrs)
    for _ in range(2):
        for array, other in zip(run(), expected, strict=True):
            np.testing.assert_allclose(array, other, atol=1e-5)
    buffers = tuple(np.full_like(array, np.nan) for array in expected)
    assert all(map(np.shares_memory, run(out=buffers), buffers))
    for array, other in zip(buffers, expected, strict=True):
        np.testing.assert_allclose(array, other, atol=1e-5)
    for slot, array in arrays.items():
        np.testing.assert_array_equal(array, before[slot])


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize(
    "slots", [(), ("B",), ("B", "H0"), ("SequenceLength",), ("B", "SequenceLength", "H0")]
)
@pytest.mark.parametrize("op", [LSTM, GRU, RNN])
def test_directions_biases_and_initial_states_equal_a_loop(
    op: str, slots: tuple[str, ...], direction: str
) -> None:
    more = ("C0",) if op == LSTM and "H0" in slots else ()
    check(op, {"direction": direction}, *slots, *more)


@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
def test_a_gru_with_reset_after_the_product_equals_a_loop(direction: str) -> None:
    check(GRU, {"direction": direction, "linear_before_reset": True}, "B", "H0")


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("slots", [(), ("B", "H0", "C0"), ("SequenceLength",)])
def test_peepholes_equal_a_loop(direction: str, slots: tuple[str, ...]) -> None:
    check(LSTM, {"direction": direction}, "P", *slots)


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("slots", [(), ("B", "H0", "C0"), ("SequenceLength", "P")])
def test_factors_of_8_bits_equal_the_hosts(direction: str, slots: tuple[str, ...]) -> None:
    directions = 2 if direction == "bidirectional" else 1
    arrays = reference.given(LSTM, directions, 0, *slots)
    run = bound("dynamic_quantize_lstm", arrays, {"direction": direction}, reference.OUTPUTS[LSTM])
    assert run.is_compiled == ("SequenceLength" not in slots or direction == "forward")
    outputs = dict.fromkeys(reference.OUTPUTS[LSTM], 1)
    expected = checked("dynamic_quantize_lstm", arrays, {"direction": direction}, outputs)
    plain = checked(LSTM, arrays, {"direction": direction}, outputs)
    for array, other, real in zip(run(), expected, plain, strict=True):
        np.testing.assert_allclose(array, other, atol=1e-5)
        assert np.abs(other - real).max() > 1e-4  # or the rounding is not seen


def test_named_default_activations_equal_a_loop() -> None:
    check(LSTM, {"activations": ["Sigmoid", "Tanh", "Tanh"]}, "B")
    check(RNN, {"direction": "bidirectional", "activations": ["Relu", "Relu"]}, "B")


def test_wide_layers_equal_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several panels of weights, and tiles of many rows, neither of them full."""
    for name, size in (("STEPS", 3), ("BATCH", 17), ("SIZE", 21), ("HIDDEN", 70)):
        monkeypatch.setattr(reference, name, size)
    for op in (LSTM, GRU):
        arrays = reference.given(op, 1, 0, "B", "H0", *(("P",) if op == LSTM else ()))
        run = bound(op, arrays, {}, reference.OUTPUTS[op])
        assert run.is_compiled
        for array, other in zip(run(), reference.expected(op, arrays, {}), strict=True):
            np.testing.assert_allclose(array, other, atol=2e-4)


def test_the_last_state_alone_equals_a_loop() -> None:
    arrays = reference.given(LSTM, 1, 0, "B")
    run = bound(LSTM, arrays, {}, ("H",))
    assert run.is_compiled
    expected = reference.expected(LSTM, arrays, {})
    buffer = np.empty_like(expected[1])
    run(out=(None, buffer, None))
    np.testing.assert_allclose(buffer, expected[1], atol=1e-5)


@pytest.mark.parametrize("op", [LSTM, GRU, RNN])
def test_one_model_takes_batches_of_several_sizes(op: str) -> None:
    weights = {slot: reference.given(op, 1, 0)[slot] for slot in ("W", "R")}
    size = weights["W"].shape[2]
    nodes: list[Any] = [(op, {"X": ["x"], "W": ["W"], "R": ["R"]}, {"Out": ["y"], "H": ["h"]}, {})]

    def model(*places: str) -> lite.Predictor:
        program = make_program({"x": (DType.FLOAT32, (-1, -1, size))}, weights, nodes, ["y", "h"])
        return lite.Predictor.of_program(
            program, lite.Config("unused", compilation="wait", valid_places=places)
        )

    compiled, host = model("cpu", "host"), model("host")
    for steps, batch in ((3, 2), (3, 5), (4, 1), (3, 2), (3, 5)):
        x = np.random.default_rng(batch).standard_normal((steps, batch, size)).astype(np.float32)
        result, expected = compiled.run({"x": x}), host.run({"x": x})
        for name in ("y", "h"):
            np.testing.assert_allclose(result[name], expected[name], atol=1e-5)


@pytest.mark.parametrize(
    ("op", "attrs", "slots"),
    [
        (LSTM, {"clip": 0.5}, ()),
        (LSTM, {"input_forget": True}, ()),
        (GRU, {"activations": ["Relu", "Tanh"]}, ()),
        (RNN, {"layout": 1}, ()),
    ],
)
def test_other_options_run_on_the_host(op: str, attrs: dict[str, Any], slots: tuple[str, ...]) -> None:
    arrays = reference.given(op, 1, attrs.get("layout", 0), *slots)
    run = bound(op, arrays, attrs, reference.OUTPUTS[op])
    assert not run.is_compiled
    expected = reference.expected(op, arrays, attrs)
    buffers = tuple(np.full_like(array, np.nan) for array in expected)
    run(out=buffers)
    for results in (run(), buffers):
        for array, other in zip(results, expected, strict=True):
            np.testing.assert_allclose(array, other, atol=1e-5)


def test_computed_weights_run_on_the_host() -> None:
    arrays = reference.given(LSTM, 1, 0, "B")
    arrays |= reference.given(LSTM, 1, 0, "P")
    for constants in (("W", "R", "P"), ("W", "B", "P"), ("R", "B", "P"), ("W", "R", "B")):
        assert not bound(LSTM, arrays, {}, ("H",), constants).is_compiled
