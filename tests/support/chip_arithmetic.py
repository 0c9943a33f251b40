"""The programs of sim_npu in int8, computed by the host's integer kernels and the documented rounding.

Sums of products come from the kernels of ConvInteger and MatMulInteger, and everything else is written here
in integers of 64 bits.  Operators that only move elements are those of the SDK.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from lite.bridges.sim_npu import sdk
from lite.bridges.sim_npu.model import NpuModel
from lite.bridges.sim_npu.sdk.graph import Graph
from lite.bridges.sim_npu.sdk.operator import OPERATORS
from lite.ir.types import Array
from lite.kernels.host.quantize import conv_integer, integer_matmul

Attributes = Mapping[str, Any]


class Runs:
    """Compares each run of a region with `run`, while it is installed; `count` is the number of runs."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.count = 0
        self.different: list[str] = []
        graphs: dict[bytes, Graph] = {}
        compile_graph, run_model = sdk.compile, NpuModel.run

        def compiled(graph: Graph) -> bytes:
            blob = compile_graph(graph)
            graphs[blob] = graph
            return blob

        def compared(
            model: NpuModel, inputs: Sequence[Array], outputs: Sequence[Array | None]
        ) -> list[Array]:
            expected = run(graphs[model.serialize()], [np.array(x) for x in inputs])
            results = run_model(model, inputs, outputs)
            self.count += 1
            for number, (result, array) in enumerate(zip(results, expected, strict=True)):
                if not np.array_equal(result, array):
                    self.different.append(f"run {self.count}, output {number}")
            return results

        patch.setattr(sdk, "compile", compiled)
        patch.setattr(NpuModel, "run", compared)


def run(graph: Graph, inputs: Sequence[Array]) -> list[Array]:
    """The outputs of a program."""
    values = {tensor.index: tensor.data for tensor in graph.tensors if tensor.data is not None}
    values.update({tensor.index: x for tensor, x in zip(graph.inputs.values(), inputs, strict=True)})
    for node in graph.nodes:
        arrays = [values[tensor.index] for tensor in node.inputs]
        function = _INTEGERS.get(node.kind)
        results: Sequence[Array] = (
            OPERATORS[node.kind].execute(arrays, node.attributes)
            if function is None
            else [function(arrays, node.attributes)]
        )
        values.update({tensor.index: x for tensor, x in zip(node.outputs, results, strict=True)})
    return [values[tensor.index] for tensor in graph.outputs.values()]


def _requantized(sums: Array, multipliers: Array, shifts: Array, attributes: Attributes) -> Array:
    """Sums as int8, halves rounded up."""
    m, s = multipliers.astype(np.int64), shifts.astype(np.int64)
    numbers = (sums.astype(np.int64) * m + (np.int64(1) << (s - 1))) >> s
    limited: Array = np.clip(numbers + attributes["out_zero"], attributes["low"], attributes["high"])
    return limited.astype(np.int8)


def _by_channel(sums: Array, attributes: Attributes) -> Array:
    shape = [1, -1, *[1] * (sums.ndim - 2)]
    m, s = (np.array(attributes[name], np.int64).reshape(shape) for name in ("multipliers", "shifts"))
    return _requantized(sums, m, s, attributes)


def _correlated(
    x: Array, weight: Array, zero: int, pads: Sequence[int], stride: int, dilation: int, groups: int
) -> Array:
    top, bottom, left, right = pads
    attrs = conv_integer._Attributes(
        "NOTSET", (dilation, dilation), groups, (top, left, bottom, right), (stride, stride)
    )
    return conv_integer.conv_integer(x, weight, np.array([zero], np.int8), None, attrs=attrs)


def _convolution(inputs: Sequence[Array], a: Attributes) -> Array:
    x, weight, bias = inputs
    sums = _correlated(x, weight, a["zero"], a["pads"], a["stride"], a["dilation"], a["groups"])
    return _by_channel(sums.astype(np.int64) + bias.reshape(1, -1, 1, 1), a)


def _transposed(inputs: Sequence[Array], a: Attributes) -> Array:
    """The correlation of the image, spread by the stride, with the flipped filter."""
    x, weight, bias = inputs
    stride, dilation, groups = a["stride"], a["dilation"], a["groups"]
    batch, channels, rows, columns = x.shape
    spread = np.full(
        (batch, channels, (rows - 1) * stride + 1, (columns - 1) * stride + 1), a["zero"], np.int8
    )
    spread[:, :, ::stride, ::stride] = x
    grouped = weight.reshape(groups, channels // groups, *weight.shape[1:]).swapaxes(1, 2)
    flipped = grouped.reshape(-1, channels // groups, *weight.shape[2:])[:, :, ::-1, ::-1]
    reach = [dilation * (size - 1) for size in weight.shape[2:]]
    full = _correlated(
        spread,
        np.ascontiguousarray(flipped),
        a["zero"],
        (reach[0], reach[0] + a["extra"][0], reach[1], reach[1] + a["extra"][1]),
        1,
        dilation,
        groups,
    )
    top, bottom, left, right = a["pads"]
    cut = full[:, :, top : full.shape[2] - bottom, left : full.shape[3] - right]
    return _by_channel(cut.astype(np.int64) + bias.reshape(1, -1, 1, 1), a)


def _connected(inputs: Sequence[Array], a: Attributes) -> Array:
    rows, matrix, bias = inputs
    sums = integer_matmul.integer_matmul(
        rows, matrix, np.array(a["zero"], np.int8), None, None, None, out_scale=0.0, out_zero_point=0
    )
    return _by_channel(sums.astype(np.int64) + bias, a)


def _centred(x: Array, zero: int) -> Array:
    return x.astype(np.int64) - zero


def _sum(inputs: Sequence[Array], a: Attributes) -> Array:
    first, second = _centred(inputs[0], a["zero"]), _centred(inputs[1], a["other_zero"])
    sums = first * a["multipliers"][0] + second * a["multipliers"][1]
    return _requantized(sums, np.array(1), np.array(a["shifts"][0]), a)


def _product(inputs: Sequence[Array], a: Attributes) -> Array:
    products = _centred(inputs[0], a["zero"]) * _centred(inputs[1], a["other_zero"])
    return _requantized(products, np.array(a["multipliers"]), np.array(a["shifts"]), a)


def _mean(inputs: Sequence[Array], a: Attributes) -> Array:
    sums = _centred(inputs[0], a["zero"]).sum(tuple(a["axes"]), keepdims=True)
    return _requantized(sums, np.array(a["multipliers"]), np.array(a["shifts"]), a)


def _pooled(inputs: Sequence[Array], a: Attributes) -> Array:
    """Window by window."""
    (x,), (top, bottom, left, right), (height, width) = inputs, a["pads"], a["kernel"]
    is_max = a["mode"] == "MAX"
    numbers = x.astype(np.int64) if is_max else _centred(x, a["zero"])
    edges = ((0, 0), (0, 0), (top, bottom), (left, right))
    padded = np.pad(numbers, edges, constant_values=-128 if is_max else 0)
    counted = np.pad(np.ones(x.shape[2:], np.int64), edges[2:], constant_values=int(a["count_padding"]))
    rows = range(0, padded.shape[2] - height + 1, a["stride"])
    columns = range(0, padded.shape[3] - width + 1, a["stride"])
    result = np.zeros((*x.shape[:2], len(rows), len(columns)), np.int8)
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            window = padded[:, :, row : row + height, column : column + width]
            if is_max:
                result[:, :, i, j] = window.max((2, 3))
                continue
            count = int(counted[row : row + height, column : column + width].sum())
            m, s = (np.array(a[name][count - 1]) for name in ("multipliers", "shifts"))
            result[:, :, i, j] = _requantized(window.sum((2, 3)), m, s, a)
    return result


def _table(inputs: Sequence[Array], _: Attributes) -> Array:
    found: Array = inputs[1][inputs[0].astype(np.int64) + 128]
    return found


_INTEGERS: Mapping[str, Callable[[Sequence[Array], Attributes], Array]] = {
    "Q_CONV_2D": _convolution,
    "Q_CONV_TRANSPOSE_2D": _transposed,
    "Q_FULLY_CONNECTED": _connected,
    "Q_ADD": _sum,
    "Q_MUL": _product,
    "Q_MEAN": _mean,
    "Q_POOL_2D": _pooled,
    "Q_LOOKUP": _table,
}
