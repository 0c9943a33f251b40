"""A TFLite graph while bridges add to it.

TFLite's images have channels last, the engine's channels first.  A `Tensor` has the axes of the engine, and
is stored in one or several orders of axes.  An operator on images takes the order with channels last and
leaves its result so; elementwise operators, concatenations and reductions take whatever order is there.  So
transposes remain at the ends of a region and where axes are merged or split; a transpose of the model only
renames the axes.  Constants are transposed when the file is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.emission.tflite.graph import Operator, Option, Scales, Stored, TfliteGraph
from lite.emission.tflite.integers import in_integers
from lite.emission.tflite.schema import TYPES
from lite.errors import CompileError
from lite.ir.fresh_names import FreshNames
from lite.ir.quantized_arrays import dequantized
from lite.ir.types import Array, DType
from lite.ops.view import Meta

Order = tuple[int, ...]
"""The axis of the tensor that each axis of a stored form is."""


def plain(rank: int) -> Order:
    """The order of the engine's own axes."""
    return tuple(range(rank))


def channels_last(rank: int, *, last: bool = False) -> Order:
    """The order with channels last for an image [N, C, …]; with `last` it is [N, …, C] already."""
    return plain(rank) if last else (0, *range(2, rank), 1)


@dataclass(eq=False)
class Tensor:
    """A tensor with the engine's axes; `forms` are its stored forms by their order, the first one first."""

    dtype: DType
    shape: tuple[int, ...]
    forms: dict[Order, Stored]

    @property
    def home(self) -> Order:
        """The order that it was made in."""
        return next(iter(self.forms))

    @property
    def array(self) -> Array | None:
        """The elements of a constant in the engine's axes; None for other tensors."""
        stored = self.forms[self.home]
        return None if stored.array is None else stored.array.transpose(np.argsort(self.home))

    @property
    def rank(self) -> int:
        """The number of axes."""
        return len(self.shape)


class Builder:
    """Inputs, operators and outputs in order; methods return tensors in the engine's axes."""

    def __init__(self) -> None:
        self.graph = TfliteGraph()
        self._names: set[str] = set()
        self._fresh = FreshNames(self._names.__contains__, "_")
        self._inputs: set[Stored] = set()

    # What the conversion of a region calls.

    def input(self, name: str, meta: Meta) -> Tensor:
        """An input of the region; raises `CompileError` for one whose sizes are not known."""
        if not meta.is_static:
            raise CompileError(f"input {name} is {meta}: a TFLite model has fixed sizes")
        stored = self.stored(name, meta.dtype, meta.sizes)
        self._inputs.add(stored)
        self.graph.inputs.append((stored.name, stored))
        return self.wrap(stored)

    def constant(self, name: str, array: Array) -> Tensor:
        """A tensor that never changes."""
        stored = Stored(name, DType.from_numpy(array.dtype), array.shape, array)
        return Tensor(stored.dtype, array.shape, {plain(array.ndim): stored})

    def rounded(self, name: str, tensor: Tensor, meta: Meta) -> Tensor:
        """The tensor after QUANTIZE to int8 and DEQUANTIZE; uint8 becomes int8 of the same numbers."""
        quant = _scales(meta)
        if quant is None or len(quant.scales) > 1:
            raise CompileError(f"{name} is {meta.quant}: TFLite's activations are int8 or uint8 of one scale")
        source = tensor.forms[tensor.home]
        integers = self.stored(f"{name}_int8", DType.INT8, source.shape)
        integers.quant = quant
        self.graph.operators.append(Operator("QUANTIZE", (source,), (integers,), {}))
        return self.wrap(self.add("DEQUANTIZE", [integers], source.shape, DType.FLOAT32), tensor.home)

    def quantized_constant(self, name: str, stored: Array, meta: Meta) -> Tensor:
        """A constant of real numbers that remembers its integers."""
        if meta.quant is None:
            raise CompileError(f"{name} has no quantisation")
        tensor = self.constant(name, dequantized(stored, meta.quant, meta.dtype))
        tensor.forms[tensor.home].integers_of = _scales(meta)
        return tensor

    def finished(self) -> TfliteGraph:
        """The whole graph, which computes in int8 what is quantised."""
        return in_integers(self.graph)

    def output(self, name: str, tensor: Tensor) -> None:
        """Make a tensor the region's next output; raises `CompileError` for one without elements."""
        if 0 in tensor.shape:
            raise CompileError(f"output {name} is empty; the host runs ops on empty tensors")
        stored = self.form(tensor)
        taken = any(stored is other for _, other in self.graph.outputs)
        if taken or stored in self._inputs or stored.array is not None:
            stored = self._reshaped(stored, stored.shape)
        self.graph.outputs.append((f"{name}/{len(self.graph.outputs)}", stored))

    # Stored forms.

    def stored(self, name: str, dtype: DType, shape: Sequence[int]) -> Stored:
        """A new tensor of the file."""
        unique = self._fresh.find(name)
        self._names.add(unique)
        return Stored(unique, dtype, tuple(shape))

    def wrap(self, stored: Stored, order: Order | None = None) -> Tensor:
        """The tensor that is stored in this order."""
        order = plain(len(stored.shape)) if order is None else order
        shape = tuple(stored.shape[order.index(axis)] for axis in range(len(order)))
        return Tensor(stored.dtype, shape, {order: stored})

    def form(self, tensor: Tensor, order: Order | None = None) -> Stored:
        """The tensor stored in an order, by default that of the engine's axes."""
        order = plain(tensor.rank) if order is None else order
        if order not in tensor.forms:
            tensor.forms[order] = self._permuted(tensor, order)
        return tensor.forms[order]

    def add(
        self,
        code: str,
        inputs: Sequence[Stored | None],
        shape: Sequence[int],
        dtype: DType | None = None,
        **options: Option,
    ) -> Stored:
        """The output of a new operator; by default it has the element type of the first input."""
        first = inputs[0]
        if dtype is None:
            dtype = DType.FLOAT32 if first is None else first.dtype
        return self.operator(code, inputs, shape, dtype, options)

    def operator(
        self,
        code: str,
        inputs: Sequence[Stored | None],
        shape: Sequence[int],
        dtype: DType,
        options: Mapping[str, Option],
    ) -> Stored:
        """The output of a new operator."""
        return self.add_all(code, inputs, [shape], dtype, **options)[0]

    def add_all(
        self,
        code: str,
        inputs: Sequence[Stored | None],
        shapes: Sequence[Sequence[int]],
        dtype: DType,
        **options: Option,
    ) -> list[Stored]:
        """The outputs of a new operator."""
        outputs = tuple(self.stored(code.lower(), dtype, shape) for shape in shapes)
        self.graph.operators.append(Operator(code, tuple(inputs), outputs, options))
        return list(outputs)

    def numbers(self, *numbers: int) -> Stored:
        """A constant int32[n]."""
        return self.stored_array(np.array(numbers, np.int32))

    def stored_array(self, array: Array) -> Stored:
        """A constant as it is."""
        return Stored("constant", DType.from_numpy(array.dtype), array.shape, array)

    # Tensors in the engine's axes.

    def array(self, array: Array) -> Tensor:
        """A constant without a name of its own."""
        return self.constant("constant", array)

    def like(self, number: float, tensor: Tensor) -> Tensor:
        """A constant of rank 0 in the element type of a tensor."""
        return self.array(np.array(number, tensor.dtype.numpy))

    def unary(self, code: str, x: Tensor, dtype: DType | None = None, **options: Option) -> Tensor:
        """An elementwise operator of one tensor."""
        stored = x.forms[x.home]
        return self.wrap(self.add(code, [stored], stored.shape, dtype, **options), x.home)

    def binary(
        self, code: str, x: Tensor, y: Tensor, dtype: DType | None = None, **options: Option
    ) -> Tensor:
        """An elementwise operator of two tensors, which broadcast from the last axis."""
        return self.elementwise(code, [x, y], dtype, **options)

    def elementwise(
        self, code: str, tensors: Sequence[Tensor], dtype: DType | None = None, **options: Option
    ) -> Tensor:
        """An elementwise operator of several tensors, which broadcast from the last axis."""
        rank = max(tensor.rank for tensor in tensors)
        widened = [self.widened(tensor, rank) for tensor in tensors]
        order = _order_of(widened)
        stored = [self.form(tensor, order) for tensor in widened]
        shape = _broadcast([each.shape for each in stored])
        return self.wrap(self.add(code, stored, shape, dtype, **options), order)

    def widened(self, tensor: Tensor, rank: int) -> Tensor:
        """The tensor with axes of size 1 in front; a constant of one element as it is."""
        if tensor.rank == rank:
            return tensor
        return self.reshape(tensor, (1,) * (rank - tensor.rank) + tensor.shape)

    def reshape(self, x: Tensor, shape: Sequence[int]) -> Tensor:
        """The tensor in another shape, whose sizes are all known."""
        shape = tuple(shape)
        if shape == x.shape:
            return x
        if x.array is not None:
            stored = x.forms[x.home]
            reshaped = self.constant(stored.name, x.array.reshape(shape))
            if stored.integers_of is not None and len(stored.integers_of.scales) == 1:
                reshaped.forms[reshaped.home].integers_of = stored.integers_of
            return reshaped
        stored = x.forms[x.home] if _moves_nothing(x, plain(x.rank)) else self.form(x)
        return self.wrap(self._reshaped(stored, shape))

    def transpose(self, x: Tensor, axes: Sequence[int]) -> Tensor:
        """The tensor with its axes permuted, without an operator."""
        position = {axis: n for n, axis in enumerate(axes)}
        forms = {tuple(position[axis] for axis in order): stored for order, stored in x.forms.items()}
        return Tensor(x.dtype, tuple(x.shape[axis] for axis in axes), forms)

    def cast(self, x: Tensor, dtype: DType) -> Tensor:
        """The elements in another type; as booleans, all but zeros are true."""
        if x.dtype is dtype:
            return x
        if dtype is DType.BOOL:
            return self.binary("NOT_EQUAL", x, self.like(0, x), DType.BOOL)
        return self.unary("CAST", x, dtype, in_type=TYPES[x.dtype], out_type=TYPES[dtype])

    def reduce(self, code: str, x: Tensor, axes: Sequence[int], *, keep: bool) -> Tensor:
        """A reduction over axes, which remain with size 1 where `keep` is set."""
        order, stored = x.home, x.forms[x.home]
        reduced = sorted(order.index(axis) for axis in axes)
        shape = [1 if axis in reduced else size for axis, size in enumerate(stored.shape)]
        result = self.wrap(self.add(code, [stored, self.numbers(*reduced)], shape, keep_dims=True), order)
        if keep:
            return result
        return self.squeeze(result, axes)

    def squeeze(self, x: Tensor, axes: Sequence[int]) -> Tensor:
        """The tensor without these axes of size 1."""
        return self.reshape(x, [size for axis, size in enumerate(x.shape) if axis not in axes])

    def concat(self, tensors: Sequence[Tensor], axis: int) -> Tensor:
        """Tensors one after the other along an axis."""
        if len(tensors) == 1:
            return tensors[0]
        order = _order_of(tensors)
        stored = [self.form(tensor, order) for tensor in tensors]
        at = order.index(axis)
        shape = list(stored[0].shape)
        shape[at] = sum(each.shape[at] for each in stored)
        return self.wrap(self.add("CONCATENATION", stored, shape, axis=at), order)

    def slice(self, x: Tensor, begins: dict[int, int], sizes: dict[int, int]) -> Tensor:
        """`sizes` elements from `begins` on, by axes; other axes are whole."""
        order, stored = x.home, x.forms[x.home]
        begin = [begins.get(axis, 0) for axis in order]
        size = [sizes.get(axis, x.shape[axis]) for axis in order]
        if size == list(stored.shape):
            return x
        return self.wrap(self.add("SLICE", [stored, self.numbers(*begin), self.numbers(*size)], size), order)

    def slice_constant(self, x: Tensor, begin: int, size: int) -> Tensor:
        """`size` elements from `begin` on along axis 0, of a constant without an operator."""
        if x.array is None:
            return self.slice(x, {0: begin}, {0: size})
        return self.constant(x.forms[x.home].name, x.array[begin : begin + size])

    def pad(self, x: Tensor, pairs: dict[int, tuple[int, int]], value: float = 0.0) -> Tensor:
        """The tensor with a number of elements of a value before and after it, by axes."""
        if not any(before or after for before, after in pairs.values()):
            return x
        order, stored = x.home, x.forms[x.home]
        both = np.array([pairs.get(axis, (0, 0)) for axis in order], np.int32)
        shape = [size + int(extra) for size, extra in zip(stored.shape, both.sum(axis=1), strict=True)]
        table = self.stored_array(both)
        if value == 0:
            return self.wrap(self.add("PAD", [stored, table], shape), order)
        filler = self.stored_array(np.array([value], x.dtype.numpy))
        return self.wrap(self.add("PADV2", [stored, table, filler], shape), order)

    def matmul(self, x: Tensor, y: Tensor, *, adj_x: bool = False, adj_y: bool = False) -> Tensor:
        """The product of the last two axes of each, whose other axes broadcast; both have two at least."""
        rank = max(x.rank, y.rank)
        first, second = (self.form(self.widened(each, rank)) for each in (x, y))
        batch = _broadcast([first.shape[:-2], second.shape[:-2]])
        rows, columns = first.shape[-1 if adj_x else -2], second.shape[-2 if adj_y else -1]
        return self.wrap(
            self.add("BATCH_MATMUL", [first, second], (*batch, rows, columns), adj_x=adj_x, adj_y=adj_y)
        )

    def _reshaped(self, stored: Stored, shape: Sequence[int]) -> Stored:
        return self.add("RESHAPE", [stored, self.numbers(*shape)], shape, new_shape=list(shape))

    def _permuted(self, tensor: Tensor, order: Order) -> Stored:
        if tensor.array is not None:
            array, stored = tensor.array.transpose(order), tensor.forms[tensor.home]
            quant = stored.integers_of
            if quant is not None and len(quant.scales) > 1:
                quant = Scales(quant.scales, quant.zeros, order.index(tensor.home[quant.axis]))
            return Stored(stored.name, tensor.dtype, array.shape, array, integers_of=quant)
        stored = tensor.forms[tensor.home]
        shape = [tensor.shape[axis] for axis in order]
        if _moves_nothing(tensor, order):
            return self._reshaped(stored, shape)
        axes = [tensor.home.index(axis) for axis in order]
        return self.add("TRANSPOSE", [stored, self.numbers(*axes)], shape)


def _scales(meta: Meta) -> Scales | None:
    """The quantisation by int8; None for other storage types."""
    quant = meta.quant
    if quant is None or quant.storage not in (DType.INT8, DType.UINT8):
        return None
    zeros = np.array(quant.zero_point, np.int64) - (128 if quant.storage is DType.UINT8 else 0)
    return Scales(np.array(quant.scale, np.float64), zeros, max(quant.axis, 0))


def _order_of(tensors: Sequence[Tensor]) -> Order:
    """The order that the largest tensor of those that are computed is stored in."""
    computed = [tensor for tensor in tensors if tensor.array is None] or list(tensors)
    return max(computed, key=lambda tensor: np.prod(tensor.shape, dtype=np.int64)).home


def _moves_nothing(tensor: Tensor, order: Order) -> bool:
    """Whether the elements in that order are those of the home order: only axes of size 1 move."""
    long = [axis for axis in tensor.home if tensor.shape[axis] != 1]
    return long == [axis for axis in order if tensor.shape[axis] != 1]


def _broadcast(shapes: Sequence[Sequence[int]]) -> tuple[int, ...]:
    return tuple(next((size for size in sizes if size != 1), 1) for sizes in zip(*shapes, strict=True))
