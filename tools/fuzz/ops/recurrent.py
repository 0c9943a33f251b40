"""Recurrent networks: LSTM, GRU and RNN."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from lite.tools.fuzz.draw import Draw, Value, rows_of_table


def _recurrent(op: str, gates: int, d: Draw) -> None:
    steps, batch, size, hidden = (d.integer(1, n) for n in (5, 3, 4, 4))
    direction = d.pick(("forward", "reverse", "bidirectional"))
    ways = 2 if direction == "bidirectional" else 1
    x = d.value(
        rank=3,
        where=lambda v: 0 not in v.shape and v.array.size < 200,
        fresh=lambda: d.array((steps, batch, size)),
    )
    steps, batch, size = x.shape
    inputs: list[Value | None] = [
        x,
        d.constant(d.array((ways, gates * hidden, size)) / 2),
        d.constant(d.array((ways, gates * hidden, hidden)) / 2),
    ]
    tail: list[Value | None] = [
        d.constant(d.array((ways, 2 * gates * hidden))) if d.chance(0.6) else None,
        d.fresh(np.asarray([d.integer(1, steps) for _ in range(batch)], "int32")) if d.chance(0.25) else None,
        d.fresh(d.array((ways, batch, hidden))) if d.chance(0.4) else None,
    ]
    attrs: dict[str, Any] = {"hidden_size": hidden, "direction": direction}
    if op == "LSTM":
        tail.append(d.fresh(d.array((ways, batch, hidden))) if tail[-1] is not None else None)
        if d.chance(0.15):
            tail.append(d.constant(d.array((ways, 3 * hidden))))
    if op == "GRU" and d.chance(0.5):
        attrs["linear_before_reset"] = 1
    outputs = [d.chance(0.8), d.chance(0.6), *([d.chance(0.5)] if op == "LSTM" else [])]
    if not any(outputs):
        outputs[0] = True
    d.nodes_outputs(op, [*inputs, *tail], outputs, **attrs)


rows_of_table(
    {
        "RNN": functools.partial(_recurrent, "RNN", 1),
        "GRU": functools.partial(_recurrent, "GRU", 3),
        "LSTM": functools.partial(_recurrent, "LSTM", 4),
    },
    0.2,
)
