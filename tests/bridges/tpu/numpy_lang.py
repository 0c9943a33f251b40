"""TpuLang in numpy: computes each op when it is added, by its definition, for tests without the SDK.

Paddings are top, left, bottom, right.  The filter of a transposed convolution has the shape [M / groups, C,
kH, kW], and the elements in the order [groups, M / groups, C / groups, kH, kW].
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lite.ir.types import Array


@dataclass(eq=False)
class Number:
    """A number with a type."""

    value: float
    dtype: str


class Tensor:
    """A tensor with its elements; those of the n-th input are the n-th of `NumpyLang.inputs`."""

    inputs: Sequence[Array] = ()

    def __init__(
        self, shape: list[int], name: str, dtype: str, ttype: str = "neuron", data: Array | None = None
    ) -> None:
        assert dtype == "float32"
        self.shape = shape
        self.constant = ttype == "coeff"
        self.value = data if data is not None else self.inputs[int(name.removeprefix("in"))].reshape(shape)
        assert list(self.value.shape) == shape


Operand = Tensor | float


def _value(operand: Operand) -> Array | float:
    return operand.value if isinstance(operand, Tensor) else operand


class NumpyLang:
    """The functions that the bridges call."""

    Scalar = Number

    def __init__(self, inputs: Sequence[Array]) -> None:
        self.chip = ""
        self.calls: list[str] = []
        self.Tensor = type("Tensor", (Tensor,), {"inputs": inputs})

    def init(self, chip: str) -> None:
        self.chip = chip

    def _new(self, name: str, value: Any) -> Tensor:
        self.calls.append(name)
        array = np.asarray(value, np.float32)
        assert array.ndim, "TpuLang has no tensors of rank 0"
        return Tensor(list(array.shape), name, "float32", data=array)

    def reshape(self, x: Tensor, shape: list[int]) -> Tensor:
        return self._new("reshape", x.value.reshape(shape))

    def permute(self, x: Tensor, order: list[int]) -> Tensor:
        return self._new("permute", x.value.transpose(order))

    def matmul(self, x: Tensor, y: Tensor) -> Tensor:
        assert not x.constant
        return self._new("matmul", x.value @ y.value)

    def add(self, x: Operand, y: Operand) -> Tensor:
        return self._new("add", _value(x) + _value(y))

    def sub(self, x: Operand, y: Operand) -> Tensor:
        return self._new("sub", _value(x) - _value(y))

    def mul(self, x: Operand, y: Operand) -> Tensor:
        return self._new("mul", _value(x) * _value(y))

    def div(self, x: Operand, y: Operand) -> Tensor:
        return self._new("div", _value(x) / _value(y))

    def max(self, x: Operand, y: Operand) -> Tensor:
        return self._new("max", np.maximum(_value(x), _value(y)))

    def min(self, x: Operand, y: Operand) -> Tensor:
        return self._new("min", np.minimum(_value(x), _value(y)))

    def clamp(self, x: Tensor, low: float, high: float) -> Tensor:
        assert isinstance(low, float)
        assert isinstance(high, float)
        return self._new("clamp", np.clip(x.value, low, high))

    def leaky_relu(self, x: Tensor, slope: float) -> Tensor:
        return self._new("leaky_relu", np.where(x.value > 0, x.value, x.value * slope))

    def softmax(self, x: Tensor, axis: int) -> Tensor:
        e = np.exp(x.value - x.value.max(axis, keepdims=True))
        return self._new("softmax", e / e.sum(axis, keepdims=True))

    def layer_norm(self, x: Tensor, gamma: None, beta: None, epsilon: float, axis: int) -> Tensor:
        assert (gamma, beta, x.value.ndim, axis) == (None, None, 2, 1)
        mean, variance = x.value.mean(1, keepdims=True), x.value.var(1, keepdims=True)
        return self._new("layer_norm", (x.value - mean) / np.sqrt(variance + epsilon))

    def upsample(self, x: Tensor, scale: int) -> Tensor:
        return self._new("upsample", x.value.repeat(scale, 2).repeat(scale, 3))

    def reduce(self, x: Tensor, method: str, axes: list[int], keep: bool) -> Tensor:
        return self._new(method, _REDUCTIONS[method](x.value, axis=tuple(axes), keepdims=keep))

    def concat(self, tensors: list[Tensor], axis: int) -> Tensor:
        assert len(tensors) > 1
        return self._new("concat", np.concatenate([each.value for each in tensors], axis))

    def slice(
        self, x: Tensor, starts: list[int], ends: list[int], steps: list[int], axes: list[int]
    ) -> Tensor:
        assert (set(steps), axes) == ({1}, list(range(x.value.ndim)))
        ranges = tuple(slice(start, end) for start, end in zip(starts, ends, strict=True))
        return self._new("slice", x.value[ranges])

    def pad(self, x: Tensor, method: str, value: Number, padding: list[int]) -> Tensor:
        assert method == "constant"
        rank = x.value.ndim
        pairs = list(zip(padding[:rank], padding[rank:], strict=True))
        return self._new("pad", np.pad(x.value, pairs, constant_values=value.value))

    def tile(self, x: Tensor, times: list[int]) -> Tensor:
        return self._new("tile", np.tile(x.value, times))

    def conv(
        self,
        x: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        *,
        stride: list[int],
        dilation: list[int],
        pad: list[int],
        group: int,
    ) -> Tensor:
        assert weight.constant
        image = np.pad(x.value, [(0, 0), (0, 0), (pad[0], pad[2]), (pad[1], pad[3])])
        outputs, inputs, *kernel = weight.value.shape
        sizes = [(image.shape[2 + n] - dilation[n] * (kernel[n] - 1) - 1) // stride[n] + 1 for n in range(2)]
        result = np.zeros((len(image), outputs, *sizes))
        for n, m, i, j in np.ndindex(result.shape):
            first = m // (outputs // group) * inputs
            top, left = i * stride[0], j * stride[1]
            window = image[n, first : first + inputs, top:, left:][:, :: dilation[0], :: dilation[1]]
            result[n, m, i, j] = (window[:, : kernel[0], : kernel[1]] * weight.value[m]).sum()
        shift = 0 if bias is None else bias.value.reshape(-1, 1, 1)
        return self._new("conv", result + shift)

    def deconv(
        self,
        x: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        *,
        stride: list[int],
        dilation: list[int],
        pad: list[int],
        output_padding: list[int],
        group: int,
    ) -> Tensor:
        outputs, inputs, *kernel = weight.value.shape
        image = x.value
        filters = weight.value.reshape(group, outputs, inputs // group, *kernel)
        spans = [
            (image.shape[2 + n] - 1) * stride[n] + dilation[n] * (kernel[n] - 1) + 1 + output_padding[n]
            for n in range(2)
        ]
        whole = np.zeros((len(image), outputs * group, *spans))
        for n, c, i, j in np.ndindex(image.shape):
            g, own = divmod(c, inputs // group)
            first = g * outputs
            for a, b in itertools.product(range(kernel[0]), range(kernel[1])):
                at = i * stride[0] + a * dilation[0], j * stride[1] + b * dilation[1]
                whole[(n, slice(first, first + outputs), *at)] += image[n, c, i, j] * filters[g, :, own, a, b]
        result = whole[:, :, pad[0] : spans[0] - pad[2], pad[1] : spans[1] - pad[3]]
        shift = 0 if bias is None else bias.value.reshape(-1, 1, 1)
        return self._new("deconv", result + shift)

    def maxpool2d(self, x: Tensor, kernel: list[int], stride: list[int], pad: list[int]) -> Tensor:
        return self._new("maxpool2d", _pooled(x.value, kernel, stride, pad, np.nanmax))

    def avgpool2d(
        self, x: Tensor, kernel: list[int], stride: list[int], pad: list[int], *, count_include_pad: bool
    ) -> Tensor:
        def mean(window: Array) -> float:
            count = window.size if count_include_pad else np.count_nonzero(~np.isnan(window))
            return float(np.nansum(window) / count)

        return self._new("avgpool2d", _pooled(x.value, kernel, stride, pad, mean))


def _pooled(
    image: Array, kernel: list[int], stride: list[int], pad: list[int], function: Callable[[Array], Any]
) -> Array:
    """The function of each window; padding is no number."""
    image = np.pad(image, [(0, 0), (0, 0), (pad[0], pad[2]), (pad[1], pad[3])], constant_values=np.nan)
    sizes = [(image.shape[2 + n] - kernel[n]) // stride[n] + 1 for n in range(2)]
    result = np.zeros((*image.shape[:2], *sizes))
    for n, c, i, j in np.ndindex(result.shape):
        top, left = i * stride[0], j * stride[1]
        result[n, c, i, j] = function(image[n, c, top : top + kernel[0], left : left + kernel[1]])
    return result


_REDUCTIONS: dict[str, Callable[..., Any]] = {
    "ReduceMean": np.mean,
    "ReduceSum": np.sum,
    "ReduceMax": np.max,
    "ReduceMin": np.min,
}

_UNARY: dict[str, Callable[[Array], Any]] = {
    "abs": np.abs,
    "ceil": np.ceil,
    "erf": np.vectorize(math.erf),
    "exp": np.exp,
    "floor": np.floor,
    "gelu": lambda x: x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2,
    "hswish": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "ln": np.log,
    "relu": lambda x: np.maximum(x, 0),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "sqrt": np.sqrt,
    "tanh": np.tanh,
}


def _add_unary(name: str, function: Callable[[Array], Any]) -> None:
    def call(self: NumpyLang, x: Tensor) -> Tensor:
        return self._new(name, function(x.value))

    setattr(NumpyLang, name, call)


for _name, _function in _UNARY.items():
    _add_unary(_name, _function)
