"""Runs a MIL program by numpy, from the documentation of each operation: Core ML itself needs macOS."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import special

from lite.ir.types import Array

Arguments = Mapping[str, Any]


def run_program(program: Any, inputs: Sequence[Array]) -> list[Array]:
    """The outputs of the function main."""
    function = program.functions["main"]
    values: dict[str, Any] = {}
    for name, array in zip(function.inputs, inputs, strict=True):
        values[name] = array
    for operation in function.operations:
        if operation.op_type == "const":
            values[operation.outputs[0].name] = operation.outputs[0].val
            continue
        arguments = {name: _value(values, given) for name, given in operation.inputs.items()}
        with np.errstate(all="ignore"):
            result = _OPERATIONS[operation.op_type](arguments)
        output = operation.outputs[0]
        array = np.asarray(result)
        assert array.shape == tuple(output.shape), (operation.op_type, array.shape, output.shape)
        values[output.name] = array.astype(np.float32) if array.dtype == np.float64 else array
    return [np.asarray(values[output.name]) for output in function.outputs]


def _value(values: Mapping[str, Any], given: Any) -> Any:
    if given is None:
        return None
    if isinstance(given, list | tuple):
        return [_value(values, each) for each in given]
    return values.get(given.name, given.val)


def _axes(a: Arguments) -> tuple[int, ...] | None:
    return None if a.get("axes") is None else tuple(int(axis) for axis in np.atleast_1d(a["axes"]))


def _reducer(function: Callable[..., Any]) -> Callable[[Arguments], Any]:
    return lambda a: function(a["x"], axis=_axes(a), keepdims=bool(a["keep_dims"]))


def _unary(function: Callable[[Array], Any]) -> Callable[[Arguments], Any]:
    return lambda a: function(a["x"])


def _binary(function: Callable[[Array, Array], Any]) -> Callable[[Arguments], Any]:
    return lambda a: function(a["x"], a["y"])


def _padded(a: Arguments) -> Array:
    pairs = np.asarray(a["pad"]).reshape(-1, 2)
    assert a["mode"] == "constant"
    return np.pad(
        a["x"], [(0, 0)] * (a["x"].ndim - len(pairs)) + pairs.tolist(), constant_values=a["constant_val"]
    )


def _patches(x: Array, kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]) -> Array:
    """float32[N, C, H', W', kH, kW]."""
    extents = [(size - 1) * step + 1 for size, step in zip(kernel, dilations, strict=True)]
    view = np.lib.stride_tricks.sliding_window_view(x, extents, axis=(2, 3))
    part: Array = view[:, :, :: strides[0], :: strides[1], :: dilations[0], :: dilations[1]]
    return part


def _conv(a: Arguments) -> Array:
    weight, groups = a["weight"], int(a["groups"])
    assert a["pad_type"] == "custom"
    pads = np.asarray(a["pad"]).reshape(-1, 2).tolist()
    x = np.pad(a["x"], [(0, 0), (0, 0), *pads])
    patches = _patches(x, weight.shape[2:], a["strides"], a["dilations"])
    parts = [
        np.einsum("nchwij,ocij->nohw", part, own, optimize=True)
        for part, own in zip(np.split(patches, groups, axis=1), np.split(weight, groups), strict=True)
    ]
    result: Array = np.concatenate(parts, axis=1)
    return result if a.get("bias") is None else result + a["bias"].reshape(-1, 1, 1)


def _conv_transpose(a: Arguments) -> Array:
    x, weight, groups = a["x"], a["weight"], int(a["groups"])
    strides, dilations = a["strides"], a["dilations"]
    spans = [
        (size - 1) * stride + (kernel - 1) * dilation + 1
        for size, stride, kernel, dilation in zip(
            x.shape[2:], strides, weight.shape[2:], dilations, strict=True
        )
    ]
    parts = []
    for part, own in zip(np.split(x, groups, axis=1), np.split(weight, groups), strict=True):
        whole = np.zeros((x.shape[0], own.shape[1], *spans))
        for i in range(own.shape[2]):
            for j in range(own.shape[3]):
                rows = slice(
                    i * dilations[0], i * dilations[0] + (x.shape[2] - 1) * strides[0] + 1, strides[0]
                )
                columns = slice(
                    j * dilations[1], j * dilations[1] + (x.shape[3] - 1) * strides[1] + 1, strides[1]
                )
                whole[:, :, rows, columns] += np.einsum("nchw,co->nohw", part, own[:, :, i, j])
        parts.append(whole)
    result = np.concatenate(parts, axis=1)
    top, bottom, left, right = (int(pad) for pad in a["pad"])
    return result[:, :, top : result.shape[2] - bottom, left : result.shape[3] - right]


def _pool(function: Callable[..., Any]) -> Callable[[Arguments], Any]:
    def pool(a: Arguments) -> Any:
        assert a["pad_type"] == "valid"
        return function(_patches(a["x"], a["kernel_sizes"], a["strides"], [1, 1]), axis=(4, 5))

    return pool


def _matmul(a: Arguments) -> Any:
    x, y = a["x"], a["y"]
    x = np.swapaxes(x, -1, -2) if a["transpose_x"] else x
    return x @ (np.swapaxes(y, -1, -2) if a["transpose_y"] else y)


def _layer_norm(a: Arguments) -> Any:
    axes, x = _axes(a), a["x"].astype(np.float64)
    centred = x - x.mean(axes, keepdims=True)
    result = centred / np.sqrt((centred**2).mean(axes, keepdims=True) + a["epsilon"])
    result = result if a.get("gamma") is None else result * a["gamma"]
    return result if a.get("beta") is None else result + a["beta"]


def _slice_by_index(a: Arguments) -> Any:
    masks = a.get("end_mask")
    parts = [
        slice(int(begin), None if masks is not None and masks[n] else int(end), int(step))
        for n, (begin, end, step) in enumerate(zip(a["begin"], a["end"], a["stride"], strict=True))
    ]
    return a["x"][tuple(parts)]


def _slice_by_size(a: Arguments) -> Any:
    parts = (
        slice(int(begin), int(begin) + int(size)) for begin, size in zip(a["begin"], a["size"], strict=True)
    )
    return a["x"][tuple(parts)]


def _upsampled(a: Arguments) -> Any:
    rows, columns = int(a["scale_factor_height"]), int(a["scale_factor_width"])
    return a["x"].repeat(rows, axis=2).repeat(columns, axis=3)


def _gelu(a: Arguments) -> Any:
    x = a["x"]
    if a["mode"] == "EXACT":
        return 0.5 * x * (1 + special.erf(x / np.sqrt(2)))
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


_CASTS = {"fp32": np.float32, "int32": np.int32, "bool": np.bool_}

_OPERATIONS: dict[str, Callable[[Arguments], Any]] = {
    **{
        name: _unary(getattr(np, name))
        for name in ("abs", "ceil", "cos", "cosh", "exp", "floor", "sign", "sin")
    },
    **{name: _unary(getattr(np, name)) for name in ("sinh", "sqrt", "square", "tan", "tanh", "logical_not")},
    **{
        name: _binary(getattr(np, name))
        for name in ("equal", "greater", "greater_equal", "less", "less_equal")
    },
    **{
        name: _binary(getattr(np, name)) for name in ("not_equal", "logical_and", "logical_or", "logical_xor")
    },
    **{name: _binary(getattr(np, name)) for name in ("maximum", "minimum")},
    "acos": _unary(np.arccos),
    "add": _binary(np.add),
    "asin": _unary(np.arcsin),
    "atan": _unary(np.arctan),
    "avg_pool": _pool(np.mean),
    "cast": lambda a: np.asarray(a["x"]).astype(_CASTS[a["dtype"]]),
    "concat": lambda a: np.concatenate(a["values"], axis=int(a["axis"])),
    "conv": _conv,
    "conv_transpose": _conv_transpose,
    "elu": lambda a: np.where(a["x"] > 0, a["x"], a["alpha"] * np.expm1(np.minimum(a["x"], 0))),
    "erf": _unary(special.erf),
    "expand_dims": lambda a: np.expand_dims(a["x"], _axes(a) or 0),
    "floor_div": _binary(np.floor_divide),
    "gather": lambda a: np.take(a["x"], a["indices"], axis=int(a["axis"])),
    "gelu": _gelu,
    "identity": lambda a: a["x"],
    "layer_norm": _layer_norm,
    "leaky_relu": lambda a: np.where(a["x"] >= 0, a["x"], a["alpha"] * a["x"]),
    "linear": lambda a: a["x"] @ a["weight"].T + (0 if a.get("bias") is None else a["bias"]),
    "log": lambda a: np.log(a["x"] + a["epsilon"]),
    "matmul": _matmul,
    "max_pool": _pool(np.max),
    "mod": _binary(np.mod),
    "mul": _binary(np.multiply),
    "pad": _padded,
    "pow": _binary(np.power),
    "real_div": _binary(np.divide),
    "reduce_argmax": lambda a: _arg(np.argmax, a),
    "reduce_argmin": lambda a: _arg(np.argmin, a),
    "reduce_log_sum_exp": lambda a: special.logsumexp(a["x"], axis=_axes(a), keepdims=bool(a["keep_dims"])),
    "reduce_max": _reducer(np.max),
    "reduce_mean": _reducer(np.mean),
    "reduce_min": _reducer(np.min),
    "reduce_prod": _reducer(np.prod),
    "reduce_sum": _reducer(np.sum),
    "reduce_sum_square": lambda a: np.sum(a["x"] ** 2, axis=_axes(a), keepdims=bool(a["keep_dims"])),
    "relu": _unary(lambda x: np.maximum(x, 0)),
    "relu6": _unary(lambda x: np.clip(x, 0, 6)),
    "reshape": lambda a: np.reshape(a["x"], [int(size) for size in a["shape"]]),
    "reverse": lambda a: np.flip(a["x"], _axes(a)),
    "round": _unary(np.rint),
    "select": lambda a: np.where(a["cond"], a["a"], a["b"]),
    "sigmoid": _unary(special.expit),
    "sigmoid_hard": lambda a: np.clip(a["alpha"] * a["x"] + a["beta"], 0, 1),
    "silu": _unary(lambda x: x * special.expit(x)),
    "slice_by_index": _slice_by_index,
    "slice_by_size": _slice_by_size,
    "softmax": lambda a: special.softmax(a["x"], axis=int(a["axis"])),
    "softplus": _unary(lambda x: np.logaddexp(0, x)),
    "softsign": _unary(lambda x: x / (1 + np.abs(x))),
    "squeeze": lambda a: np.squeeze(a["x"], _axes(a)),
    "stack": lambda a: np.stack(a["values"], axis=int(a["axis"])),
    "sub": _binary(np.subtract),
    "tile": lambda a: np.tile(a["x"], [int(count) for count in a["reps"]]),
    "transpose": lambda a: np.transpose(a["x"], [int(axis) for axis in a["perm"]]),
    "upsample_nearest_neighbor": _upsampled,
}


def _arg(function: Callable[..., Any], a: Arguments) -> Any:
    return function(a["x"], axis=int(a["axis"]), keepdims=bool(a["keep_dims"])).astype(np.int32)
