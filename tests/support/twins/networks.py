"""Small networks of the kinds that the large reference models have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from lite.ir.types import Array, DType
from tests.support.twins import layers
from tests.support.twins.layers import add, conv, conv_transpose, elementwise, linear
from tests.support.twins.network import TwinNetwork
from tests.support.twins.recurrent import recurrent, rows_of_image


@dataclass(frozen=True)
class TwinModel:
    """A finished network: what it returns, and the inputs that its expected outputs are recorded for."""

    network: TwinNetwork
    outputs: tuple[str, ...]
    feeds: Mapping[str, Array]


def separable_classifier() -> TwinModel:
    """Depthwise separable convolutions with squeeze and excitation; images of any size."""
    net = TwinNetwork(1)
    x = _block(net, net.input("x", (-1, 3, -1, -1)), (3, 8), "hard_swish", stride=2)
    x = _block(net, _block(net, x, (8, 8), "relu6", groups=8), (8, 16), "relu", size=1)
    squeezed = layers.activation(net, conv(net, layers.global_pool(net, x), (16, 4), 1), "relu")
    gate = layers.activation(net, conv(net, squeezed, (4, 16), 1), "hard_sigmoid")
    x = elementwise(net, "elementwise_mul", x, gate)
    x = _block(net, x, (16, 16), "relu", groups=16, stride=2)
    x = _block(net, x, (16, 24), "hard_swish", size=1)
    flat = layers.reshape(net, layers.global_pool(net, x), 0, -1)
    return TwinModel(net, (layers.softmax(net, linear(net, flat, 24, 10)),), _image(1, 2, 24, 20))


def pyramid_detector() -> TwinModel:
    """A feature pyramid with transposed convolutions: a map as large as the image (sides: multiples of 8)."""
    net = TwinNetwork(2)
    stem = _block(net, net.input("x", (-1, 3, -1, -1)), (3, 8), "relu", stride=2)
    middle = _block(net, layers.pool(net, stem, "max"), (8, 16), "leaky_relu")
    deep = _block(net, layers.pool(net, middle, "avg"), (16, 16), "relu", dilation=2)
    merged = add(net, x=layers.resize(net, deep, "nearest"), y=conv(net, middle, (16, 16), 1))
    joined = layers.concat(net, [merged, layers.resize(net, deep, "nearest")], 1)
    x = _block(net, joined, (32, 12), "relu")
    x = layers.batch_norm(net, conv_transpose(net, x, (12, 6)), 6)
    x = conv_transpose(net, layers.activation(net, x, "relu"), (6, 1))
    return TwinModel(net, (layers.activation(net, x, "sigmoid"),), _image(2, 1, 32, 24))


def attention_reader() -> TwinModel:
    """A convolutional stem and self-attention over the columns of a line of text, 16 pixels high."""
    net, width = TwinNetwork(3), 16
    x = _block(net, net.input("x", (-1, 3, 16, -1)), (3, 8), "hard_swish", stride=2)
    x = _block(net, _block(net, x, (8, 8), "relu", groups=8, stride=2), (8, width), "relu", size=1)
    columns = layers.squeeze(net, layers.reduce(net, x, "mean", [2]), 2)
    x = _encoder_layer(net, layers.transpose(net, columns, 0, 2, 1), width, 1)
    return TwinModel(net, (layers.softmax(net, linear(net, x, width, 12)),), _image(3, 1, 16, 48))


def encoder() -> TwinModel:
    """Two layers of a transformer on int64 ids; the tokens and their pooled mean."""
    net, width = TwinNetwork(4), 16
    x = layers.embedding(net, net.input("ids", (-1, -1), DType.INT64), 20, width)
    for _ in range(2):
        x = _encoder_layer(net, x, width, 2)
    pooled = layers.activation(
        net, linear(net, layers.reduce(net, x, "mean", [1], keep=False), width, 8), "tanh"
    )
    ids = np.random.default_rng(4).integers(0, 20, (2, 7))
    return TwinModel(net, (x, pooled), {"ids": ids})


def recurrent_reader() -> TwinModel:
    """Convolutions, a bidirectional LSTM and a GRU over the columns of one image."""
    net = TwinNetwork(5)
    x = _block(net, net.input("x", (1, 3, 8, -1)), (3, 8), "relu", stride=2)
    x = layers.resize(net, _block(net, x, (8, 12), "relu"), "bilinear")
    x = layers.pool(net, x, "max", 3, 1, pad=1)
    rows = rows_of_image(net, layers.reduce(net, x, "max", [2]), 12)
    x = recurrent(net, rows, "LSTM", 12, 6, 1, both_ways=True)
    x = recurrent(net, x, "GRU", 12, 8, 1)
    return TwinModel(net, (layers.softmax(net, linear(net, x, 8, 9)),), _image(5, 1, 8, 30))


def box_selector() -> TwinModel:
    """The rows of float32[N, 6] whose fifth column is above a half, and the three largest sixth columns."""
    net = TwinNetwork(6)
    boxes, scores, classes = layers.split(net, net.input("x", (-1, 6)), [4, 1, 1], 1)
    scores = layers.activation(net, layers.squeeze(net, scores, 1), "sigmoid")
    above, indices, transposed, row = net.name(), net.name(), net.name("n"), net.name()
    half = net.weight(np.array([0.5], np.float32))
    net.op("greater_than", {"X": scores, "Y": half}, {"Out": above}, axis=-1)
    net.node("Greater", [scores, half], above)
    net.op("where_index", {"Condition": above}, {"Out": indices})
    net.node("NonZero", [above], transposed)
    net.node("Transpose", [transposed], indices, perm=[1, 0])
    net.op("gather_nd", {"X": boxes, "Index": indices}, {"Out": row})
    net.node("GatherND", [boxes, indices], row)
    largest, positions, count = net.name(), net.name(), net.integers(3)
    flat = layers.squeeze(net, classes, 1)
    net.op("top_k_v2", {"X": flat}, {"Out": largest, "Indices": positions}, k=3, axis=-1)
    net.node("TopK", [flat, count], [largest, positions], axis=-1)
    x = np.random.default_rng(6).standard_normal((9, 6)).astype(np.float32)
    return TwinModel(net, (layers.scale(net, row, 0.5, 1.0), largest, positions), {"x": x})


NETWORKS: Mapping[str, Callable[[], TwinModel]] = {
    network.__name__: network
    for network in (
        separable_classifier,
        pyramid_detector,
        attention_reader,
        encoder,
        recurrent_reader,
        box_selector,
    )
}


def _block(
    net: TwinNetwork, x: str, channels: tuple[int, int], kind: str, *, size: int = 3, stride: int = 1,
    dilation: int = 1, groups: int = 1,
) -> str:  # fmt: skip
    """Convolution, batch norm, activation."""
    x = conv(net, x, channels, size, stride=stride, dilation=dilation, groups=groups)
    return layers.activation(net, layers.batch_norm(net, x, channels[1]), kind)


def _encoder_layer(net: TwinNetwork, x: str, width: int, heads: int) -> str:
    """Self-attention and a perceptron, each with a residual and a layer norm, on float32[N, T, width]."""
    q, k, v = (_heads(net, linear(net, x, width, width), heads, axes) for axes in ("q", "k", "v"))
    weights = layers.softmax(net, layers.scale(net, layers.matmul(net, q, k), (width / heads) ** -0.5))
    mixed = layers.transpose(net, layers.matmul(net, weights, v), 0, 2, 1, 3)
    mixed = linear(net, layers.reshape(net, mixed, 0, 0, width), width, width)
    x = layers.layer_norm(net, add(net, x=x, y=mixed), width, 2)
    inner = linear(net, layers.gelu(net, linear(net, x, width, 2 * width)), 2 * width, width)
    return layers.layer_norm(net, add(net, x=x, y=inner), width, 2)


def _heads(net: TwinNetwork, x: str, heads: int, role: str) -> str:
    """float32[N, heads, T, width / heads], for keys with the last two axes exchanged."""
    parts = layers.reshape(net, x, 0, 0, heads, -1)
    return layers.transpose(net, parts, *((0, 2, 3, 1) if role == "k" else (0, 2, 1, 3)))


def _image(seed: int, batch: int, height: int, width: int) -> dict[str, Array]:
    shape = (batch, 3, height, width)
    return {"x": np.random.default_rng(seed).standard_normal(shape).astype(np.float32)}
