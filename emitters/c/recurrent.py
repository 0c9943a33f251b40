"""Recurrent networks: LSTM, GRU and simple ones, layer by layer."""

from __future__ import annotations

import numpy as np

from lite.emitters.c.expression import INCLUDE
from lite.ir.types import DType
from lite.plugin.emitter import Emission, EmitOp, emitter

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


@emitter("c", "rnn")
def rnn(op: EmitOp, out: Emission) -> str | None:
    """Paddle rnn of ``[time, batch, input]``; outputs after the end of a sequence are zero."""
    mode = op.text("mode")
    x, y = op["Input"], op.out("Out")
    lengths = op.get("SequenceLength")
    if lengths is not None and lengths.dtype not in (DType.INT32, DType.INT64):
        return f"lengths must be integers, got {lengths}"
    if mode not in _GATES or x.dtype is not DType.FLOAT32:
        return f"mode {mode} of {x} is not supported"
    weights = [value.data for value in op.all("WeightList")]
    arrays = [np.asarray(each) for each in weights if each is not None]
    if len(arrays) != len(weights):
        return "weights must be constant"
    layers, directions = op.integer("num_layers"), 2 if op.flag("is_bidirec") else 1
    hidden, gates = op.integer("hidden_size"), _GATES[mode]
    time, batch, _ = x.shape
    states, finals = op.all("PreState"), op.outs("State")
    count = layers * directions
    out.use(INCLUDE / "recurrent.h")
    out.read(x, "x")
    out.write(y, "y")
    if lengths is not None:
        out.read(lengths, "lengths")
        out.scratch(batch, "steps", DType.INT32)
        limited = f"lengths[b] > {time} ? {time} : (int32_t)lengths[b]"
        out.code(f"for (int b = 0; b < {batch}; b++) steps[b] = {limited};")
    for n, state in enumerate(states):
        out.read(state, f"state{n}")
    for n, final in enumerate(finals):
        out.write(final, f"final{n}")
    for name in "ab"[: layers - 1]:
        out.scratch(time * batch * hidden * directions, name)
    out.scratch(batch * hidden * 2, "now")
    out.scratch(gates * hidden * 2, "gate")
    source, size = "x", x.shape[2]
    for layer in range(layers):
        target = "y" if layer == layers - 1 else "ab"[layer % 2]
        for direction in range(directions):
            n = layer * directions + direction
            w, u = arrays[2 * n], arrays[2 * n + 1]
            b = [
                arrays[2 * count + 2 * n + k] if len(arrays) > 2 * count else np.zeros(gates * hidden)
                for k in (0, 1)
            ]
            out.weights(np.ascontiguousarray(w.T.astype(np.float32)), f"w{n}")
            out.weights(np.ascontiguousarray(u.T.astype(np.float32)), f"u{n}")
            out.weights(np.concatenate(b).astype(np.float32), f"bias{n}")
            at = n * batch * hidden
            cell = f"state1 + {at}" if mode == "LSTM" else "0"
            last = [f"final{k} + {at}" for k in range(len(finals))]
            out.code(
                f"lb_recurrent(LB_{mode}, {time}, {batch}, {size}, {hidden}, {direction}, "
                f"{hidden * directions}, {'0' if lengths is None else 'steps'}, {source}, "
                f"w{n}, u{n}, bias{n}, state0 + {at}, {cell}, {target} + {direction * hidden}, "
                f"{last[0] if last else '0'}, {last[1] if len(last) > 1 else '0'}, now, gate);"
            )
        source, size = target, hidden * directions
    return None
