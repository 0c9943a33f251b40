"""Cases of single ops on small tensors: layers of `layers`, and ops that ONNX spells in one node."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from lite.ir.types import Array, DType
from tests.support.twins import layers
from tests.support.twins.network import TwinNetwork
from tests.support.twins.networks import TwinModel
from tests.support.twins.recurrent import recurrent

SHAPES: Sequence[tuple[int, ...]] = ((3,), (2, 5), (2, 3, 4, 4))
IMAGE = (2, 4, 7, 6)


def op_cases() -> dict[str, list[TwinModel]]:
    """The cases of each class by its name; a class has the cases of one op or of one family."""
    return {name: list(make()) for name, make in _CLASSES.items()}


def _case(build: Callable[..., Any], *arrays: Array) -> TwinModel:
    """A case of one layer on fed values; sizes of the inputs are fixed."""
    net = TwinNetwork(len(arrays) + sum(array.size for array in arrays))
    names = [net.input(f"x{n}", array.shape, DType.from_numpy(array.dtype)) for n, array in enumerate(arrays)]
    outputs = build(net, *names)
    listed = (outputs,) if isinstance(outputs, str) else tuple(outputs)
    return TwinModel(net, listed, dict(zip(names, arrays, strict=True)))


def _floats(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def _single(
    net: TwinNetwork, *names: str, paddle: str, onnx: str, slots: Sequence[str], out: str = "Out",
    attrs: Mapping[str, Any] | None = None, onnx_attrs: Mapping[str, Any] | None = None,
    constants: Sequence[Array] = (), dtype: DType | None = None,
) -> str:  # fmt: skip
    """An op that is one node in ONNX; `constants` are further inputs of the node."""
    written = net.name()
    net.op(paddle, dict(zip(slots, names, strict=True)), {out: written}, **(attrs or {}))
    net.node(onnx, [*names, *map(net.onnx_constant, constants)], written, **(onnx_attrs or {}))
    return written


def _activations() -> Iterator[TwinModel]:
    for kind, shape in product(layers.ACTIVATIONS, SHAPES):
        yield _case(partial(layers.activation, kind=kind), 2 * _floats(*shape))
    yield _case(layers.gelu, _floats(2, 5))


def _elementwise() -> Iterator[TwinModel]:
    for kind, shape in product(layers.ELEMENTWISE, ((2, 3, 4), (4,), (2, 1, 4))):
        y = np.abs(_floats(*shape, seed=1)) + 0.5
        yield _case(lambda net, x, y, kind=kind: layers.elementwise(net, kind, x, y), _floats(2, 3, 4), y)


def _comparisons() -> Iterator[TwinModel]:
    x, y = (np.random.default_rng(n).integers(-2, 3, (3, 4)) for n in (0, 1))
    names = {"less_than": "Less", "greater_than": "Greater", "less_equal": "LessOrEqual", "equal": "Equal"}
    for (paddle, onnx), dtype in product(names.items(), (np.float32, np.int64)):
        build = partial(_single, paddle=paddle, onnx=onnx, slots="XY", attrs={"axis": -1})
        yield _case(build, x.astype(dtype), y.astype(dtype))
    for paddle, onnx in {"logical_and": "And", "logical_or": "Or", "logical_xor": "Xor"}.items():
        yield _case(partial(_single, paddle=paddle, onnx=onnx, slots="XY"), x > 0, y > 0)
    yield _case(partial(_single, paddle="logical_not", onnx="Not", slots="X"), x > 0)


def _convolutions() -> Iterator[TwinModel]:
    for size, stride, dilation, groups in product((1, 3, 5), (1, 2), (1, 2), (1, 2, 4)):
        if size > 1 or dilation == 1:
            build = partial(
                layers.conv, channels=(4, 4 if groups == 4 else 6), size=size, stride=stride,
                dilation=dilation, groups=groups,
            )  # fmt: skip
            yield _case(build, _floats(*IMAGE))


def _transposed_convolutions() -> Iterator[TwinModel]:
    for size, stride in ((1, 1), (2, 2), (3, 2), (3, 1), (4, 3)):
        yield _case(
            partial(layers.conv_transpose, channels=(4, 3), size=size, stride=stride), _floats(*IMAGE)
        )


def _pooling() -> Iterator[TwinModel]:
    for kind, (size, stride, pad), ceil in product(
        ("max", "avg"), ((2, 2, 0), (3, 1, 1), (3, 2, 1), (2, 1, 0)), (False, True)
    ):
        if not (kind == "avg" and ceil):
            build = partial(layers.pool, kind=kind, size=size, stride=stride, pad=pad, ceil=ceil)
            yield _case(build, _floats(*IMAGE))
    yield _case(layers.global_pool, _floats(*IMAGE))


def _resize() -> Iterator[TwinModel]:
    for mode, factor in product(("nearest", "bilinear"), (1.0, 2.0, 3.0)):
        yield _case(partial(layers.resize, mode=mode, factor=factor), _floats(*IMAGE))


def _norms() -> Iterator[TwinModel]:
    yield _case(partial(layers.batch_norm, channels=4), _floats(*IMAGE))
    for rank in (2, 3, 4):
        yield _case(partial(layers.layer_norm, width=6, axis=rank - 1), _floats(*(2, 3, 4)[: rank - 1], 6))
    for shape, axis in ((s, a) for s in SHAPES for a in (-1, 0)):
        yield _case(partial(layers.softmax, axis=axis), 3 * _floats(*shape))
        yield _case(
            partial(
                _single, paddle="log_softmax", onnx="LogSoftmax", slots="X",
                attrs={"axis": axis}, onnx_attrs={"axis": axis},
            ),
            3 * _floats(*shape),
        )  # fmt: skip


def _reductions() -> Iterator[TwinModel]:
    for kind, axes, keep in product(("sum", "mean", "max", "min"), ([0], [1, 2], [-1]), (True, False)):
        yield _case(partial(layers.reduce, kind=kind, axes=axes, keep=keep), _floats(2, 3, 4))


def _products() -> Iterator[TwinModel]:
    for x, y in (((3, 4), (4, 5)), ((2, 3, 4), (2, 4, 5)), ((2, 3, 4), (4, 5)), ((2, 2, 3, 4), (2, 4, 3))):
        yield _case(layers.matmul, _floats(*x), _floats(*y, seed=1))
    for shape in ((3, 4), (2, 3, 4)):
        yield _case(partial(layers.linear, read=4, written=5), _floats(*shape))


def _shapes() -> Iterator[TwinModel]:
    x = _floats(2, 3, 4)
    for shape in ((6, 4), (0, -1), (-1,), (0, 0, 2, 2)):
        yield _case(lambda net, x, shape=shape: layers.reshape(net, x, *shape), x)
    for axes in ((1, 0, 2), (2, 1, 0), (0, 2, 1)):
        yield _case(lambda net, x, axes=axes: layers.transpose(net, x, *axes), x)
    for axis in (0, 1, 2):
        yield _case(partial(layers.unsqueeze, axis=axis), x)
        yield _case(partial(layers.cut, axis=axis, start=0, end=2), x)
        yield _case(partial(layers.cut, axis=axis, start=-2, end=9), x)
        yield _case(lambda net, x, y, axis=axis: layers.concat(net, [x, y], axis), x, x + 1)
    yield _case(partial(layers.squeeze, axis=1), _floats(2, 1, 4))
    yield _case(partial(layers.split, sections=[1, 2, 1], axis=2), x)
    for repeats in ((2, 1, 1), (1, 2, 3)):
        yield _case(
            partial(
                _single, paddle="tile", onnx="Tile", slots="X",
                attrs={"repeat_times": list(repeats)}, constants=[np.array(repeats)],
            ),
            x,
        )  # fmt: skip
    yield _case(
        partial(
            _single, paddle="expand_v2", onnx="Expand", slots="X",
            attrs={"shape": [2, 3, 4]}, constants=[np.array([2, 3, 4])],
        ),
        _floats(3, 1),
    )  # fmt: skip


def _indexing() -> Iterator[TwinModel]:
    x, rows = _floats(5, 3), np.array([3, 0, 3])
    yield _case(
        partial(
            _single, paddle="gather", onnx="Gather", slots=("X", "Index"),
            attrs={"axis": 0}, onnx_attrs={"axis": 0},
        ),
        x, rows,
    )  # fmt: skip
    points = np.array([[0, 1], [4, 2]])
    yield _case(partial(_single, paddle="gather_nd", onnx="GatherND", slots=("X", "Index")), x, points)
    yield _case(partial(layers.embedding, words=6, width=4), np.array([[1, 5], [0, 2]]))
    yield _case(
        partial(_single, paddle="where", onnx="Where", slots=("Condition", "X", "Y")), x > 0, x, x * 10
    )
    for axis in (0, 1):
        yield _case(
            partial(
                _single, paddle="arg_max", onnx="ArgMax", slots="X",
                attrs={"axis": axis, "keepdims": False, "dtype": DType.INT64.code},
                onnx_attrs={"axis": axis, "keepdims": 0},
            ),
            x,
        )  # fmt: skip
        yield _case(
            partial(
                _single, paddle="cumsum", onnx="CumSum", slots="X",
                attrs={"axis": axis}, constants=[np.array(axis)],
            ),
            x,
        )  # fmt: skip


def _casts() -> Iterator[TwinModel]:
    types = (DType.FLOAT32, DType.INT32, DType.INT64, DType.BOOL)
    for source, target in product(types, types):
        x = np.array([[-2, 0, 1], [3, 0, -1]]).astype(source.numpy)
        numpy_code = {DType.FLOAT32: 1, DType.INT32: 6, DType.INT64: 7, DType.BOOL: 9}[target]
        yield _case(
            partial(
                _single, paddle="cast", onnx="Cast", slots="X",
                attrs={"in_dtype": source.code, "out_dtype": target.code}, onnx_attrs={"to": numpy_code},
            ),
            x,
        )  # fmt: skip


def _recurrent() -> Iterator[TwinModel]:
    for kind, both in product(("LSTM", "GRU"), (False, True)):
        yield _case(
            partial(recurrent, kind=kind, read=3, hidden=4, batch=2, both_ways=both), _floats(5, 2, 3)
        )


_CLASSES: Mapping[str, Callable[[], Iterator[TwinModel]]] = {
    f"own_{make.__name__.strip('_')}": make
    for make in (
        _activations, _casts, _comparisons, _convolutions, _elementwise, _indexing, _norms, _pooling,
        _products, _recurrent, _reductions, _resize, _shapes, _transposed_convolutions,
    )
}  # fmt: skip
