"""LSTMs with a projection of the hidden state (``proj_size``), as plain LSTMs with products before and after.

The hidden state h = P·s is a projection of the state s = o·tanh(c) of a plain LSTM.  Its recurrent weight R
reads h, so a plain LSTM with the recurrent weight R·P has the state s.  P has full rank, so that the initial
s = P⁺·h gives back h.
"""

from __future__ import annotations

import numpy as np

from lite.dataclass import dataclass
from lite.ir.program import AttrValue
from lite.ir.types import Array
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.value import Var
from lite.model_parser.pnnx.writer import Names, Writer


@dataclass(frozen=True)
class Layers:
    """The number of layers, whether each has two directions, and the size of a plain state."""

    count: int
    is_bidirectional: bool
    hidden: int

    @property
    def directions(self) -> list[str]:
        """The ends of the names of weights."""
        return ["", "_reverse"] if self.is_bidirectional else [""]


def projected(call: Call, x: Var, states: list[Var], layers: Layers) -> list[Var]:
    """The outputs ``[T, B, directions·P]`` and the last h and c, of `x` ``[T, B, I]`` and the first ones."""
    writer = call.writer
    hidden: list[Var] = []
    cells: list[Var] = []
    width = len(layers.directions)
    for layer in range(layers.count):
        ends = [f"l{layer}{direction}" for direction in layers.directions]
        projections = [call.array(f"weight_hr_{end}", 2) for end in ends]
        span = {"axes": [0], "starts": [layer * width], "ends": [(layer + 1) * width]}
        first, cell = (writer.emit_one("slice", {"Input": state}, {**span}) for state in states)
        inverses = [np.linalg.pinv(projection.astype(np.float64)) for projection in projections]
        inputs: dict[str, Names] = {
            "Input": x,
            "PreState": [_by_direction(writer, first, inverses), cell],
            "WeightList": _weights(call, ends, projections),
        }
        attrs: dict[str, AttrValue] = {
            "mode": "LSTM",
            "hidden_size": layers.hidden,
            "num_layers": 1,
            "is_bidirec": layers.is_bidirectional,
            "is_test": True,
        }
        plain, last, last_cell = writer.emit("rnn", inputs, attrs, {"Out": 1, "State": 2})
        parts = [plain]
        if layers.is_bidirectional:
            parts = writer.emit("split", {"X": plain}, {"axis": 2, "num": 2}, {"Out": 2})
        outs = [
            writer.binary("matmul_v2", part, writer.constant(np.ascontiguousarray(projection.T)))
            for part, projection in zip(parts, projections, strict=True)
        ]
        x = outs[0] if len(outs) == 1 else writer.emit_one("concat", {"X": outs}, {"axis": 2})
        hidden.append(_by_direction(writer, last, projections))
        cells.append(last_cell)
    return [x, *(_joined(writer, parts) for parts in (hidden, cells))]


def _weights(call: Call, ends: list[str], projections: list[Array]) -> list[Var]:
    writer = call.writer
    weights = []
    for end, projection in zip(ends, projections, strict=True):
        recurrent = call.array(f"weight_hh_{end}", 2)
        product = recurrent.astype(np.float64) @ projection.astype(np.float64)
        weights += [call.weight(f"weight_ih_{end}"), writer.constant(product.astype(recurrent.dtype))]
    if call.flag("bias", True):
        weights += [call.weight(f"bias_{part}_{end}") for end in ends for part in ("ih", "hh")]
    return weights


def _by_direction(writer: Writer, states: Var, matrices: list[Array]) -> Var:
    """The states ``[directions, B, n]`` times the transposed matrix of each direction."""
    stack = np.stack([matrix.T for matrix in matrices]).astype(writer.dtype(states).numpy)
    return writer.binary("matmul_v2", states, writer.constant(stack))


def _joined(writer: Writer, parts: list[Var]) -> Var:
    return parts[0] if len(parts) == 1 else writer.emit_one("concat", {"X": parts}, {"axis": 0})
