"""Compiled rnn against loops written from the cells' definitions."""

from __future__ import annotations

import numpy as np
import pytest

from lite.ir.program import AttrValue
from lite.ir.types import Array
from tests.kernels.cpu.bound import bind
from tests.kernels.host.recurrent.test_rnn import GATES, expected


def random_inputs(
    mode: str, sizes: tuple[int, int, int, int], cells: tuple[int, int], biases: bool
) -> dict[str, list[Array]]:
    t, b, i, h = sizes
    layers, directions = cells
    rng = np.random.default_rng(h)

    def draw(*shape: int) -> Array:
        array = rng.standard_normal(shape).astype(np.float32) / 2
        array.flags.writeable = False
        return array

    weights = []
    for n in range(layers * directions):
        weights += [draw(GATES[mode] * h, i if n < directions else h * directions), draw(GATES[mode] * h, h)]
    weights += [draw(GATES[mode] * h) for _ in range(2 * layers * directions * biases)]
    states = [draw(layers * directions, b, h) for _ in range(2 if mode == "LSTM" else 1)]
    return {"Input": [draw(t, b, i)], "PreState": states, "WeightList": weights}


@pytest.mark.parametrize(
    ("mode", "sizes", "cells", "biases"),
    [
        ("LSTM", (5, 3, 4, 6), (1, 1), True),
        ("LSTM", (3, 2, 19, 40), (2, 2), True),
        ("LSTM", (1, 1, 1, 1), (1, 2), False),
        ("GRU", (4, 3, 5, 33), (2, 1), True),
        ("GRU", (4, 2, 2, 3), (1, 2), False),
        ("RNN_TANH", (4, 2, 3, 5), (2, 2), True),
        ("RNN_RELU", (4, 2, 3, 5), (3, 1), True),
    ],
)
def test_rnn_follows_the_definition(
    mode: str, sizes: tuple[int, int, int, int], cells: tuple[int, int], biases: bool
) -> None:
    inputs = random_inputs(mode, sizes, cells, biases)
    (x,), states, weights = inputs.values()
    layers, directions = cells
    attrs: dict[str, AttrValue] = {
        "mode": mode, "hidden_size": sizes[3], "num_layers": layers, "is_bidirec": directions == 2
    }  # fmt: skip
    bound = bind("rnn", inputs, attrs, ["WeightList"], outputs={"Out": 1, "State": len(states)})
    assert bound.is_compiled
    expected_out, expected_states = expected(
        mode, x, states, weights, layers, directions, [sizes[0]] * sizes[1]
    )
    buffers = (
        np.full(expected_out.shape, np.nan, np.float32),
        [np.full_like(state, np.nan) for state in states],
    )
    for out in (None, (*buffers, None, None)):
        result, last_states, *_ = bound(out=out)
        np.testing.assert_allclose(result, expected_out, atol=1e-5)
        for state, other in zip(last_states, expected_states, strict=True):
            np.testing.assert_allclose(state, other, atol=1e-5)
    np.testing.assert_allclose(buffers[0], expected_out, atol=1e-5)


@pytest.mark.parametrize("mode", GATES)
@pytest.mark.parametrize("directions", [1, 2])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_rows_end_at_their_lengths(mode: str, directions: int, dtype: type) -> None:
    inputs = random_inputs(mode, (5, 4, 3, 6), (2, directions), True)
    (x,), states, weights = inputs.values()
    lengths = [5, 1, 0, 3]
    attrs: dict[str, AttrValue] = {
        "mode": mode, "hidden_size": 6, "num_layers": 2, "is_bidirec": directions == 2
    }  # fmt: skip
    bound = bind(
        "rnn", {**inputs, "SequenceLength": [np.array(lengths, dtype)]}, attrs, ["WeightList"],
        outputs={"Out": 1, "State": len(states)},
    )  # fmt: skip
    assert bound.is_compiled
    expected_out, expected_states = expected(mode, x, states, weights, 2, directions, lengths)
    out, last_states, *_ = bound()
    np.testing.assert_allclose(out, expected_out, atol=1e-5)
    for state, other in zip(last_states, expected_states, strict=True):
        np.testing.assert_allclose(state, other, atol=1e-5)
