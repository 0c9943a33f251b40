"""Recurrent layers over whole sequences."""

from lite.ops.schema import choice, number, op
from lite.ops.view import Inferred, Meta, OpView


def _rnn(op: OpView) -> Inferred:
    """Time-major: Input [T, B, I] → Out [T, B, D * H], each State [L * D, B, H]."""
    x = op["Input"]
    steps, batch, _ = x.dims
    hidden, directions = op.integer("hidden_size"), 2 if op.flag("is_bidirec") else 1
    count = 2 if op.text("mode") == "LSTM" else 1
    if len(op.all("PreState")) != count:
        raise op.error("slot PreState", f"{count} values in mode {op.text('mode')}", len(op.all("PreState")))
    layers = op.integer("num_layers")
    if len(op.all("WeightList")) not in (2 * layers * directions, 4 * layers * directions):
        expected = f"{4 * layers * directions} values (weights, then biases) or half of them"
        raise op.error("slot WeightList", expected, len(op.all("WeightList")))
    state = Meta(x.dtype, (layers * directions, batch, hidden))
    return {"Out": Meta(x.dtype, (steps, batch, directions * hidden)), "State": [state] * count}


op(
    "rnn",
    "Input:float/3 PreState*:float/3 WeightList*:float SequenceLength?:index/1",
    "Out State* DropoutState? Reserve?",
    _rnn,
    attrs={
        "mode": choice("RNN_TANH", "RNN_RELU", "LSTM", "GRU"),
        "hidden_size": number(100, low=1),
        "num_layers": number(1, low=1),
        "is_bidirec": False,
        "input_size": 10,
        "is_test": False,
        "dropout_prob": 0.0,
        "seed": 0,
    },
)
