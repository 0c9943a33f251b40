"""Sequences of numbers, and matrices by position."""

from __future__ import annotations

import numpy as np

from lite.ir.types import DType
from lite.model_parser.pnnx import arithmetic
from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import pnnx_op
from lite.model_parser.pnnx.value import Term, Value, Var


@pnnx_op("torch.arange")
def arange(call: Call) -> Value:
    """`range`; integers are int64, where the file gives no type and a bound is real, float32."""
    writer = call.writer
    terms = [arithmetic.as_term(call.arg(name, default)) for name, default in _BOUNDS.items()]
    dtype = call.dtype("dtype", _common(call, terms))
    start, end, step = (writer.reshape(arithmetic.as_var(writer, term, dtype), [1]) for term in terms)
    result = writer.emit_one("range", {"Start": start, "End": end, "Step": step}, {"allow_empty": True})
    if any(isinstance(term, Var) and not term.is_number for term in terms):
        writer.mark_unsized(result)
    return result


_BOUNDS: dict[str, Value] = {"start": 0, "end": None, "step": 1}


def _common(call: Call, terms: list[Term]) -> DType:
    reals = (call.writer.dtype(t).is_float if isinstance(t, Var) else isinstance(t, float) for t in terms)
    return DType.FLOAT32 if any(reals) else DType.INT64


@pnnx_op("torch.linspace")
def linspace(call: Call) -> Value:
    """`linspace`, as float32."""
    writer = call.writer
    bounds = (arithmetic.as_term(call.arg(name)) for name in ("start", "end"))
    start, stop = (writer.reshape(arithmetic.as_var(writer, bound, DType.FLOAT32), [1]) for bound in bounds)
    count = writer.reshape(writer.index(call.sizes("steps")[0]), [1])
    inputs = {"Start": start, "Stop": stop, "Num": count}
    return writer.emit_one("linspace", inputs, {"dtype": DType.FLOAT32.code})


@pnnx_op("torch.numel", "aten::numel")
def numel(call: Call) -> Value:
    """The number of elements."""
    writer, total = call.writer, arithmetic.as_term(1)
    for axis in range(writer.rank(call.x)):
        total = arithmetic.binary(writer, "mul", total, arithmetic.as_term(writer.size(call.x, axis)))
    return total


@pnnx_op("torch.tril", "torch.triu")
def triangle(call: Call) -> Value:
    """`tril_triu`."""
    attrs = {"diagonal": call.integer("diagonal", 0), "lower": call.type == "torch.tril"}
    return call.writer.unary("tril_triu", call.x, {**attrs})


@pnnx_op("torch.diagonal")
def diagonal(call: Call) -> Value:
    """`gather_nd` of the elements on a diagonal of two axes of fixed sizes, which become the last one."""
    first, second = call.axis("dim1", call.x, 0), call.axis("dim2", call.x, 1)
    return _diagonal(call, first, second, call.integer("offset", 0))


def _diagonal(call: Call, first: int, second: int, offset: int) -> Var:
    writer = call.writer
    rows, columns = (writer.size(call.x, axis) for axis in (first, second))
    if not isinstance(rows, int) or not isinstance(columns, int):
        raise call.error("expected two axes of fixed sizes")
    count = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    steps = np.arange(count)
    places = np.stack([steps - min(offset, 0), steps + max(offset, 0)], -1)
    rest = [axis for axis in range(writer.rank(call.x)) if axis not in (first, second)]
    moved = writer.transpose(call.x, [first, second, *rest])
    taken = writer.emit_one("gather_nd", {"X": moved, "Index": writer.constant(places)})
    return writer.transpose(taken, [*range(1, len(rest) + 1), 0]) if rest else taken


@pnnx_op("torch.trace")
def trace(call: Call) -> Value:
    """The sum of the diagonal."""
    return call.writer.unary("reduce_sum", _diagonal(call, 0, 1, 0), {"dim": [0]})


@pnnx_op("torch.diag", "torch.diag_embed")
def diag(call: Call) -> Value:
    """A matrix with a vector on a diagonal, or a diagonal of a matrix, for ``diag``."""
    writer, offset = call.writer, call.integer("diagonal", 0)
    if call.type == "torch.diag" and writer.rank(call.x) == 2:
        return _diagonal(call, 0, 1, offset)
    size = writer.size(call.x, -1)
    if not isinstance(size, int):
        raise call.error("expected a last axis of fixed size")
    mask = writer.constant(np.eye(size, dtype=writer.dtype(call.x).numpy))
    matrix = writer.binary("elementwise_mul", writer.unary("unsqueeze2", call.x, {"axes": [-1]}), mask)
    pads = [max(-offset, 0), max(offset, 0), max(offset, 0), max(-offset, 0)]
    return writer.unary("pad_nd", matrix, {"paddings": pads, "axes": [-2, -1]}) if offset else matrix
