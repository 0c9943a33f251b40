"""Tensor arrays, and the two ops of ours that start a variable.

``create_array`` makes an empty tensor array and ``uninitialized`` a value that nothing may read;
graphs use them where a sub-block writes a variable that has no value outside yet.

The elements of an array may have LoDs of their own.  `array_lod` writes them as the one LoD that a
value has: a first level that counts the levels of each element, then these levels, element by element.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from lite.ir.types import NO_LOD, DType, Lod
from lite.ops.schema import LOD_BY_KERNEL, op
from lite.ops.view import Inferred, Meta, OpView


def array_lod(lods: Sequence[Lod]) -> Lod:
    """The LoD of a tensor array from those of its elements; none when no element has one."""
    if not any(lods):
        return NO_LOD
    return (tuple(len(lod) for lod in lods), *itertools.chain.from_iterable(lods))


def element_lods(lod: Lod, count: int) -> list[Lod]:
    """The LoDs of the `count` elements of a tensor array with this LoD."""
    if not lod:
        return [NO_LOD] * count
    levels = iter(lod[1:])
    return [tuple(itertools.islice(levels, depth)) for depth in lod[0]]


def _create_array(_: OpView) -> Inferred:
    return Meta(DType.FLOAT32, None, is_array=True)


def _uninitialized(_: OpView) -> Inferred:
    return {}


def _write(op: OpView) -> Inferred:
    return Meta(op["X"].dtype, None, is_array=True)


def _read(op: OpView) -> Inferred:
    return Meta(op["X"].dtype, None)


def _length(_: OpView) -> Inferred:
    return Meta(DType.INT64, (1,))


def _to_tensor(op: OpView) -> Inferred:
    return {"Out": Meta(op["X"].dtype, None), "OutIndex": Meta(DType.INT32, None)}


op("create_array", "", "Out", _create_array, foldable=False)
op("uninitialized", "", "Out", _uninitialized, foldable=False)
op("write_to_array", "X I:int Array?", "Out", _write, lod=LOD_BY_KERNEL)
op("read_from_array", "X I:int", "Out", _read, lod=LOD_BY_KERNEL)
op("lod_array_length", "X", "Out", _length)
op("tensor_array_to_tensor", "X", "Out OutIndex?", _to_tensor, attrs={"axis": 0, "use_stack": False})
