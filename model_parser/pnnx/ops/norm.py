"""Normalisations, and softmax."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.images import batched
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Value, Var
from lite.model_parser.pnnx.writer import Names

_BATCH = ("nn.BatchNorm1d", "nn.BatchNorm2d", "nn.BatchNorm3d", "F.batch_norm")


def _affine(call: Call) -> dict[str, Names]:
    return {"Scale": _operand(call, "weight"), "Bias": _operand(call, "bias")}


def _operand(call: Call, key: str) -> Var | None:
    """A weight, or, of a function, an operand; None where there is neither."""
    if key in call.operator.weights:
        return call.weight(key)
    return None if call.type.startswith("nn.") or not call.has(key) else call.tensor(key)


@pnnx_op(*_BATCH)
def batch_norm(call: Call) -> Value:
    """`batch_norm` with the stored statistics, else with those of the batch."""
    return _batch_norm(call)


def _batch_norm(call: Call) -> Var:
    mean, variance = _operand(call, "running_mean"), _operand(call, "running_var")
    if mean is None or variance is None:
        mean, variance = _batch_statistics(call)
    statistics: dict[str, Names] = {"Mean": mean, "Variance": variance}
    attrs: dict[str, AttrValue] = {"epsilon": call.real("eps", 1e-5)}
    return call.writer.emit_one("batch_norm", {"X": call.x, **_affine(call), **statistics}, attrs)


def _batch_statistics(call: Call) -> tuple[Var, Var]:
    """The mean and the variance of each channel over the batch, without a correction."""
    writer = call.writer
    attrs: dict[str, AttrValue] = {"dim": [axis for axis in range(writer.rank(call.x)) if axis != 1]}
    mean = writer.unary("reduce_mean", call.x, {**attrs, "keep_dim": True})
    squares = writer.unary("square", writer.binary("elementwise_sub", call.x, mean))
    return writer.reshape(mean, [-1]), writer.unary("reduce_mean", squares, attrs)


@pnnx_op("nn.InstanceNorm1d", "nn.InstanceNorm2d", "nn.InstanceNorm3d")
@batched
def instance_norm(call: Call) -> Value:
    """`instance_norm`, or `batch_norm` where the operator stores statistics."""
    return _instance_norm(call, uses_input=_operand(call, "running_mean") is None)


@pnnx_op("F.instance_norm", "torch.instance_norm")
def instance_norm_of_operands(call: Call) -> Value:
    """`instance_norm`, or `batch_norm` where ``use_input_stats`` is false."""
    return _instance_norm(call, uses_input=call.flag("use_input_stats", True))


def _instance_norm(call: Call, *, uses_input: bool) -> Value:
    if not uses_input:
        return _batch_norm(call)
    attrs: dict[str, AttrValue] = {"epsilon": call.real("eps", 1e-5)}
    return call.writer.emit_one("instance_norm", {"X": call.x, **_affine(call)}, attrs)


@pnnx_op("nn.GroupNorm", "F.group_norm")
def group_norm(call: Call) -> Value:
    """`group_norm`."""
    attrs: dict[str, AttrValue] = {
        "epsilon": call.real("eps", 1e-5),
        "groups": call.integer("num_groups"),
    }
    return call.writer.emit_one("group_norm", {"X": call.x, **_affine(call)}, attrs)


@pnnx_op("nn.LayerNorm", "F.layer_norm")
def layer_norm(call: Call) -> Value:
    """`layer_norm` over the last axes; Paddle's weights are flat."""
    writer = call.writer
    inputs: dict[str, Names] = {"X": call.x}
    for slot, key in (("Scale", "weight"), ("Bias", "bias")):
        if key in call.operator.weights:
            inputs[slot] = writer.weight(f"{call.operator.name}.{key}", call.array(key).reshape(-1))
        elif call.has(key) and call.type == "F.layer_norm":
            inputs[slot] = writer.reshape(call.tensor(key), [-1])
    count = len(call.items("normalized_shape"))
    attrs: dict[str, AttrValue] = {
        "epsilon": call.real("eps", 1e-5),
        "begin_norm_axis": writer.rank(call.x) - count,
    }
    return writer.emit_one("layer_norm", inputs, attrs)


@pnnx_op("nn.RMSNorm", "F.rms_norm")
def rms_norm(call: Call) -> Value:
    """x · rsqrt(mean of squares + eps), over the last axes, times the weight."""
    writer = call.writer
    axes = list(range(-len(call.items("normalized_shape")), 0))
    attrs: dict[str, AttrValue] = {"dim": axes, "keep_dim": True}
    mean = writer.unary("reduce_mean", writer.unary("square", call.x), attrs)
    # torch's default is the machine epsilon of the type.
    shifted = writer.unary("scale", mean, {"bias": call.real("eps", 1.1920929e-7)})
    result = writer.binary("elementwise_mul", call.x, writer.unary("rsqrt", shifted))
    weight = _operand(call, "weight")
    return result if weight is None else writer.binary("elementwise_mul", result, weight)


@pnnx_op("nn.LocalResponseNorm", "F.local_response_norm")
def local_response_norm(call: Call) -> Value:
    """`lrn`, whose alpha is torch's divided by the size; of other ranks than 4, as an image.

    For an even size torch's window has its larger half before the channel, and the op's after it.
    """
    writer, size = call.writer, call.integer("size")
    rank = writer.rank(call.x)
    if size < 1 or rank < 3:
        raise call.error(f"expected a size from 1 on and 3 or more dimensions, got {size} and {rank}")
    attrs: dict[str, AttrValue] = {
        "n": size,
        "k": call.real("k", 1.0),
        "alpha": call.real("alpha", 1e-4) / size,
        "beta": call.real("beta", 0.75),
    }
    x = call.x
    sizes = [writer.size(x, axis) for axis in range(rank)]
    if rank != 4:
        x = writer.reshape(x, [*sizes[:2], 1 if rank == 3 else sizes[2], -1])
    if size % 2 == 0:
        flipped = writer.unary("lrn", writer.unary("flip", x, {"axis": [1]}), attrs)
        x = writer.unary("flip", flipped, {"axis": [1]})
    else:
        x = writer.unary("lrn", x, attrs)
    return x if rank == 4 else writer.reshape(x, sizes)


@pnnx_op("F.normalize")
def normalize(call: Call) -> Value:
    """``x / max(norm, eps)``, with the norm along an axis."""
    writer = call.writer
    attrs: dict[str, AttrValue] = {
        "porder": call.real("p", 2.0),
        "axis": call.axis("dim", call.x, 1),
        "keepdim": True,
    }
    norm = writer.unary("p_norm", call.x, attrs)
    eps = writer.literal(call.real("eps", 1e-12), writer.dtype(norm))
    return writer.binary("elementwise_div", call.x, writer.binary("elementwise_max", norm, eps))


@pnnx_op("nn.Softmax", "F.softmax", "nn.LogSoftmax", "F.log_softmax", "nn.Softmax2d")
def softmax(call: Call) -> Value:
    """`softmax` or `log_softmax` along an axis; for Softmax2d, along the channels."""
    axis = -3 if call.type == "nn.Softmax2d" else call.axis("dim", call.x, -1)
    return call.writer.unary(
        "log_softmax" if call.type in ("nn.LogSoftmax", "F.log_softmax") else "softmax",
        call.x,
        {"axis": axis},
    )


@pnnx_op("nn.Softmin", "F.softmin")
def softmin(call: Call) -> Value:
    """`softmax` of the negative."""
    negative = call.writer.unary("scale", call.x, {"scale": -1.0})
    return call.writer.unary("softmax", negative, {"axis": call.axis("dim", call.x, -1)})
