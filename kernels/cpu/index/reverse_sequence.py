"""reverse_sequence of elements of any size."""

from __future__ import annotations

import math

import numpy as np

from lite.ir.types import DType
from lite.kernels.cpu.as_int64 import as_int64
from lite.kernels.cpu.element_types import is_plain
from lite.kernels.cpu.index.failures import IndexFailures
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, KernelFunction, PrepareContext, kernel
from lite.plugin.kernel.launches import only_launches
from lite.plugin.kernel.run_context import PER_ELEMENT

_reverse_rows = Function("moves.byte_moves.reverse_rows")


def reverse_sequence(ctx: PrepareContext) -> KernelFunction | None:
    """X with the first SequenceLens[i] elements of sequence i in reverse order.

    None, for the host, unless batch and time are the first two axes, with a length for each sequence, and for
    an empty X.
    """
    [x], [lengths], attrs = ctx.inputs["X"], ctx.inputs["SequenceLens"], ctx.attrs
    batch, time, shape = attrs.integer("batch_axis"), attrs.integer("time_axis"), x.sizes
    if {batch, time} != {0, 1} or 0 in shape or lengths.sizes != (shape[batch],):
        return None
    wide = as_int64(ctx, lengths)
    if wide is None:
        return None
    failures, size = IndexFailures("SequenceLens", [shape[time] + 1], negative=False), x.dtype.itemsize
    reverse = _reverse_rows.bind(
        FREE, FREE, FREE, failures.array, shape[time], shape[1], math.prod(shape[2:]) * size,
        int(time == 0), count=shape[0] * shape[1], cost=PER_ELEMENT * math.prod(shape) * size // 4,
    )  # fmt: skip
    [result] = ctx.outputs[next(iter(ctx.outputs))]

    def run(X: Array, SequenceLens: Array, *, out: Array | None = None) -> Array:
        written = np.empty(result.sizes, result.dtype.numpy) if out is None else out
        reverse(X, wide(SequenceLens), written)
        return written

    return only_launches(run, failures.error)


for _dtype in filter(is_plain, DType):
    kernel("reverse_sequence", "cpu", dtype=_dtype, fallback="host")(reverse_sequence)
