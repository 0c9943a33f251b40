"""Layers of networks as Paddle exports them, each with the ONNX nodes that mean the same."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from lite.ir.program import AttrValue
from tests.support.twins.network import TwinNetwork


def conv(
    net: TwinNetwork,
    x: str,
    channels: tuple[int, int],
    size: int = 3,
    *,
    stride: int = 1,
    dilation: int = 1,
    groups: int = 1,
) -> str:
    """A convolution without bias, padded to keep the size where the stride is 1."""
    read, written = channels
    filters = net.weight(net.random(written, read // groups, size, size, gain=1.4))
    out, pad = net.name(), dilation * (size // 2)
    net.op(
        "depthwise_conv2d" if groups == read == written else "conv2d",
        {"Input": x, "Filter": filters},
        {"Output": out},
        strides=[stride] * 2, paddings=[pad] * 2, dilations=[dilation] * 2, groups=groups,
        padding_algorithm="EXPLICIT", data_format="NCHW",
    )  # fmt: skip
    net.node(
        "Conv",
        [x, filters],
        out,
        strides=[stride] * 2,
        pads=[pad] * 4,
        dilations=[dilation] * 2,
        group=groups,
    )
    return out


def conv_transpose(
    net: TwinNetwork, x: str, channels: tuple[int, int], size: int = 2, stride: int = 2
) -> str:
    """A transposed convolution without bias and padding."""
    filters, out = net.weight(net.random(*channels, size, size, gain=2.0)), net.name()
    net.op(
        "conv2d_transpose", {"Input": x, "Filter": filters}, {"Output": out},
        strides=[stride] * 2, paddings=[0, 0], dilations=[1, 1], groups=1, output_size=[], output_padding=[],
        padding_algorithm="EXPLICIT", data_format="NCHW",
    )  # fmt: skip
    net.node("ConvTranspose", [x, filters], out, strides=[stride] * 2)
    return out


def batch_norm(net: TwinNetwork, x: str, channels: int) -> str:
    """A batch norm with random statistics."""
    scale, variance = (net.rng.uniform(0.5, 1.5, channels).astype(np.float32) for _ in range(2))
    bias, mean = (net.rng.uniform(-0.3, 0.3, channels).astype(np.float32) for _ in range(2))
    read = [net.weight(array) for array in (scale, bias, mean, variance)]
    out = net.name()
    slots = dict(zip(("Scale", "Bias", "Mean", "Variance"), read, strict=True))
    net.op("batch_norm", {"X": x, **slots}, {"Y": out}, epsilon=1e-5, is_test=True, data_layout="NCHW")
    net.node("BatchNormalization", [x, *read], out, epsilon=1e-5)
    return out


def layer_norm(net: TwinNetwork, x: str, width: int, axis: int) -> str:
    """A layer norm over the last axis."""
    scale = net.weight(net.rng.uniform(0.5, 1.5, width).astype(np.float32))
    bias, out = net.weight(net.random(width)), net.name()
    net.op(
        "layer_norm", {"X": x, "Scale": scale, "Bias": bias}, {"Y": out}, epsilon=1e-5, begin_norm_axis=axis
    )
    net.node("LayerNormalization", [x, scale, bias], out, epsilon=1e-5, axis=axis)
    return out


def activation(net: TwinNetwork, x: str, kind: str) -> str:
    """An activation by its name in Paddle."""
    attrs, onnx_kind, onnx_attrs = ACTIVATIONS[kind]
    out = net.name()
    net.op(kind, {"X": x}, {"Out": out}, **attrs)
    net.node(onnx_kind, [x, *(net.real(c) for c in CLIPS.get(kind, ()))], out, **onnx_attrs)
    return out


ACTIVATIONS: dict[str, tuple[dict[str, AttrValue], str, dict[str, float]]] = {
    "relu": ({}, "Relu", {}),
    "relu6": ({"threshold": 6.0}, "Clip", {}),
    "sigmoid": ({}, "Sigmoid", {}),
    "tanh": ({}, "Tanh", {}),
    "leaky_relu": ({"alpha": 0.1}, "LeakyRelu", {"alpha": 0.1}),
    "elu": ({"alpha": 0.7}, "Elu", {"alpha": 0.7}),
    "hard_sigmoid": ({"slope": 0.2, "offset": 0.5}, "HardSigmoid", {"alpha": 0.2, "beta": 0.5}),
    "hard_swish": ({"threshold": 6.0, "scale": 6.0, "offset": 3.0}, "HardSwish", {}),
    "softsign": ({}, "Softsign", {}),
    "abs": ({}, "Abs", {}),
    "exp": ({}, "Exp", {}),
    "floor": ({}, "Floor", {}),
    "ceil": ({}, "Ceil", {}),
    "sin": ({}, "Sin", {}),
    "cos": ({}, "Cos", {}),
    "erf": ({}, "Erf", {}),
    "mish": ({"threshold": 20.0}, "Mish", {}),
}
"""Attributes in Paddle, the ONNX op and its attributes."""

CLIPS = {"relu6": (0.0, 6.0)}


def gelu(net: TwinNetwork, x: str) -> str:
    """x · (1 + erf(x / √2)) / 2, which ONNX writes in five nodes."""
    out = net.name()
    net.op("gelu", {"X": x}, {"Out": out}, approximate=False)
    scaled, erf, one_more, product = (net.name("n") for _ in range(4))
    net.node("Mul", [x, net.real(0.5**0.5)], scaled)
    net.node("Erf", [scaled], erf)
    net.node("Add", [erf, net.real(1)], one_more)
    net.node("Mul", [x, one_more], product)
    net.node("Mul", [product, net.real(0.5)], out)
    return out


ELEMENTWISE = {
    "elementwise_add": "Add",
    "elementwise_sub": "Sub",
    "elementwise_mul": "Mul",
    "elementwise_div": "Div",
    "elementwise_max": "Max",
    "elementwise_min": "Min",
}


def elementwise(net: TwinNetwork, kind: str, x: str, y: str) -> str:
    """An arithmetic op on two tensors of the same rank, or whose last axes are aligned."""
    out = net.name()
    net.op(kind, {"X": x, "Y": y}, {"Out": out}, axis=-1)
    net.node(ELEMENTWISE[kind], [x, y], out)
    return out


add = partial(elementwise, kind="elementwise_add")


def pool(
    net: TwinNetwork, x: str, kind: str, size: int = 2, stride: int = 2, *, pad: int = 0, ceil: bool = False
) -> str:
    """Pooling by windows; averages do not count the padding."""
    out = net.name()
    net.op(
        "pool2d", {"X": x}, {"Out": out},
        pooling_type=kind, ksize=[size] * 2, strides=[stride] * 2, paddings=[pad] * 2, exclusive=True,
        ceil_mode=ceil, global_pooling=False, adaptive=False, padding_algorithm="EXPLICIT",
        data_format="NCHW",
    )  # fmt: skip
    attrs = {"kernel_shape": [size] * 2, "strides": [stride] * 2, "pads": [pad] * 4, "ceil_mode": int(ceil)}
    net.node("MaxPool" if kind == "max" else "AveragePool", [x], out, **attrs)
    return out


def global_pool(net: TwinNetwork, x: str) -> str:
    """The mean of each channel, float32[N, C, 1, 1]."""
    out = net.name()
    net.op(
        "pool2d", {"X": x}, {"Out": out},
        pooling_type="avg", ksize=[1, 1], strides=[1, 1], paddings=[0, 0], exclusive=True, ceil_mode=False,
        global_pooling=False, adaptive=True, padding_algorithm="EXPLICIT", data_format="NCHW",
    )  # fmt: skip
    net.node("GlobalAveragePool", [x], out)
    return out


def resize(net: TwinNetwork, x: str, mode: str, factor: float = 2.0) -> str:
    """Enlarge an image; sample points as `align_corners=False`, and `align_mode=0` where linear."""
    out = net.name()
    net.op(
        f"{mode}_interp_v2", {"X": x}, {"Out": out},
        scale=[factor] * 2, out_h=-1, out_w=-1, out_d=-1, align_corners=False, align_mode=0,
        data_layout="NCHW",
    )  # fmt: skip
    scales = net.onnx_constant(np.array([1, 1, factor, factor], np.float32))
    nearest = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor", "mode": "nearest"}
    linear = {"coordinate_transformation_mode": "half_pixel", "mode": "linear"}
    net.node("Resize", [x, "", scales], out, **(nearest if mode == "nearest" else linear))
    return out


def concat(net: TwinNetwork, xs: Sequence[str], axis: int) -> str:
    """Tensors joined along an axis."""
    out = net.name()
    net.op("concat", {"X": xs}, {"Out": out}, axis=axis)
    net.node("Concat", xs, out, axis=axis)
    return out


def split(net: TwinNetwork, x: str, sections: Sequence[int], axis: int) -> list[str]:
    """Parts of the given sizes along an axis."""
    outs = [net.name() for _ in sections]
    net.op("split", {"X": x}, {"Out": outs}, sections=list(sections), num=0, axis=axis)
    net.node("Split", [x, net.integers(*sections)], outs, axis=axis)
    return outs


def reshape(net: TwinNetwork, x: str, *shape: int) -> str:
    """0 keeps a size, one -1 is inferred."""
    out = net.name()
    net.op("reshape2", {"X": x}, {"Out": out}, shape=list(shape))
    net.node("Reshape", [x, net.integers(*shape)], out)
    return out


def transpose(net: TwinNetwork, x: str, *axes: int) -> str:
    """The axes in another order."""
    out = net.name()
    net.op("transpose2", {"X": x}, {"Out": out}, axis=list(axes))
    net.node("Transpose", [x], out, perm=list(axes))
    return out


def matmul(net: TwinNetwork, x: str, y: str) -> str:
    """A product of matrices, batched where the ranks are above 2."""
    out = net.name()
    net.op("matmul_v2", {"X": x, "Y": y}, {"Out": out}, trans_x=False, trans_y=False)
    net.node("MatMul", [x, y], out)
    return out


def linear(net: TwinNetwork, x: str, read: int, written: int) -> str:
    """A fully connected layer on the last axis."""
    weight = net.weight(np.ascontiguousarray(net.random(written, read).T))
    return elementwise(net, "elementwise_add", matmul(net, x, weight), net.weight(net.random(written)))


def scale(net: TwinNetwork, x: str, factor: float, bias: float = 0.0) -> str:
    """x · factor + bias."""
    out, product = net.name(), net.name("n")
    net.op("scale", {"X": x}, {"Out": out}, scale=factor, bias=bias, bias_after_scale=True)
    net.node("Mul", [x, net.real(factor)], product)
    net.node("Add", [product, net.real(bias)], out)
    return out


def softmax(net: TwinNetwork, x: str, axis: int = -1) -> str:
    """Softmax along an axis."""
    out = net.name()
    net.op("softmax", {"X": x}, {"Out": out}, axis=axis)
    net.node("Softmax", [x], out, axis=axis)
    return out


def reduce(net: TwinNetwork, x: str, kind: str, axes: Sequence[int], *, keep: bool = True) -> str:
    """A sum, mean, max or min over axes."""
    out = net.name()
    net.op(f"reduce_{kind}", {"X": x}, {"Out": out}, dim=list(axes), keep_dim=keep, reduce_all=False)
    names = {"sum": "ReduceSum", "mean": "ReduceMean", "max": "ReduceMax", "min": "ReduceMin"}
    inputs = [x, net.integers(*axes)]
    net.node(names[kind], inputs, out, keepdims=int(keep))
    return out


def squeeze(net: TwinNetwork, x: str, axis: int) -> str:
    """Without an axis of size 1."""
    out = net.name()
    net.op("squeeze2", {"X": x}, {"Out": out}, axes=[axis])
    net.node("Squeeze", [x, net.integers(axis)], out)
    return out


def unsqueeze(net: TwinNetwork, x: str, axis: int) -> str:
    """With a new axis of size 1."""
    out = net.name()
    net.op("unsqueeze2", {"X": x}, {"Out": out}, axes=[axis])
    net.node("Unsqueeze", [x, net.integers(axis)], out)
    return out


def cut(net: TwinNetwork, x: str, axis: int, start: int, end: int) -> str:
    """The elements from start to before end along an axis."""
    out = net.name()
    net.op("slice", {"Input": x}, {"Out": out}, axes=[axis], starts=[start], ends=[end], decrease_axis=[])
    net.node("Slice", [x, net.integers(start), net.integers(end), net.integers(axis)], out)
    return out


def embedding(net: TwinNetwork, ids: str, words: int, width: int) -> str:
    """A row of a table for each id."""
    table, out = net.weight(net.rng.standard_normal((words, width)).astype(np.float32)), net.name()
    net.op("lookup_table_v2", {"W": table, "Ids": ids}, {"Out": out}, padding_idx=-1)
    net.node("Gather", [table, ids], out, axis=0)
    return out
