"""Runs a StableHLO function by numpy, from the specification of each operation, without a compiler."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
from scipy import special

from lite.emission.stablehlo.graph import Operation, StablehloGraph, Tensor
from lite.ir.types import Array


def run_graph(graph: StablehloGraph, inputs: Sequence[Array]) -> list[Array]:
    """The outputs of a function; each result must have the type that the graph says."""
    values = {id(tensor): array for tensor, array in zip(graph.inputs, inputs, strict=True)}

    def value(tensor: Tensor) -> Array:
        return values[id(tensor)] if tensor.array is None else tensor.array

    for operation in graph.operations:
        arrays = [value(tensor) for tensor in operation.inputs]
        with np.errstate(all="ignore"):
            result = np.asarray(_OPERATIONS[operation.name.partition(".")[2]](operation, *arrays))
        (output,) = operation.outputs
        assert result.shape == output.shape, (operation.name, result.shape, output.shape)
        values[id(output)] = result.astype(output.dtype.numpy)
    return [value(tensor) for tensor in graph.outputs]


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """An elementwise function, whose arguments have one shape, as StableHLO wants it."""

    def run(operation: Operation, *arrays: Array) -> Any:
        assert len({array.shape for array in arrays}) == 1, operation.name
        return function(*arrays)

    return run


_DIRECTIONS = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "GE": np.greater_equal,
    "GT": np.greater,
    "LE": np.less_equal,
    "LT": np.less,
}


def _compare(o: Operation, x: Array, y: Array) -> Any:
    (direction,) = re.findall(r"comparison_direction (\w+)>", str(o.attributes["comparison_direction"]))
    assert x.shape == y.shape
    return _DIRECTIONS[direction](x, y)


def _broadcast(o: Operation, x: Array) -> Any:
    axes, shape = _ints(o, "broadcast_dimensions"), o.outputs[0].shape
    wide = [1] * len(shape)
    for axis, size in zip(axes, x.shape, strict=True):
        wide[axis] = size
    return np.broadcast_to(x.reshape(wide), shape)


_BODIES: dict[str, Any] = {
    "add": np.add,
    "and": np.logical_and,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "multiply": np.multiply,
    "or": np.logical_or,
}


def _reduce(o: Operation, x: Array, first: Array) -> Any:
    return _BODIES[o.body].reduce(x, axis=_ints(o, "dimensions"), initial=first, dtype=x.dtype)


def _reduce_window(o: Operation, x: Array, first: Array) -> Any:
    padded = np.pad(x, _pairs(o), constant_values=first)
    views = np.lib.stride_tricks.sliding_window_view(padded, _ints(o, "window_dimensions"))
    stepped = views[tuple(slice(None, None, step) for step in _ints(o, "window_strides"))]
    return _BODIES[o.body].reduce(stepped, axis=tuple(range(x.ndim, 2 * x.ndim)), dtype=x.dtype)


def _slice(o: Operation, x: Array) -> Any:
    bounds = zip(*(_ints(o, name) for name in ("start_indices", "limit_indices", "strides")), strict=True)
    return x[tuple(slice(*each) for each in bounds)]


def _pad(o: Operation, x: Array, value: Array) -> Any:
    lows, highs = _ints(o, "edge_padding_low"), _ints(o, "edge_padding_high")
    assert set(_ints(o, "interior_padding")) <= {0}
    grown = np.pad(
        x, [(max(low, 0), max(high, 0)) for low, high in zip(lows, highs, strict=True)], constant_values=value
    )
    ends = zip(lows, highs, grown.shape, strict=True)
    return grown[tuple(slice(max(-low, 0), size - max(-high, 0)) for low, high, size in ends)]


def _gather(o: Operation, x: Array, index: Array) -> Any:
    text = str(o.attributes["dimension_numbers"])
    ((axis,),) = (re.findall(rf"{name} = \[(\d+)\]", text) for name in ("start_index_map",))
    positions = np.clip(index[..., 0], 0, x.shape[int(axis)] - 1)
    return np.take(x, positions, axis=int(axis))


def _dot(o: Operation, x: Array, y: Array) -> Any:
    text = str(o.attributes["dot_dimension_numbers"])
    (batch,) = re.findall(r"lhs_batching_dimensions = \[([^]]*)\]", text)
    count = len(batch.split(",")) if batch else 0
    assert x.ndim == y.ndim == count + 2
    assert x.shape[:count] == y.shape[:count]
    assert f"lhs_contracting_dimensions = [{x.ndim - 1}], rhs_contracting_dimensions = [{count}]" in text
    return np.matmul(x, y)


def _convolution(o: Operation, x: Array, weight: Array) -> Any:
    last = not str(o.attributes["dimension_numbers"]).startswith("#stablehlo.conv<[b, f")
    x = np.moveaxis(x, -1, 1) if last else x
    rank, groups = x.ndim - 2, int(str(o.attributes["feature_group_count"]))
    spread_by, dilations, strides = (
        _ints(o, name) for name in ("lhs_dilation", "rhs_dilation", "window_strides")
    )
    spread = np.zeros((*x.shape[:2], *((n - 1) * s + 1 for n, s in zip(x.shape[2:], spread_by, strict=True))))
    steps: list[Any] = [slice(None, None, step) for step in spread_by]
    spread[(..., *steps)] = x
    pairs = _pairs(o)
    spread = np.pad(spread, [(0, 0), (0, 0), *((max(low, 0), max(high, 0)) for low, high in pairs)])
    cuts: list[Any] = [
        slice(max(-low, 0), size - max(-high, 0))
        for (low, high), size in zip(pairs, spread.shape[2:], strict=True)
    ]
    spread = spread[(..., *cuts)]
    extents = [(n - 1) * d + 1 for n, d in zip(weight.shape[2:], dilations, strict=True)]
    outs = [(n - e) // s + 1 for n, e, s in zip(spread.shape[2:], extents, strides, strict=True)]
    rows, own = weight.shape[0] // groups, weight.shape[1]
    assert own * groups == x.shape[1]
    result = np.zeros((x.shape[0], weight.shape[0], *outs))
    for at in product(*map(range, weight.shape[2:])):
        taken: list[Any] = [
            slice(n * d, n * d + (out - 1) * s + 1, s)
            for n, d, out, s in zip(at, dilations, outs, strides, strict=True)
        ]
        window = spread[(..., *taken)]
        for group in range(groups):
            part = window[:, group * own : (group + 1) * own]
            index: list[Any] = [slice(group * rows, (group + 1) * rows), slice(None), *at]
            filters = weight[tuple(index)]
            result[:, group * rows : (group + 1) * rows] += np.moveaxis(
                np.tensordot(filters, part, ((1,), (1,))), 0, 1
            )
    assert rank == len(strides)
    return np.moveaxis(result, 1, -1) if last else result


def _ints(o: Operation, name: str) -> tuple[int, ...]:
    value = o.attributes[name]
    assert isinstance(value, tuple)
    return tuple(int(str(each)) for each in value)


def _pairs(o: Operation) -> list[tuple[int, int]]:
    value = o.attributes["padding"]
    assert isinstance(value, tuple)
    return [(pair[0], pair[1]) for pair in value if isinstance(pair, tuple)]


_OPERATIONS: dict[str, Callable[..., Any]] = {
    **{name: _plain(getattr(np, name)) for name in ("abs", "ceil", "floor", "maximum", "minimum", "power")},
    **{name: _plain(getattr(np, name)) for name in ("sign", "sqrt", "subtract", "tan", "tanh", "multiply")},
    **{name: _plain(getattr(np, name)) for name in ("cosh", "sinh", "divide", "add")},
    "acos": _plain(np.arccos),
    "and": _plain(np.logical_and),
    "asin": _plain(np.arcsin),
    "atan": _plain(np.arctan),
    "broadcast_in_dim": _broadcast,
    "compare": _compare,
    "concatenate": lambda o, *arrays: np.concatenate(arrays, int(str(o.attributes["dimension"]))),
    "convert": lambda o, x: x.astype(o.outputs[0].dtype.numpy),
    "convolution": _convolution,
    "cosine": _plain(np.cos),
    "dot_general": _dot,
    "erf": _plain(special.erf),
    "exponential": _plain(np.exp),
    "exponential_minus_one": _plain(np.expm1),
    "gather": _gather,
    "log": _plain(np.log),
    "log_plus_one": _plain(np.log1p),
    "logistic": _plain(special.expit),
    "negate": _plain(np.negative),
    "not": _plain(np.logical_not),
    "or": _plain(np.logical_or),
    "pad": _pad,
    "reduce": _reduce,
    "reduce_window": _reduce_window,
    "remainder": _plain(np.fmod),
    "reshape": lambda o, x: x.reshape(o.outputs[0].shape),
    "reverse": lambda o, x: np.flip(x, _ints(o, "dimensions")),
    "round_nearest_even": _plain(np.rint),
    "select": _plain(np.where),
    "sine": _plain(np.sin),
    "slice": _slice,
    "transpose": lambda o, x: x.transpose(_ints(o, "permutation")),
    "xor": _plain(np.logical_xor),
}
