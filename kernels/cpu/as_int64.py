"""Indices and lengths as the compiled functions read them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.element_types import ELEMENT_TYPES, INT64
from lite.kernels.cpu.native.function import FREE, Function
from lite.ops import Meta
from lite.plugin.kernel import Array, PrepareContext

_convert = Function("elements.convert")


def as_int64(ctx: PrepareContext, index: Meta) -> Callable[[Array], Array] | None:
    """What gives the integers of an array as int64: itself, or converted ones in scratch memory.

    None for elements that cannot be converted.
    """
    if index.dtype is DType.INT64:
        return lambda array: array
    kind = ELEMENT_TYPES.get(index.dtype)
    if kind is None or not index.dtype.is_integer:
        return None
    memory = ctx.scratch(index.sizes, np.int64)
    convert = _convert.bind(FREE, FREE, kind, INT64, count=math.prod(index.sizes))

    def converted(array: Array) -> Array:
        convert(array, memory.array)
        return memory.array

    return converted
