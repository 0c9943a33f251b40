"""nn.LSTM, nn.GRU and nn.RNN of PyTorch, and the functions that they call → `rnn`."""

from __future__ import annotations

from lite.dataclass import dataclass
from lite.ir.program import AttrValue
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.recurrent_projection import Layers, projected
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Results, Value, Var
from lite.model_parser.pnnx.writer import Names, Writer


@pnnx_op("nn.LSTM", "nn.GRU", "nn.RNN")
def recurrent(call: Call) -> Results:
    """`rnn`, whose time axis is first: [T, B, I], or [B, T, I] with batch_first → outputs, last states.

    The initial states are operands, or zeros if there are none.  An input [T, I] has no batch.  Raises
    `ModelParseError` for an input of another rank, and for a num_layers that is not from 1 to 1000.
    """
    writer = call.writer
    form = _Form(
        _mode(call),
        call.integer("num_layers", 1),
        call.flag("bidirectional", False),
        call.flag("batch_first", False),
        call.integer("proj_size", 0),
    )
    if not 1 <= form.layers <= 1000:
        raise call.error(f"parameter num_layers: expected 1 to 1000, got {form.layers}")
    if writer.rank(call.x) not in (2, 3):
        raise call.error(f"input 0: expected rank 3, or 2 without a batch, got rank {writer.rank(call.x)}")
    is_single = writer.rank(call.x) == 2
    given = [call.tensor(1 + n) for n in range(len(call.inputs) - 1)]
    if len(given) not in (0, form.states):
        raise call.error(f"expected 1 or {1 + form.states} inputs, got {len(call.inputs)}")
    x, states = call.x, given
    if is_single:
        x, *states = (
            writer.unary("unsqueeze2", part, {"axes": [0 if n == 0 and form.batch_first else 1]})
            for n, part in enumerate((x, *given))
        )
    x = writer.transpose(x, [1, 0, 2]) if form.batch_first else x
    cells = form.layers * (2 if form.is_bidirectional else 1)
    hidden = call.integer("hidden_size")
    if not states:
        states = _zeros(call, x, [[cells, form.projection or hidden], [cells, hidden]][: form.states])
    if form.projection:
        layers = Layers(form.layers, form.is_bidirectional, hidden)
        results = projected(call, x, states, layers)
    else:
        results = _run(writer, form, x, states, _weights(call, form), hidden)
    if form.batch_first:
        results[0] = writer.transpose(results[0], [1, 0, 2])
    if is_single:
        axes = [0 if form.batch_first else 1, *[1] * form.states]
        results = [
            writer.unary("squeeze2", part, {"axes": [axis]}) for part, axis in zip(results, axes, strict=True)
        ]
    return Results(_in_order_of_file(call, results))


def _in_order_of_file(call: Call, results: list[Var]) -> list[Var]:
    """The results, with the outputs last where the file says so or, as without a batch, declares so."""
    if call.flag("pnnx_rnn_output_swapped", False):
        return [*results[1:], results[0]]
    names, types = call.operator.outputs, call.operator.types
    if len(names) != len(results) or not {names[0], names[-1]} <= {*types}:
        return results
    first, last = types[names[0]].shape, types[names[-1]].shape
    out = call.writer.shape(results[0])
    return [*results[1:], results[0]] if out == last != first else results


@dataclass(frozen=True)
class _Form:
    """The kind and the layers of a recurrent net; `projection` is 0 without one."""

    mode: str
    layers: int
    is_bidirectional: bool
    batch_first: bool
    projection: int = 0

    @property
    def states(self) -> int:
        """The number of states of a cell."""
        return 2 if self.mode == "LSTM" else 1


_FUNCTIONS = {
    "aten::lstm": "LSTM",
    "aten::gru": "GRU",
    "aten::rnn_tanh": "RNN_TANH",
    "aten::rnn_relu": "RNN_RELU",
}


@pnnx_op(*_FUNCTIONS)
def recurrent_function(call: Call) -> Results:
    """`rnn` of the input, the initial states, and the parameters of each layer and direction in a list."""
    writer, mode = call.writer, _FUNCTIONS[call.type]
    names = ("input", "hx", "params", "bias", "layers", "dropout", "train", "bidirectional", "batch_first")
    named = call.as_type(call.type, names, {})
    form = _Form(
        mode, named.integer("layers"), named.flag("bidirectional", False), named.flag("batch_first", False)
    )
    has_bias = named.flag("bias", True)
    states = [item for item in named.items("hx") if isinstance(item, Var)]
    params = [item for item in named.items("params") if isinstance(item, Var)]
    cells = form.layers * (2 if form.is_bidirectional else 1)
    per_cell = 4 if has_bias else 2
    if len(params) != cells * per_cell or len(states) != form.states or writer.rank(call.x) != 3:
        raise call.error(
            f"expected {cells * per_cell} parameters, {form.states} states and rank 3, got {len(params)}, "
            f"{len(states)} and rank {writer.rank(call.x)}; projections are not supported"
        )
    weights = [params[cell * per_cell + n] for cell in range(cells) for n in (0, 1)]
    biases = [params[cell * per_cell + n] for cell in range(cells) for n in (2, 3) if has_bias]
    hidden = writer.shape(weights[1])[1]
    if not isinstance(hidden, int):
        raise call.error("expected weights of fixed size")
    x = writer.transpose(call.x, [1, 0, 2]) if form.batch_first else call.x
    results = _run(writer, form, x, states, [*weights, *biases], hidden)
    if form.batch_first:
        results[0] = writer.transpose(results[0], [1, 0, 2])
    return Results(results)


def _run(
    writer: Writer, form: _Form, x: Var, states: list[Var], weights: list[Var], hidden: int
) -> list[Var]:
    attrs: dict[str, AttrValue] = {
        "mode": form.mode,
        "hidden_size": hidden,
        "num_layers": form.layers,
        "is_bidirec": form.is_bidirectional,
        "is_test": True,
    }
    width = writer.shape(x)[2]
    if isinstance(width, int):
        attrs["input_size"] = width
    inputs: dict[str, Names] = {"Input": x, "PreState": states, "WeightList": weights}
    return writer.emit("rnn", inputs, attrs, {"Out": 1, "State": form.states})


def _mode(call: Call) -> str:
    if call.type != "nn.RNN":
        return call.type.removeprefix("nn.")
    return f"RNN_{call.choice('nonlinearity', 'tanh', 'tanh', 'relu').upper()}"


def _zeros(call: Call, x: Var, shapes: list[list[int]]) -> list[Var]:
    """Initial states of zeros, of these numbers of cells and sizes, for the batch of `x`."""
    writer = call.writer
    states: dict[tuple[int, ...], Var] = {}
    for cells, size in shapes:
        if (cells, size) not in states:
            sizes: list[Value] = [cells, writer.size(x, 1), size]
            attrs, inputs = writer.integers("shape", "ShapeTensorList", sizes)
            attrs |= {"dtype": writer.dtype(x).code, "value": 0.0}
            states[cells, size] = writer.emit_one("fill_constant", inputs, attrs)
    return [states[cells, size] for cells, size in shapes]


def _weights(call: Call, form: _Form) -> list[Var]:
    """The input and hidden weights of each layer and direction, then their biases."""
    kinds = ["weight", "bias"] if call.flag("bias", True) else ["weight"]
    return [
        call.weight(f"{kind}_{part}_l{layer}{direction}")
        for kind in kinds
        for layer in range(form.layers)
        for direction in (["", "_reverse"] if form.is_bidirectional else [""])
        for part in ("ih", "hh")
    ]
