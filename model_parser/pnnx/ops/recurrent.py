"""nn.LSTM, nn.GRU and nn.RNN of PyTorch → `rnn`."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Results, Value, Var
from lite.model_parser.pnnx.writer import Names


@pnnx_op("nn.LSTM", "nn.GRU", "nn.RNN")
def recurrent(call: Call) -> Results:
    """`rnn`, whose time axis is first: [T, B, I], or [B, T, I] with batch_first → outputs, last states.

    The initial states are operands, or zeros if there are none.  Raises `ModelParseError` for proj_size, for
    an input of another rank than 3, and for a num_layers that is not from 1 to 1000.
    """
    writer = call.writer
    if call.integer("proj_size", 0):
        raise call.error("parameter proj_size is not supported, expected 0")
    mode = _mode(call)
    batch_first = call.flag("batch_first", False)
    hidden, layers = call.integer("hidden_size"), call.integer("num_layers", 1)
    is_bidirectional = call.flag("bidirectional", False)
    if not 1 <= layers <= 1000:
        raise call.error(f"parameter num_layers: expected 1 to 1000, got {layers}")
    if writer.rank(call.x) != 3:
        raise call.error(f"input 0: expected rank 3, got rank {writer.rank(call.x)}")
    x = writer.transpose(call.x, [1, 0, 2]) if batch_first else call.x
    count = 2 if mode == "LSTM" else 1
    cells = layers * (2 if is_bidirectional else 1)
    states = _initial_states(call, count, [cells, writer.size(x, 1), hidden])
    attrs: dict[str, AttrValue] = {
        "mode": mode,
        "hidden_size": hidden,
        "num_layers": layers,
        "is_bidirec": is_bidirectional,
        "input_size": call.integer("input_size"),
        "is_test": True,
    }
    inputs: dict[str, Names] = {
        "Input": x,
        "PreState": states,
        "WeightList": _weights(call, layers, is_bidirectional),
    }
    out, *last = writer.emit("rnn", inputs, attrs, {"Out": 1, "State": count})
    return Results([writer.transpose(out, [1, 0, 2]) if batch_first else out, *last])


def _mode(call: Call) -> str:
    if call.type != "nn.RNN":
        return call.type.removeprefix("nn.")
    return f"RNN_{call.choice('nonlinearity', 'tanh', 'tanh', 'relu').upper()}"


def _initial_states(call: Call, count: int, sizes: list[Value]) -> list[Var]:
    """The operands after the input, or else `count` times zeros of these sizes."""
    if len(call.inputs) == 1 + count:
        return [call.tensor(1 + n) for n in range(count)]
    if len(call.inputs) != 1:
        raise call.error(f"expected 1 or {1 + count} inputs, got {len(call.inputs)}")
    attrs, inputs = call.writer.integers("shape", "ShapeTensorList", sizes)
    attrs |= {"dtype": call.writer.dtype(call.x).code, "value": 0.0}
    return [call.writer.emit_one("fill_constant", inputs, attrs)] * count


def _weights(call: Call, layers: int, is_bidirectional: bool) -> list[Var]:
    """The input and hidden weights of each layer and direction, then their biases."""
    kinds = ["weight", "bias"] if call.flag("bias", True) else ["weight"]
    return [
        call.weight(f"{kind}_{part}_l{layer}{direction}")
        for kind in kinds
        for layer in range(layers)
        for direction in (["", "_reverse"] if is_bidirectional else [""])
        for part in ("ih", "hh")
    ]
