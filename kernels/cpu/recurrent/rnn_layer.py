"""Recurrent layers with constant weights: packing, and jobs for one direction of a layer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lite.dataclass import dataclass
from lite.kernels.cpu.arrays import padded_vector
from lite.kernels.cpu.as_int64 import as_int64
from lite.kernels.cpu.codes import GATES, GRU, GRU_RESET_FIRST, LSTM, PEEPHOLE_LSTM
from lite.kernels.cpu.convolution.convolution import dense_weights
from lite.kernels.cpu.native.function import Function
from lite.kernels.cpu.native.job import FREE, Job
from lite.plugin.kernel import Array, PrepareContext

Shared = Callable[[str, Callable[[], Array]], Array]
"""`PrepareContext.shared`."""

StateStrides = tuple[int, int, int]
"""Offset of the first state in an array of states, and its strides from step to step and from row to row."""

_UNUSED: Array = np.zeros(8, np.float32)
"""The argument for parameters of an activation, and for vectors, that the function does not read."""

_recurrent_layer = Function("rnn.recurrent_layer")


@dataclass(frozen=True, eq=False)
class Direction:
    """The packed weights of one direction of a layer, with gates in the order of `GATES`."""

    kind: int
    hidden: int
    w: Array
    bias: Array
    r: Array
    r_bias: Array
    r_last: Array | None
    peepholes: Array | None
    columns: int
    r_columns: int
    last_columns: int

    def bind(
        self, ctx: PrepareContext, sizes: tuple[int, int, int], number: int, strides: StateStrides | None,
        *, backward: bool, has_lengths: bool, rounds: bool = False,
    ) -> Job:  # fmt: skip
        """The job for all steps of an input of these `sizes`, ``[steps, batch, inputs]``.

        Its free arguments are the input; with `has_lengths`, the lengths of the rows, ``int64[batch]``; the
        states of all directions, of which it updates direction `number`; for an LSTM the cell states of all
        directions; and, with `strides`, an array for the states after each step.  With `rounds`, each product
        takes the states as rounded to 8 bits.
        """
        steps, batch, inputs = sizes
        gates = GATES[self.kind]
        scratch = ctx.scratch((((steps + 1) * gates + 1) * batch * self.hidden,))
        memory = FREE if self.kind in (LSTM, PEEPHOLE_LSTM) else None
        start, step_size, row_size = strides or (0, 0, 0)
        return _recurrent_layer.bind(
            FREE, self.w, self.bias, self.r, self.r_bias, self.r_last, self.peepholes,
            _UNUSED, FREE if has_lengths else None, FREE, memory, scratch, FREE if strides else None,
            self.kind, self.columns, self.r_columns, self.last_columns, steps, batch, inputs, self.hidden,
            gates, int(backward), int(rounds), int(has_lengths),
            number * batch * self.hidden, start, step_size, row_size,
        )  # fmt: skip


def lengths_of(ctx: PrepareContext) -> Callable[[Array | None], list[Array]]:
    """What gives a job the lengths of the rows, int64, if the op has some; other integers are converted."""
    metas = ctx.inputs.get("SequenceLength")
    wide = as_int64(ctx, metas[0]) if metas else None
    return lambda lengths: [] if lengths is None or wide is None else [wide(lengths)]


def pack(
    kind: int,
    weights: tuple[Array, Array],
    biases: tuple[Array | None, Array | None],
    order: Sequence[int],
    name: str,
    shared: Shared,
    peepholes: Array | None = None,
) -> Direction:
    """Pack the weights of a direction, ``[gates · hidden, inputs]`` and ``[gates · hidden, hidden]``.

    `order` has, for each gate of the result, its place in `weights`.  `name` distinguishes the shared
    arrays of this direction from those of others.  `peepholes` are those of an LSTM, ``[3 · hidden]``, of its
    gates i, f and o.
    """
    from lite.kernels.cpu.tile_sizes import columns_for

    (w, r), (bias, r_bias) = weights, biases
    hidden = r.shape[1]
    zeros = np.zeros(len(w), np.float32)

    def gates(array: Array | None, which: Sequence[int]) -> Array:
        split = (zeros if array is None else array).reshape(len(order), hidden, -1)
        return split[[order[n] for n in which]].reshape(len(which) * hidden, -1)

    def panels(part: str, array: Array, which: Sequence[int]) -> tuple[Array, int]:
        columns = columns_for(len(which) * hidden)
        return shared(f"{name} {part} {columns}", lambda: _panels(gates(array, which), columns)), columns

    def numbers(array: Array, columns: int) -> Array:
        return padded_vector(array, len(array), 1, len(array) + columns * _lanes())

    every = range(len(order))
    # The cell GRU multiplies its reset gate by R h plus this bias, which therefore stays apart.
    apart = [2] if kind == GRU else []
    both = gates(bias, every)[:, 0] + gates(r_bias, every)[:, 0]
    recurrent_bias = np.zeros_like(both)
    for n in apart:
        place = slice(n * hidden, (n + 1) * hidden)
        recurrent_bias[place] = gates(r_bias, [n])[:, 0]
        both[place] = gates(bias, [n])[:, 0]
    w_panels, columns = panels("w", w, every)
    r_panels, r_columns = panels("r", r, every[:2] if kind == GRU_RESET_FIRST else every)
    last, last_columns = panels("last", r, [2]) if kind == GRU_RESET_FIRST else (None, 1)
    return Direction(
        kind, hidden, w_panels, numbers(both, columns), r_panels, numbers(recurrent_bias, r_columns), last,
        peepholes, columns, r_columns, last_columns,
    )  # fmt: skip


def _panels(weight: Array, columns: int) -> Array:
    return dense_weights(weight[:, None, None], 1, columns * _lanes())


def _lanes() -> int:
    from lite.kernels.cpu.tile_sizes import LANES

    return LANES
