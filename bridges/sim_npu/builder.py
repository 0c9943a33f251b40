"""The SDK's graph of a region while bridges add to it.

The engine calls `input`, `constant` and `output`; bridges call the other methods.  The SDK is imported when a
builder is created, not before: bridges are listed where there is no SDK as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from lite.bridges.sim_npu.limits import static_shape
from lite.errors import CompileError
from lite.ir.graph import Quant
from lite.ir.types import Array
from lite.ops.view import Meta
from lite.plugin.device import Conversion

if TYPE_CHECKING:
    from lite.bridges.sim_npu.sdk import Tensor

Context: TypeAlias = "Conversion[Builder, Tensor]"
"""What `convert` of a bridge receives."""


class Builder:
    """Adds tensors and nodes to an SDK graph."""

    def __init__(self) -> None:
        from lite.bridges.sim_npu import sdk

        self.graph = sdk.Graph()

    def input(self, name: str, meta: Meta) -> Tensor:
        """An input of the region; raises `CompileError` for an unknown size or a size of 0.

        Two versions of a variable share a name, so each input's name begins with its number.
        """
        if not meta.is_static:
            raise CompileError(f"input {name!r} is {meta}; the device's shapes are static")
        if 0 in meta.dims:
            raise CompileError(f"input {name!r} is {meta}; the device has no tensors without elements")
        return self.graph.input(f"{len(self.graph.inputs)}:{name}", static_shape(meta), str(meta.dtype))

    def constant(self, name: str, array: Array) -> Tensor:
        """A tensor that never changes; one of rank 0, which the device lacks, becomes float32[1]."""
        return self.graph.constant(name, array if array.ndim else array.reshape(1))

    def output(self, name: str, tensor: Tensor) -> None:
        """The region's next output."""
        self.graph.output(f"{len(self.graph.outputs)}:{name}", tensor)

    def add(self, kind: str, *inputs: Tensor, **attributes: Any) -> Tensor:
        """The output of a new node that has one."""
        (output,) = self.graph.add(kind, *inputs, **attributes)
        return output

    def with_quant(self, tensor: Tensor, quant: Quant | None) -> Tensor:
        """The tensor; a graph of real numbers has no other integers."""
        return tensor

    def split(self, tensor: Tensor, axis: int, sizes: Sequence[int]) -> Sequence[Tensor]:
        """The parts of a tensor along an axis."""
        return self.graph.add("SPLIT", tensor, axis=axis, sizes=sizes)

    def reshape(self, tensor: Tensor, shape: Sequence[int]) -> Tensor:
        """The tensor in another shape; no node where it has that shape or is a constant."""
        if tensor.shape == tuple(shape):
            return tensor
        if tensor.data is not None:
            return self.constant("reshaped", tensor.data.reshape(shape))
        return self.add("RESHAPE", tensor, shape=shape)

    def scalar(self, value: float, like: Tensor) -> Tensor:
        """A constant of one element, of the rank and element type of `like`."""
        return self.constant("scalar", np.full((1,) * len(like.shape), value, like.dtype))
