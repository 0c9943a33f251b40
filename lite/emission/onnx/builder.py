"""An ONNX graph while bridges add to it: plain data, without the onnx package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, TypeAlias

import numpy as np

from lite.dataclass import dataclass
from lite.ir.types import Array, DType
from lite.ops.view import Meta

_SMALL = 64
"""Equal constants of at most this many bytes are stored once."""


Attributes: TypeAlias = dict[str, Any]
"""Attributes of a node, by name."""


@dataclass(eq=False)
class Tensor:
    """A named tensor of an ONNX graph; `array` has the elements of an initializer.

    The name may change until the graph is complete: an output takes the name of the graph's output.
    """

    name: str
    dtype: DType
    array: Array | None = None


Attribute: TypeAlias = "int | float | str | Array | Sequence[int] | Sequence[float] | Sequence[str] | Builder"
"""A `Builder` is a nested graph: the body of a loop, or a branch."""


@dataclass(frozen=True, eq=False)
class OnnxNode:
    """One node; an input that is None is absent."""

    op_type: str
    inputs: tuple[Tensor | None, ...]
    outputs: tuple[Tensor, ...]
    attributes: Mapping[str, Attribute]
    domain: str = ""


@dataclass
class _Names:
    """The names used in a graph and in the graphs nested in it."""

    used: set[str] = field(default_factory=set)
    count: int = 0

    def unique(self, base: str) -> str:
        name = base
        while name in self.used:
            self.count += 1
            name = f"{base}_{self.count}"
        self.used.add(name)
        return name


class Builder:
    """Inputs, nodes and outputs in order.

    A constant becomes an initializer of the model when a node reads it; its elements are not copied here.
    With `outer` the graph is nested in that one, whose tensors its nodes may read.  `results` are the names
    of later outputs; no other tensor gets such a name.
    """

    def __init__(self, opset: int, outer: Builder | None = None, results: Sequence[str] = ()) -> None:
        self.opset = opset
        self.inputs: list[tuple[Tensor, Meta]] = []
        self.nodes: list[OnnxNode] = []
        self.outputs: list[tuple[Tensor, Meta | None]] = []
        self._node_outputs: set[Tensor] = set()
        self._names: _Names = _Names() if outer is None else outer._names
        self._results = {name for name in results if name not in self._names.used}
        self._names.used |= self._results
        self._small: dict[tuple[DType, tuple[int, ...], bytes], Tensor] = (
            {} if outer is None else outer._small
        )

    def input(self, name: str, meta: Meta) -> Tensor:
        """An input of the graph."""
        tensor = Tensor(self._names.unique(name), meta.dtype)
        self.inputs.append((tensor, meta))
        return tensor

    def constant(self, name: str, array: Array) -> Tensor:
        """A tensor that never changes."""
        return Tensor(self._names.unique(name), DType.from_numpy(array.dtype), array)

    def output(self, name: str, tensor: Tensor) -> None:
        """Make a tensor the graph's next output; its name is `name`, with a number where that is used."""
        if tensor not in self._node_outputs or any(tensor is other for other, _ in self.outputs):
            tensor = self.add("Identity", tensor)
        tensor.name = name if name in self._results else self._names.unique(name)
        self._results.discard(name)
        self.outputs.append((tensor, None))

    def describe_outputs(self, metas: Sequence[Meta]) -> None:
        """Set the metas of the outputs, in order."""
        self.outputs = [(tensor, meta) for (tensor, _), meta in zip(self.outputs, metas, strict=True)]

    def add(
        self,
        op_type: str,
        *inputs: Tensor | None,
        dtype: DType | None = None,
        domain: str = "",
        **attributes: Attribute,
    ) -> Tensor:
        """The output of a new node; by default, it has the element type of the first input."""
        if dtype is None and inputs and inputs[0] is not None:
            dtype = inputs[0].dtype
        return self.add_all(op_type, inputs, [dtype or DType.FLOAT32], domain=domain, **attributes)[0]

    def add_all(
        self,
        op_type: str,
        inputs: Sequence[Tensor | None],
        dtypes: Sequence[DType],
        *,
        domain: str = "",
        **attributes: Attribute,
    ) -> list[Tensor]:
        """The outputs of a new node, of these element types."""
        outputs = tuple(Tensor(self._names.unique(op_type), dtype) for dtype in dtypes)
        self._node_outputs.update(outputs)
        present = list(inputs)
        while present and present[-1] is None:
            present.pop()
        self.nodes.append(OnnxNode(op_type, tuple(present), outputs, attributes, domain))
        return list(outputs)

    def array(self, array: Array) -> Tensor:
        """A constant without its own name."""
        if array.nbytes > _SMALL:
            return self.constant("constant", array)
        key = (DType.from_numpy(array.dtype), array.shape, array.tobytes())
        if key not in self._small:
            self._small[key] = self.constant("constant", array)
        return self._small[key]

    def ints(self, *numbers: int) -> Tensor:
        """A constant int64[n]."""
        return self.array(np.array(numbers, np.int64))

    def scalar(self, value: float, dtype: DType) -> Tensor:
        """A constant of rank 0."""
        return self.array(np.array(value, dtype.numpy))

    def cast(self, tensor: Tensor, dtype: DType) -> Tensor:
        """The tensor in an element type; the tensor itself where it has that type."""
        if tensor.dtype is dtype:
            return tensor
        return self.add("Cast", tensor, dtype=dtype, to=ONNX_CODES[dtype])

    def reshape(self, tensor: Tensor, *sizes: int) -> Tensor:
        """The tensor in another shape, in which 0 keeps the size of that axis and one size may be -1."""
        return self.add("Reshape", tensor, self.ints(*sizes))

    def flat(self, tensor: Tensor) -> Tensor:
        """The tensor as a vector."""
        return self.reshape(tensor, -1)

    def rank_0(self, tensor: Tensor) -> Tensor:
        """The only element of a tensor, as a tensor of rank 0."""
        return self.reshape(tensor)

    def transpose(self, tensor: Tensor, perm: Sequence[int]) -> Tensor:
        """The tensor with its axes permuted; the tensor itself for the identity."""
        if list(perm) == sorted(perm):
            return tensor
        return self.add("Transpose", tensor, perm=list(perm))

    def channels_first(self, image: Tensor, rank: int, *, last: bool) -> Tensor:
        """An image as [N, C, …], which ONNX's ops take; with `last` it is [N, …, C]."""
        return self.transpose(image, [0, rank - 1, *range(1, rank - 1)]) if last else image

    def channels_restored(self, image: Tensor, rank: int, *, last: bool) -> Tensor:
        """An image [N, C, …] in its own layout: with `last`, as [N, …, C]."""
        return self.transpose(image, [0, *range(2, rank), 1]) if last else image

    def unsqueeze(self, tensor: Tensor, *axes: int) -> Tensor:
        """The tensor with axes of size 1 at these positions of the result; the tensor itself for none."""
        return self.add("Unsqueeze", tensor, self.ints(*axes)) if axes else tensor

    def squeeze(self, tensor: Tensor, *axes: int) -> Tensor:
        """The tensor without these axes of size 1; the tensor itself for none."""
        return self.add("Squeeze", tensor, self.ints(*axes)) if axes else tensor

    def sizes(self, tensor: Tensor) -> Tensor:
        """The shape of a tensor, int64[rank]."""
        return self.add("Shape", tensor, dtype=DType.INT64)

    def size(self, tensor: Tensor, axis: int) -> Tensor:
        """The size of one axis, int64[1]."""
        end: Attributes = {} if axis == -1 else {"end": axis + 1}
        return self.add("Shape", tensor, dtype=DType.INT64, start=axis, **end)

    def slice(
        self,
        tensor: Tensor,
        starts: Sequence[int],
        ends: Sequence[int],
        axes: Sequence[int],
        steps: Sequence[int] | None = None,
    ) -> Tensor:
        """A Slice with known bounds."""
        step = None if steps is None else self.ints(*steps)
        return self.add("Slice", tensor, self.ints(*starts), self.ints(*ends), self.ints(*axes), step)


ONNX_CODES: dict[DType, int] = {
    DType.FLOAT32: 1,
    DType.UINT8: 2,
    DType.INT8: 3,
    DType.UINT16: 4,
    DType.INT16: 5,
    DType.INT32: 6,
    DType.INT64: 7,
    DType.STRING: 8,
    DType.BOOL: 9,
    DType.FLOAT16: 10,
    DType.FLOAT64: 11,
    DType.UINT32: 12,
    DType.UINT64: 13,
    DType.COMPLEX64: 14,
    DType.COMPLEX128: 15,
    DType.BFLOAT16: 16,
    DType.FLOAT8_E4M3FN: 17,
    DType.FLOAT8_E5M2: 19,
}
"""The numbers of element types in ONNX (TensorProto.DataType)."""
