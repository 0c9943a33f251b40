"""Type promotion of torch, as its documentation of tensor attributes describes it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lite.ir.types import DType
from lite.model_parser.pnnx.value import Literal, Term, Var
from lite.model_parser.pnnx.writer import Writer


def common_dtype(writer: Writer, terms: Sequence[Term]) -> DType:
    """The element type of arithmetic with these operands.

    Tensors have precedence over tensors without dimensions, and those over numbers.  An operand of lower
    precedence changes the type only where its category (bool, integer, real) is higher.
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
            rank[0] = _promoted(rank[0], dtype)
        if rank and (result is None or _category(rank[0]) > _category(result)):
            result = rank[0]
    return result or DType.FLOAT32


def of_one_dtype(writer: Writer, parts: Sequence[Var]) -> list[Var]:
    """The tensors in their common element type; there is at least one."""
    dtype = common_dtype(writer, parts)
    return [writer.cast(part, dtype) for part in parts]


def literal_dtype(value: Literal) -> DType:
    """The type of a number in torch."""
    if isinstance(value, bool):
        return DType.BOOL
    return DType.INT64 if isinstance(value, int) else DType.FLOAT32


def _category(dtype: DType) -> int:
    return 2 if dtype.is_float else 1 if dtype.is_integer else 0


def _promoted(first: DType, second: DType) -> DType:
    if first == second:
        return first
    if _category(first) != _category(second):
        return first if _category(first) > _category(second) else second
    if {first, second} == {DType.FLOAT16, DType.BFLOAT16}:
        return DType.FLOAT32
    if DType.BFLOAT16 in (first, second):
        return second if first == DType.BFLOAT16 else first
    return DType.from_numpy(np.promote_types(first.numpy, second.numpy))
