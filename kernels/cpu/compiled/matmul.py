"""Matrix products with packed weights, and of two tensors, of which the second is packed like weights."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.codes import KIND
from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import address, clear, load, load_part, store
from lite.kernels.cpu.compiled.microkernels.dense import block_rows, product_panels, row_range
from lite.kernels.cpu.compiled.microkernels.post_activation import apply_to_columns
from lite.kernels.cpu.compiled.moves.transpose import transpose_matrix
from lite.kernels.cpu.tile_sizes import LANES


@entry("r", "r", "r", "r", "r", "r", "r", "w", "i", "i", "i", "i", "i")
def multiply(
    x: Any, w: Any, bias: Any, residual: Any, scale: Any, shift: Any, parameters: Any, out: Any,
    flags: int, columns: int, rows: int, depth: int, channels: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Multiply rows `begin` to `end` of `x` by `w`, apply the epilogue, and write them to `out`; all float32.

    Where `rows` is not 0, all of so many rows are multiplied by the panels `begin` to `end` instead; no
    `POST_AFFINE` then.
    `x` is ``[rows, depth]``, `out` and `residual` are ``[rows, channels]``.  `w`, ``[depth, channels]``, is
    packed in panels of `columns` vectors.  `bias`, `scale` and `shift` have one number per channel and are
    padded to whole panels.  `flags` selects the steps of the epilogue (`lite.kernels.cpu.codes`), and
    `parameters` has their numbers.
    """
    first_row, end_row, channel, end_channel = row_range(rows, columns, channels, begin, end)
    block = block_rows(depth, columns)
    for first in range(first_row, end_row, block):
        count, dest = min(block, end_row - first), first * channels
        product_panels(
            columns, address(x, first * depth), count, depth, w, 0, bias, channel, end_channel, flags,
            parameters, residual, scale, shift, out, dest, channels,
        )  # fmt: skip
        if flags >> KIND:
            apply_to_columns(
                out, dest, count, channels, channel, end_channel, flags, parameters, scale, shift
            )


@entry("r", "w", "i", "i", "i", "i")
def pack_panels(
    y: Any, w: Any, depth: int, channels: int, lanes: int, is_transposed: int, begin: int, end: int
) -> None:
    """Pack panels `begin` to `end`, counted over the matrices: ``[depth, lanes]``, padded with zeros.

    Matrices are ``[depth, channels]``, or ``[channels, depth]`` where `is_transposed`.
    """
    panels = (channels + lanes - 1) // lanes
    for item in range(begin, end):
        start, channel = item // panels * depth * channels, item % panels * lanes
        dest, count = item * depth * lanes, min(lanes, channels - channel)
        if is_transposed:
            if count < lanes:
                clear(w, dest, depth * lanes)
            transpose_matrix(y, start + channel * depth, depth, count, depth, w, dest, lanes)
        else:
            for row in range(depth):
                place, to = start + row * channels + channel, dest + row * lanes
                for n in range(0, lanes, LANES):
                    left = count - n
                    store(load(y, place + n) if left >= LANES else load_part(y, place + n, left), w, to + n)


@entry("r", "r", "r", "r", "w", "i", "i", "i", "i", "i", "i")
def multiply_matrices(
    x: Any, w: Any, bias: Any, parameters: Any, out: Any, flags: int, columns: int, rows: int, depth: int,
    channels: int, others: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Rows `begin` to `end`, counted over the matrices of `rows` rows, times the panels of another matrix.

    Matrix n is multiplied by number ``n % others`` of the packed ones.
    """
    panel = columns * LANES
    size = (channels + panel - 1) // panel * panel * depth
    block = block_rows(depth, columns)
    first = begin
    while first < end:
        matrix = first // rows
        count = min(block, min(end, (matrix + 1) * rows) - first)
        product_panels(
            columns, address(x, first * depth), count, depth, w, matrix % others * size, bias, 0, channels,
            flags, parameters, bias, bias, bias, out, first * channels, channels,
        )  # fmt: skip
        first += count
