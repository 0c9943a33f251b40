"""The SDK's graph of a region in int8, built by the same bridges as in float32.

A bridge adds operators on real numbers.  Their integer operators are added when the result is rounded,
because they need its scale: a layer becomes one operator, functions of one tensor become a table.  Operators
that move elements are added at once.  Weights become int8, with a scale for each output channel, and biases
int32.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lite.bridges.sim_npu.fixed_point import fixed_points, shared_shift
from lite.bridges.sim_npu.limits import static_shape
from lite.dataclass import dataclass
from lite.errors import CompileError
from lite.ir.graph import Quant
from lite.ir.quantized_arrays import dequantized, quantized
from lite.ir.types import Array, DType
from lite.ops.view import Meta

if TYPE_CHECKING:
    from lite.bridges.sim_npu import sdk

TABLE_KINDS = frozenset(
    {"RELU", "CLIP", "LEAKY_RELU", "SIGMOID", "TANH", "HARD_SIGMOID", "HARD_SWISH", "GELU"}
)
_ARITHMETIC = frozenset({"ADD", "SUB", "MUL", "DIV", "MAX", "MIN"})
_FREE = {"NONE": (-np.inf, np.inf), "RELU": (0.0, np.inf), "RELU6": (0.0, 6.0)}
_INTEGERS = np.arange(-128, 128).astype(np.int8)

Emit = Callable[[Quant], "sdk.Tensor"]
"""Adds the operator of a tensor whose result has this quantisation."""


@dataclass(eq=False)
class Int8Tensor:
    """A constant with `data`; a tensor `stored` on the chip; or one that becomes it when it is rounded.

    The latter is a layer (`emit`), or a function of the tensor `base` with the real results `table`.
    """

    shape: tuple[int, ...]
    data: Array | None = None
    stored: sdk.Tensor | None = None
    quant: Quant | None = None
    base: Int8Tensor | None = None
    table: Array | None = None
    emit: Emit | None = None
    dtype: str = "float32"


class Int8Builder:
    """Has the methods of `Builder` that bridges call; inputs and outputs of the region are int8."""

    def __init__(self) -> None:
        from lite.bridges.sim_npu import sdk

        self.graph = sdk.Graph()
        self._operators = sdk.OPERATORS

    def input(self, name: str, meta: Meta) -> Int8Tensor:
        """An input of the region: integers."""
        if not meta.is_static or 0 in meta.dims:
            raise CompileError(f"input {name!r} is {meta}; the chip needs its size, which is not 0")
        if meta.dtype is not DType.INT8 and meta.quant is None:
            raise CompileError(f"input {name!r} is {meta}; the chip needs its range")
        stored = self.graph.input(f"{len(self.graph.inputs)}:{name}", static_shape(meta), "int8")
        return Int8Tensor(stored.shape, stored=stored, quant=meta.quant)

    def constant(self, name: str, array: Array) -> Int8Tensor:
        """A constant of real numbers."""
        return Int8Tensor(array.shape or (1,), data=array if array.ndim else array.reshape(1))

    def quantized_constant(self, name: str, stored: Array, meta: Meta) -> Int8Tensor:
        """The real numbers of a constant, which its layer rounds for the chip."""
        if meta.quant is None:
            raise CompileError(f"constant {name!r} is not quantised")
        return self.constant(name, dequantized(stored, meta.quant, meta.dtype))

    def output(self, name: str, tensor: Int8Tensor) -> None:
        """The region's next output."""
        self.graph.output(f"{len(self.graph.outputs)}:{name}", self._stored(tensor))

    def with_quant(self, tensor: Int8Tensor, quant: Quant | None) -> Int8Tensor:
        """The same integers, which stand for other numbers."""
        return Int8Tensor(tensor.shape, stored=self._stored(tensor), quant=quant)

    def rounded(self, name: str, tensor: Int8Tensor, meta: Meta) -> Int8Tensor:
        """The tensor on the chip, with the quantisation of the value."""
        quant = meta.quant
        if quant is None or quant.per_axis or quant.storage is not DType.INT8:
            raise CompileError(f"{name!r} is {meta}, expected one scale and int8")
        if tensor.data is not None:
            stored = self.graph.constant(name, quantized(tensor.data.astype(np.float32), quant))
        elif tensor.emit is not None:
            stored = tensor.emit(quant)
        elif tensor.base is not None and tensor.table is not None:
            stored = self._lookup(self._stored(tensor.base), quantized(tensor.table, quant))
        else:
            stored = self._requantized(tensor, quant)
        return Int8Tensor(stored.shape, stored=stored, quant=quant)

    def scalar(self, value: float, like: Int8Tensor) -> Int8Tensor:
        """A constant of one element, of the rank of `like`."""
        return self.constant("scalar", np.full((1,) * len(like.shape), value, np.float32))

    def reshape(self, tensor: Int8Tensor, shape: Sequence[int]) -> Int8Tensor:
        """The tensor in another shape."""
        if tensor.shape == tuple(shape):
            return tensor
        if tensor.data is not None:
            return self.constant("reshaped", tensor.data.reshape(shape))
        return self.add("RESHAPE", tensor, shape=list(shape))

    def split(self, tensor: Int8Tensor, axis: int, sizes: Sequence[int]) -> list[Int8Tensor]:
        """The parts of a tensor along an axis."""
        parts = self.graph.add("SPLIT", self._stored(tensor), axis=axis, sizes=sizes)
        return [Int8Tensor(part.shape, stored=part, quant=tensor.quant) for part in parts]

    def add(self, kind: str, *inputs: Int8Tensor, **attributes: Any) -> Int8Tensor:
        """The result of an operator on real numbers; raises `CompileError` for one without an int8 form."""
        if kind in TABLE_KINDS or (kind in _ARITHMETIC and _one_base(inputs) is not None):
            return self._table(kind, inputs, attributes)
        if kind in ("CONV_2D", "CONV_TRANSPOSE_2D", "FULLY_CONNECTED"):
            return self._layer(kind, inputs, attributes)
        if kind == "SCALE_SHIFT" and len(inputs[0].shape) == 4:
            return self._scale_shift(*inputs)
        if kind in ("ADD", "SUB", "MUL"):
            return self._arithmetic(kind, inputs)
        if kind == "REDUCE_MEAN":
            return self._mean(inputs[0], list(attributes["axes"]))
        if kind == "POOL_2D":
            return self._pool(inputs[0], attributes)
        if kind == "CONCAT":
            return self._concat(inputs, attributes)
        if kind in ("RESHAPE", "TRANSPOSE", "SLICE", "PAD") or (
            kind == "RESIZE" and attributes["mode"] == "NEAREST"
        ):
            return self._moved(kind, inputs[0], attributes)
        raise CompileError(f"the chip has no {kind} for int8")

    def _stored(self, tensor: Int8Tensor) -> sdk.Tensor:
        if tensor.stored is None:
            raise CompileError("the chip needs a range for each tensor, and an inner result has none")
        return tensor.stored

    def _add(self, kind: str, *inputs: sdk.Tensor, **attributes: Any) -> sdk.Tensor:
        (output,) = self.graph.add(kind, *inputs, **attributes)
        return output

    def _lookup(self, stored: sdk.Tensor, table: Array) -> sdk.Tensor:
        return self._add("Q_LOOKUP", stored, self.graph.constant("table", table))

    def _requantized(self, tensor: Int8Tensor, quant: Quant) -> sdk.Tensor:
        stored = self._stored(tensor)
        return stored if tensor.quant == quant else self._lookup(stored, quantized(_reals(tensor), quant))

    def _deferred(self, shape: Sequence[int], emit: Emit) -> Int8Tensor:
        return Int8Tensor(tuple(shape), emit=emit)

    def _table(self, kind: str, inputs: Sequence[Int8Tensor], attributes: dict[str, Any]) -> Int8Tensor:
        base = _one_base(inputs)
        if base is None or base.stored is None:
            raise CompileError(f"the chip needs a range for the input of {kind}")
        arrays = [each.data.reshape(1) if each.data is not None else _reals(each) for each in inputs]
        with np.errstate(all="ignore"):
            (results,) = self._operators[kind].execute(arrays, attributes)
        return Int8Tensor(base.shape, base=base, table=np.nan_to_num(results).astype(np.float32))

    def _layer(self, kind: str, inputs: Sequence[Int8Tensor], attributes: dict[str, Any]) -> Int8Tensor:
        x, weights = inputs[0], inputs[1].data
        if weights is None:
            raise CompileError(f"the weights of {kind} are computed; the chip keeps them as constants")
        stored, x_quant = self._stored(x), _quant(x)
        groups = int(attributes.get("groups", 1))
        axis = {"CONV_2D": 0, "CONV_TRANSPOSE_2D": 1, "FULLY_CONNECTED": 1}[kind]
        # The outputs of a transposed convolution are the columns of each group of its filter.
        by_group = kind == "CONV_TRANSPOSE_2D" and groups > 1
        channels = weights.shape[axis] * (groups if by_group else 1)
        integers, scales = _by_channel(weights, axis, groups if by_group else 1)
        bias = np.zeros(channels) if len(inputs) < 3 or inputs[2].data is None else inputs[2].data.reshape(-1)
        sums = scales * x_quant.scale[0]
        limits = np.iinfo(np.int32)
        wide = np.clip(np.rint(bias / sums), limits.min, limits.max).astype(np.int32)
        low, high = _FREE[str(attributes.get("activation", "NONE"))]
        kept = {name: value for name, value in attributes.items() if name != "activation"}

        def emit(quant: Quant) -> sdk.Tensor:
            return self._add(
                f"Q_{kind}",
                stored,
                self.graph.constant("weights", integers),
                self.graph.constant("bias", wide),
                zero=x_quant.zero_point[0],
                out_zero=quant.zero_point[0],
                low=_integer(low, quant),
                high=_integer(high, quant),
                **fixed_points((sums / quant.scale[0]).tolist()),
                **kept,
            )

        return self._deferred(self._shape_of(kind, [stored.shape, weights.shape], attributes), emit)

    def _scale_shift(self, x: Int8Tensor, factor: Int8Tensor, shift: Int8Tensor) -> Int8Tensor:
        """A factor and a term for each channel: a convolution of one pixel in as many groups."""
        if factor.data is None or shift.data is None:
            raise CompileError("the chip keeps the factors of SCALE_SHIFT as constants")
        weights = self.constant("factor", factor.data.reshape(-1, 1, 1, 1))
        return self._layer("CONV_2D", (x, weights, shift), {"groups": x.shape[1]})

    def _shape_of(
        self, kind: str, shapes: Sequence[tuple[int, ...]], attributes: dict[str, Any]
    ) -> tuple[int, ...]:
        """The shape of an operator's result, by its rule for real numbers."""
        from lite.bridges.sim_npu.sdk.tensor import TensorType

        entry = self._operators[kind]
        types = [TensorType("float32", shape) for shape in shapes]
        values: dict[str, Any] = {
            name: list(value) if isinstance(value, tuple) else value for name, value in attributes.items()
        }
        defaults: dict[str, Any] = dict(entry.defaults)
        (result,) = entry.infer(types, {**defaults, **values})
        return result.shape

    def _arithmetic(self, kind: str, inputs: Sequence[Int8Tensor]) -> Int8Tensor:
        first, second = (self._operand(tensor) for tensor in inputs)
        a, b = _quant(first), _quant(second)
        sign = -1.0 if kind == "SUB" else 1.0

        def emit(quant: Quant) -> sdk.Tensor:
            out = quant.scale[0]
            if kind == "MUL":
                scales = fixed_points([a.scale[0] * b.scale[0] / out])
            else:
                scales = shared_shift([a.scale[0] / out, sign * b.scale[0] / out])
            return self._add(
                "Q_MUL" if kind == "MUL" else "Q_ADD",
                self._stored(first),
                self._stored(second),
                zero=a.zero_point[0],
                other_zero=b.zero_point[0],
                out_zero=quant.zero_point[0],
                **scales,
            )

        return self._deferred(np.broadcast_shapes(first.shape, second.shape), emit)

    def _operand(self, tensor: Int8Tensor) -> Int8Tensor:
        """The tensor, or a constant with a scale for its greatest magnitude."""
        if tensor.data is None:
            return tensor
        reach = float(np.abs(tensor.data).max(initial=0.0)) or 1.0
        quant = Quant((reach / 127,), (0,), -1, DType.INT8)
        stored = self.graph.constant("operand", quantized(tensor.data.astype(np.float32), quant))
        return Int8Tensor(tensor.shape, stored=stored, quant=quant)

    def _mean(self, x: Int8Tensor, axes: list[int]) -> Int8Tensor:
        stored, own = self._stored(x), _quant(x)
        count = int(np.prod([x.shape[axis] for axis in axes]))

        def emit(quant: Quant) -> sdk.Tensor:
            scales = fixed_points([own.scale[0] / quant.scale[0] / count])
            zeros = {"zero": own.zero_point[0], "out_zero": quant.zero_point[0]}
            return self._add("Q_MEAN", stored, axes=axes, **zeros, **scales)

        return self._deferred([1 if n in axes else size for n, size in enumerate(x.shape)], emit)

    def _pool(self, x: Int8Tensor, attributes: dict[str, Any]) -> Int8Tensor:
        stored, own = self._stored(x), _quant(x)
        if attributes["mode"] == "MAX":
            pooled = self._add("Q_POOL_2D", stored, multipliers=[0], shifts=[1], **attributes)
            return Int8Tensor(pooled.shape, stored=pooled, quant=own)
        most = int(np.prod(attributes["kernel"]))

        def emit(quant: Quant) -> sdk.Tensor:
            ratio = own.scale[0] / quant.scale[0]
            scales = fixed_points([ratio / count for count in range(1, most + 1)])
            zeros = {"zero": own.zero_point[0], "out_zero": quant.zero_point[0]}
            return self._add("Q_POOL_2D", stored, **zeros, **scales, **attributes)

        return self._deferred(self._shape_of("POOL_2D", [stored.shape], attributes), emit)

    def _concat(self, inputs: Sequence[Int8Tensor], attributes: dict[str, Any]) -> Int8Tensor:
        tensors = [self._operand(tensor) for tensor in inputs]
        axis = int(attributes["axis"])
        shape = list(tensors[0].shape)
        shape[axis] = sum(tensor.shape[axis] for tensor in tensors)

        def emit(quant: Quant) -> sdk.Tensor:
            return self._add("CONCAT", *(self._requantized(tensor, quant) for tensor in tensors), axis=axis)

        return self._deferred(shape, emit)

    def _moved(self, kind: str, x: Int8Tensor, attributes: dict[str, Any]) -> Int8Tensor:
        """The operator on the integers; after a layer, once that is rounded."""
        if x.emit is not None and kind == "RESHAPE":
            emit = x.emit
            return self._deferred(
                attributes["shape"], lambda quant: self._add(kind, emit(quant), shape=attributes["shape"])
            )
        stored, quant = self._stored(x), _quant(x)
        if kind == "PAD":
            value = quantized(np.array([attributes["value"]], np.float32), quant)
            attributes = {**attributes, "value": int(value[0])}
        moved = self._add(kind, stored, **attributes)
        return Int8Tensor(moved.shape, stored=moved, quant=quant)


def _quant(tensor: Int8Tensor) -> Quant:
    if tensor.quant is None:
        raise CompileError("the chip needs a range for each tensor, and an inner result has none")
    return tensor.quant


def _reals(tensor: Int8Tensor) -> Array:
    """What the 256 integers of the tensor, or of the base of its table, stand for."""
    return tensor.table if tensor.table is not None else dequantized(_INTEGERS, _quant(tensor), DType.FLOAT32)


def _one_base(inputs: Sequence[Int8Tensor]) -> Int8Tensor | None:
    """The tensor of which all inputs are functions, beside numbers; None for several tensors."""
    bases = {tensor.base or tensor for tensor in inputs if tensor.data is None}
    numbers = all(tensor.data is None or tensor.data.size == 1 for tensor in inputs)
    base = bases.pop() if len(bases) == 1 else None
    return base if numbers and base is not None and base.stored is not None else None


def _integer(real: float, quant: Quant) -> int:
    """A bound as an integer of the result."""
    number = real / quant.scale[0] + quant.zero_point[0]
    return int(np.clip(np.rint(np.clip(number, -1e9, 1e9)), -128, 127))


def _by_channel(weights: Array, axis: int, groups: int) -> tuple[Array, Array]:
    """Weights as int8 with the scale of each output channel."""
    grouped = weights.astype(np.float64).reshape(groups, -1, *weights.shape[1:])
    others = tuple(n for n in range(grouped.ndim) if n not in (0, axis + 1))
    reach = np.abs(grouped).max(axis=others)
    scales = np.where(reach < 1e-30, 1.0, reach / 127)
    shape = [1] * grouped.ndim
    shape[0], shape[axis + 1] = groups, grouped.shape[axis + 1]
    integers = np.clip(np.rint(grouped / scales.reshape(shape)), -127, 127).astype(np.int8)
    return integers.reshape(weights.shape), scales.reshape(-1)
