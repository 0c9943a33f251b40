"""Recurrent layers with constant weights, packed for compiled functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lite.kernels.cpu.arrays import padded_vector
from lite.kernels.cpu.convolution.convolution import dense_weights
from lite.kernels.cpu.native.function import FREE, Function, Job
from lite.kernels.cpu.recurrent.rnn_cells import GATES, GRU, GRU_RESET_FIRST, LSTM
from lite.plugin.kernel import Array, PrepareContext

Share = Callable[[str, Callable[[], Array]], Array]
"""`PrepareContext.shared`."""

StepsAt = tuple[int, int, int]
"""Where the state behind the first step of a row goes, and how far the next step and the next row are."""

_NUMBERS: Array = np.zeros(8, np.float32)
"""What stands for the numbers of an activation and for rows that are not read."""

_recurrent_layer = Function("rnn.recurrent_layer")


@dataclass(frozen=True, eq=False)
class Direction:
    """The weights of one direction of a layer, gates in the order of `GATES`, in panels."""

    kind: int
    hidden: int
    w: Array
    bias: Array
    r: Array
    r_bias: Array
    r_last: Array | None
    columns: int
    r_columns: int
    last_columns: int

    def bind(
        self, ctx: PrepareContext, sizes: tuple[int, int, int], number: int, steps_at: StepsAt | None,
        *, backward: bool,
    ) -> Job:  # fmt: skip
        """All steps of an input of these `sizes` ``[steps, batch, inputs]``.

        The job takes the input, the states, which are those of direction `number` among all and become the
        last ones, of an LSTM its memory, and, with `steps_at`, where the state behind each step goes.
        """
        steps, batch, inputs = sizes
        gates = GATES[self.kind]
        room = ctx.scratch((((steps + 1) * gates + 1) * batch * self.hidden,))
        memory = FREE if self.kind == LSTM else None
        start, step_size, row_size = steps_at or (0, 0, 0)
        return _recurrent_layer.bind(
            FREE, self.w, self.bias, self.r, self.r_bias, self.r_last, _NUMBERS, FREE, memory, room,
            FREE if steps_at else None, self.kind, self.columns, self.r_columns, self.last_columns,
            steps, batch, inputs, self.hidden, gates, int(backward), number * batch * self.hidden,
            start, step_size, row_size,
        )  # fmt: skip


def pack(
    kind: int,
    weights: tuple[Array, Array],
    biases: tuple[Array | None, Array | None],
    order: Sequence[int],
    name: str,
    share: Share,
) -> Direction:
    """A direction's weights ``[gates · hidden, inputs]`` and ``[gates · hidden, hidden]``, packed.

    `order` says where the gates of the result are among those given.  `name` tells what is kept of this
    direction from what is kept of others.
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
        return share(f"{name} {part} {columns}", lambda: _panels(gates(array, which), columns)), columns

    def numbers(array: Array, columns: int) -> Array:
        return padded_vector(array, len(array), 1, len(array) + columns * _lanes())

    every = range(len(order))
    # The bias of a gate that is reset behind its product belongs to the product.
    apart = [2] if kind == GRU else []
    both = gates(bias, every)[:, 0] + gates(r_bias, every)[:, 0]
    behind = np.zeros_like(both)
    for n in apart:
        place = slice(n * hidden, (n + 1) * hidden)
        behind[place] = gates(r_bias, [n])[:, 0]
        both[place] = gates(bias, [n])[:, 0]
    w_panels, columns = panels("w", w, every)
    r_panels, r_columns = panels("r", r, every[:2] if kind == GRU_RESET_FIRST else every)
    last, last_columns = panels("last", r, [2]) if kind == GRU_RESET_FIRST else (None, 1)
    return Direction(
        kind, hidden, w_panels, numbers(both, columns), r_panels, numbers(behind, r_columns), last, columns,
        r_columns, last_columns,
    )  # fmt: skip


def _panels(weight: Array, columns: int) -> Array:
    return dense_weights(weight[:, None, None], 1, columns * _lanes())


def _lanes() -> int:
    from lite.kernels.cpu.tile_sizes import LANES

    return LANES
