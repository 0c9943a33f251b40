"""Activations: the modules of torch.nn and the functions of torch.nn.functional."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value

_ROWS: dict[str, tuple[str, dict[str, AttrValue]]] = {
    "nn.Hardsigmoid F.hardsigmoid": ("hard_sigmoid", {"slope": 1 / 6, "offset": 0.5}),
    "nn.Hardswish F.hardswish": ("hard_swish", {}),
    "nn.LogSigmoid F.logsigmoid": ("logsigmoid", {}),
    "nn.Mish F.mish": ("mish", {}),
    "nn.ReLU F.relu": ("relu", {}),
    "nn.ReLU6 F.relu6": ("relu6", {}),
    "nn.SiLU F.silu": ("swish", {}),
    "nn.Sigmoid F.sigmoid": ("sigmoid", {}),
    "nn.Softsign F.softsign": ("softsign", {}),
    "nn.Tanh F.tanh": ("tanh", {}),
}
_ACTIVATIONS = {name: row for names, row in _ROWS.items() for name in names.split()}
"""PNNX operator → op and its attributes."""

_OF_INTEGERS = ("relu", "relu6")
"""Ops whose result has the type of the input also where that is of integers."""

_ALPHA = {
    "nn.ELU": ("elu", "alpha", 1.0),
    "F.elu": ("elu", "alpha", 1.0),
    "nn.LeakyReLU": ("leaky_relu", "negative_slope", 0.01),
    "F.leaky_relu": ("leaky_relu", "negative_slope", 0.01),
}
"""PNNX operator → op, torch's name of the attribute `alpha`, and its default."""

_SELU_SCALE, _SELU_ALPHA = 1.0507009873554805, 1.6732632423543772


@pnnx_op(*_ACTIVATIONS)
def activation(call: Call) -> Value:
    """The op of the table."""
    op, attrs = _ACTIVATIONS[call.type]
    x = call.x if op in _OF_INTEGERS else arithmetic.real(call.writer, call.x)
    return call.writer.unary(op, x, attrs)


@pnnx_op(*_ALPHA)
def with_alpha(call: Call) -> Value:
    """The op of the table, with its alpha."""
    op, name, default = _ALPHA[call.type]
    return call.writer.unary(op, call.x, {"alpha": call.real(name, default)})


@pnnx_op("nn.GELU", "F.gelu")
def gelu(call: Call) -> Value:
    """`gelu`, exact or by the approximation with tanh."""
    approximate = call.choice("approximate", "none", "none", "tanh") == "tanh"
    return call.writer.unary("gelu", call.x, {"approximate": approximate})


@pnnx_op("nn.Softplus", "F.softplus")
def softplus(call: Call) -> Value:
    """`softplus`, which is linear above its threshold."""
    attrs: dict[str, AttrValue] = {
        "beta": call.real("beta", 1.0),
        "threshold": call.real("threshold", 20.0),
    }
    return call.writer.unary("softplus", call.x, attrs)


@pnnx_op("nn.SELU", "F.selu")
def selu(call: Call) -> Value:
    """A scaled `elu`."""
    x = call.writer.unary("elu", call.x, {"alpha": _SELU_ALPHA})
    return call.writer.unary("scale", x, {"scale": _SELU_SCALE})


@pnnx_op("nn.CELU", "F.celu")
def celu(call: Call) -> Value:
    """alpha · elu(x / alpha)."""
    alpha = call.real("alpha", 1.0)
    if alpha == 0:
        raise call.error("parameter alpha: expected a number that is not 0, got 0")
    x = call.writer.unary("elu", call.writer.unary("scale", call.x, {"scale": 1 / alpha}))
    return call.writer.unary("scale", x, {"scale": alpha})


@pnnx_op("nn.PReLU", "F.prelu")
def prelu(call: Call) -> Value:
    """`prelu` with one slope or one per channel."""
    weight = call.weight("weight") if len(call.inputs) == 1 else call.tensor(1)
    mode = "all" if call.writer.shape(weight) in ((1,), ()) else "channel"
    return call.writer.emit_one("prelu", {"X": call.x, "Alpha": weight}, {"mode": mode})


@pnnx_op("nn.Hardtanh", "F.hardtanh")
def hardtanh(call: Call) -> Value:
    """`clip`."""
    bounds: dict[str, AttrValue] = {"min": call.real("min_val", -1.0), "max": call.real("max_val", 1.0)}
    return call.writer.unary("clip", call.x, bounds)


@pnnx_op("F.glu", "nn.GLU")
def glu(call: Call) -> Value:
    """The first half times the sigmoid of the second."""
    writer = call.writer
    attrs: dict[str, AttrValue] = {"axis": call.axis("dim", call.x, -1), "num": 2}
    first, second = writer.emit("split", {"X": call.x}, attrs, {"Out": 2})
    return writer.binary("elementwise_mul", first, writer.unary("sigmoid", second))


@pnnx_op("nn.RReLU", "F.rrelu")
def rrelu(call: Call) -> Value:
    """At inference, `leaky_relu` with the mean of the two slopes."""
    slope = (call.real("lower", 0.125) + call.real("upper", 1 / 3)) / 2
    return call.writer.unary("leaky_relu", call.x, {"alpha": slope})


@pnnx_op("nn.Hardshrink", "F.hardshrink")
def hard_shrink(call: Call) -> Value:
    """0 from -lambd to lambd, else x."""
    writer, dtype = call.writer, call.writer.dtype(call.x)
    limit, zero = (writer.literal(number, dtype) for number in (call.real("lambd", 0.5), 0.0))
    is_small = writer.binary("less_equal", writer.unary("abs", call.x), limit)
    return writer.emit_one("where", {"Condition": is_small, "X": zero, "Y": call.x})


@pnnx_op("nn.Softshrink", "F.softshrink")
def soft_shrink(call: Call) -> Value:
    """x without its part from -lambd to lambd."""
    limit = call.real("lambd", 0.5)
    part = call.writer.unary("clip", call.x, {"min": -limit, "max": limit})
    return call.writer.binary("elementwise_sub", call.x, part)


@pnnx_op("nn.Tanhshrink", "F.tanhshrink")
def tanhshrink(call: Call) -> Value:
    """x - tanh(x)."""
    return call.writer.binary("elementwise_sub", call.x, call.writer.unary("tanh", call.x))


@pnnx_op("nn.Threshold", "F.threshold")
def threshold(call: Call) -> Value:
    """x above the threshold, else a value."""
    writer = call.writer
    limit, other = (writer.literal(call.real(name), writer.dtype(call.x)) for name in ("threshold", "value"))
    above = writer.binary("greater_than", call.x, limit)
    return writer.emit_one("where", {"Condition": above, "X": call.x, "Y": other})
