"""torch's type promotion: tensors count before tensors without dimensions, those before numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.model_parser.pnnx.value import Literal, Var
from lite.model_parser.pnnx.writer import Writer

Term = Var | Literal


def common_dtype(writer: Writer, terms: Sequence[Term]) -> DType:
    """The element type of arithmetic with these operands.

    A weaker kind of operand changes the type only where it is of a higher category (bool, whole, real).
    """
    ranks: list[list[DType]] = [[], [], []]
    for term in terms:
        if not isinstance(term, Var):
            ranks[2].append(literal_dtype(term))
        elif term.is_number:
            ranks[2].append(DType.FLOAT32 if writer.dtype(term).is_float else DType.INT64)
        else:
            ranks[0 if writer.shape(term) else 1].append(writer.dtype(term))
    result: DType | None = None
    for rank in ranks:
        for dtype in rank[1:]:
            rank[0] = _joined(rank[0], dtype)
        if rank and (result is None or _category(rank[0]) > _category(result)):
            result = rank[0]
    return result or DType.FLOAT32


def literal_dtype(value: Literal) -> DType:
    """The type that torch gives to a number."""
    if isinstance(value, bool):
        return DType.BOOL
    return DType.INT64 if isinstance(value, int) else DType.FLOAT32


def _category(dtype: DType) -> int:
    return 2 if dtype.is_float else 1 if dtype.is_integer else 0


def _joined(first: DType, second: DType) -> DType:
    if first == second:
        return first
    if _category(first) != _category(second):
        return first if _category(first) > _category(second) else second
    if {first, second} == {DType.FLOAT16, DType.BFLOAT16}:
        return DType.FLOAT32
    if DType.BFLOAT16 in (first, second):
        return second if first == DType.BFLOAT16 else first
    return DType.from_numpy(np.promote_types(first.numpy, second.numpy))
