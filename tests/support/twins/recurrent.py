"""LSTM and GRU layers in Paddle's and ONNX's order of gates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.types import Array
from tests.support.twins.layers import reshape, transpose
from tests.support.twins.network import TwinNetwork

GATES = {"LSTM": (0, 3, 1, 2), "GRU": (1, 0, 2)}
"""Paddle's gates in ONNX's order: i f c o becomes i o f c, and r z c becomes z r h."""


def recurrent(
    net: TwinNetwork, x: str, kind: str, read: int, hidden: int, batch: int, *, both_ways: bool = False
) -> str:
    """A layer on float32[T, N, read] with zero initial states: float32[T, N, directions · hidden]."""
    directions, gates = 1 + both_ways, len(GATES[kind])
    arrays = [
        [
            net.random(gates * hidden, read),
            net.random(gates * hidden, hidden),
            net.random(gates * hidden) * np.float32(0.3),
            net.random(gates * hidden) * np.float32(0.3),
        ]
        for _ in range(directions)
    ]
    # Paddle lists the matrices of all directions first, then their biases.
    matrices = [array for each in arrays for array in each[:2]]
    biases = [array for each in arrays for array in each[2:]]
    states = 2 if kind == "LSTM" else 1
    zeros = [net.weight(np.zeros((directions, batch, hidden), np.float32)) for _ in range(states)]
    out = net.name()
    net.op(
        "rnn",
        {"Input": x, "PreState": zeros, "WeightList": [net.weight(a) for a in (*matrices, *biases)]},
        {"Out": out, "State": [net.name("s") for _ in range(states)]},
        mode=kind, hidden_size=hidden, input_size=read, num_layers=1, is_bidirec=both_ways, is_test=True,
    )  # fmt: skip
    w, r = (net.onnx_constant(_in_order(kind, [each[n] for each in arrays])) for n in (0, 1))
    bias = np.concatenate([_in_order(kind, [each[n] for each in arrays]) for n in (2, 3)], axis=1)
    direction = "bidirectional" if both_ways else "forward"
    attrs = {"linear_before_reset": 1} if kind == "GRU" else {}
    raw, moved = net.name("n"), net.name("n")
    inputs = [x, w, r, net.onnx_constant(bias)]
    net.node(kind, inputs, raw, hidden_size=hidden, direction=direction, **attrs)
    # ONNX gives [T, directions, N, hidden].
    net.node("Transpose", [raw], moved, perm=[0, 2, 1, 3])
    net.node("Reshape", [moved, net.integers(0, 0, directions * hidden)], out)
    return out


def rows_of_image(net: TwinNetwork, x: str, channels: int) -> str:
    """float32[N, C, 1, W] as a sequence float32[W, N, C]."""
    return transpose(net, reshape(net, x, 0, channels, -1), 2, 0, 1)


def _in_order(kind: str, arrays: Sequence[Array]) -> Array:
    """Arrays of each direction, with the gates in ONNX's order."""
    gates = [np.split(array, len(GATES[kind])) for array in arrays]
    return np.stack([np.concatenate([parts[n] for n in GATES[kind]]) for parts in gates])
