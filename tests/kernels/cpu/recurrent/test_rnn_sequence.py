"""Compiled lstm_sequence, gru_sequence and rnn_sequence against loops over single gates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.ir.types import Array, Layout
from lite.ops import Meta, get_schema, infer
from lite.plugin.kernel import PrepareContext
from tests.kernels.cpu.prepared import compiled_kernel
from tests.kernels.host.recurrent import test_onnx_rnn as reference

LSTM, GRU, RNN = "lstm_sequence", "gru_sequence", "rnn_sequence"
WEIGHTS = ("W", "R", "B")


def prepared(
    op: str, arrays: dict[str, Array], attrs: dict[str, Any], outputs: tuple[str, ...], known: tuple[str, ...]
) -> Any:
    """The kernel for these shapes and weights, or None."""
    schema, kernel = get_schema(op), compiled_kernel(op, Layout.ANY)
    values = schema.attr_values(attrs)
    metas = {slot: [Meta.of(array, known=slot in known)] for slot, array in arrays.items()}
    inferred = infer(schema, metas, values, dict.fromkeys(outputs, 1))
    made: dict[str, Array] = {}
    found = {slot: inferred[slot] for slot in outputs}
    context = PrepareContext(metas, found, values, lambda name, make: made.setdefault(name, make()))
    assert kernel.prepare is not None
    return kernel.prepare(context)


def check(op: str, attrs: dict[str, Any], *slots: str) -> None:
    directions = 2 if attrs.get("direction") == "bidirectional" else 1
    arrays = reference.given(op, directions, 0, *slots)
    before = {slot: array.copy() for slot, array in arrays.items()}
    run = prepared(op, arrays, attrs, reference.OUTPUTS[op], WEIGHTS)
    wanted = reference.expected(op, arrays, attrs)
    arguments = [arrays.get(slot) for slot in compiled_kernel(op, Layout.ANY).slots]
    for _ in range(2):
        for array, want in zip(run(*arguments), wanted, strict=True):
            np.testing.assert_allclose(array, want, atol=1e-5)
    buffers = tuple(np.full_like(array, np.nan) for array in wanted)
    assert all(map(np.shares_memory, run(*arguments, out=buffers), buffers))
    for array, want in zip(buffers, wanted, strict=True):
        np.testing.assert_allclose(array, want, atol=1e-5)
    for slot, array in arrays.items():
        np.testing.assert_array_equal(array, before[slot])


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("slots", [(), ("B",), ("B", "H0")])
@pytest.mark.parametrize("op", [LSTM, GRU, RNN])
def test_directions_biases_and_first_states(op: str, slots: tuple[str, ...], direction: str) -> None:
    more = ("C0",) if op == LSTM and "H0" in slots else ()
    check(op, {"direction": direction}, *slots, *more)


@pytest.mark.parametrize("direction", ["forward", "bidirectional"])
def test_a_gru_that_resets_behind_the_product(direction: str) -> None:
    check(GRU, {"direction": direction, "linear_before_reset": True}, "B", "H0")


def test_the_usual_activations_by_name() -> None:
    check(LSTM, {"activations": ["Sigmoid", "Tanh", "Tanh"]}, "B")
    check(RNN, {"direction": "bidirectional", "activations": ["Relu", "Relu"]}, "B")


def test_wide_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several panels of weights, tiles of many rows, and what is left over of both."""
    for name, size in (("STEPS", 3), ("BATCH", 17), ("SIZE", 21), ("HIDDEN", 70)):
        monkeypatch.setattr(reference, name, size)
    for op in (LSTM, GRU):
        arrays = reference.given(op, 1, 0, "B", "H0")
        run = prepared(op, arrays, {}, reference.OUTPUTS[op], WEIGHTS)
        arguments = [arrays.get(slot) for slot in compiled_kernel(op, Layout.ANY).slots]
        for array, want in zip(run(*arguments), reference.expected(op, arrays, {}), strict=True):
            np.testing.assert_allclose(array, want, atol=2e-4)


def test_only_the_last_state_is_wanted() -> None:
    arrays = reference.given(LSTM, 1, 0, "B")
    run = prepared(LSTM, arrays, {}, ("H",), WEIGHTS)
    wanted = reference.expected(LSTM, arrays, {})
    buffer = np.empty_like(wanted[1])
    arguments = [arrays.get(slot) for slot in compiled_kernel(LSTM, Layout.ANY).slots]
    run(*arguments, out=(None, buffer, None))
    np.testing.assert_allclose(buffer, wanted[1], atol=1e-5)


@pytest.mark.parametrize(
    ("op", "attrs", "slots"),
    [
        (LSTM, {}, ("B", "P")),
        (LSTM, {}, ("SequenceLength",)),
        (LSTM, {"clip": 0.5}, ()),
        (LSTM, {"input_forget": True}, ()),
        (GRU, {"activations": ["Relu", "Tanh"]}, ()),
        (RNN, {"layout": 1}, ()),
    ],
)
def test_what_compiled_cells_lack_is_left_to_the_host(
    op: str, attrs: dict[str, Any], slots: tuple[str, ...]
) -> None:
    arrays = reference.given(op, 1, attrs.get("layout", 0), *slots)
    assert prepared(op, arrays, attrs, reference.OUTPUTS[op], WEIGHTS) is None
    kernel, values = compiled_kernel(op, Layout.ANY), get_schema(op).attr_values(attrs)
    wanted = reference.expected(op, arrays, attrs)
    arguments = [arrays.get(slot) for slot in kernel.slots]
    keywords = {name: values[name] for name in kernel.attrs}
    buffers = tuple(np.full_like(array, np.nan) for array in wanted)
    kernel.run(*arguments, **keywords, out=buffers)
    for found in (kernel.run(*arguments, **keywords), buffers):
        for array, want in zip(found, wanted, strict=True):
            np.testing.assert_allclose(array, want, atol=1e-5)


def test_weights_that_are_computed_are_left_to_the_host() -> None:
    arrays = reference.given(LSTM, 1, 0, "B")
    for known in (("W", "R"), ("W", "B"), ("R", "B")):
        assert prepared(LSTM, arrays, {}, ("H",), known) is None
