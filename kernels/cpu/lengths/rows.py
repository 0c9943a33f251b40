"""Lengths for normalisations, softmax, activations, reductions and copies of rows and matrices."""

from __future__ import annotations

from collections.abc import Sequence

from lite.kernels.cpu.lengths.index import FAILURES
from lite.kernels.cpu.tile_sizes import LANES, REDUCED_COLUMNS, TRANSPOSED
from lite.plugin.kernel import Array

ACTIVATION_PARAMETERS = 5
"""The elements of `Activation.parameters`."""


def activate(x: None, out: None, flags: int, parameters: Array, count: int) -> Sequence[int]:
    """`compiled.rows.activate`."""
    return count, count, ACTIVATION_PARAMETERS


def softmax_rows(x: None, out: None, size: int, count: int) -> Sequence[int]:
    """`compiled.rows.softmax_rows`."""
    return (count * size,) * 2


def log_softmax_rows(x: None, out: None, size: int, count: int) -> Sequence[int]:
    """`compiled.rows.log_softmax_rows`."""
    return (count * size,) * 2


def log_sum_exp_rows(x: None, out: None, size: int, count: int) -> Sequence[int]:
    """`compiled.rows.log_sum_exp_rows`."""
    return count * size, count


def softmax_columns(x: None, out: None, size: int, columns: int, count: int) -> Sequence[int]:
    """`compiled.rows.softmax_columns`."""
    elements = count // -(-columns // LANES) * size * columns
    return elements, elements


def normalise_rows(
    x: None, y: None, scale: Array | None, shift: Array | None, epsilon: float, out: None, means: None,
    variances: None, others: int, size: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.rows.normalise_rows`."""
    elements = count * size
    return elements, others * size, size, size, elements, count, count


def normalise_groups(
    x: None, scale: Array | None, shift: Array | None, parameters: Array, out: None, means: None,
    variances: None, epsilon: float, flags: int, groups: int, channels: int, pixels: int, is_inverse: int,
    count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.norm.normalise_groups`."""
    elements, vector = count * channels * pixels, min(count, groups) * channels
    return elements, vector, vector, ACTIVATION_PARAMETERS, elements, count, count


def divide_by_lengths(
    x: None,
    scale: Array | None,
    out: None,
    lengths: None,
    epsilon: float,
    divisor: int,
    size: int,
    count: int,
) -> Sequence[int]:
    """`compiled.norm.divide_by_lengths`."""
    return count * size, size, count * size, count


def scale_planes(
    x: None, factor: Array, shift: Array, out: None, channels: int, pixels: int, count: int
) -> Sequence[int]:
    """`compiled.norm.scale_planes`."""
    vector = min(count, channels)
    return count * pixels, vector, vector, count * pixels


def scale_rows(x: None, factor: Array, shift: Array, out: None, channels: int, count: int) -> Sequence[int]:
    """`compiled.norm.scale_rows`."""
    return count * channels, channels, channels, count * channels


def lrn(
    x: None, out: None, channels: int, pixels: int, size: int, k: float, alpha: float, exponent: float,
    count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.norm.lrn`."""
    elements = count // -(-pixels // LANES) * channels * pixels
    return elements, elements


def reduce_rows(x: None, out: None, kind: int, size: int, divisor: int, count: int) -> Sequence[int]:
    """`compiled.reduce.reduce_rows`."""
    return count * size, count


def reduce_columns(
    x: None, out: None, kind: int, axis: int, columns: int, divisor: int, count: int
) -> Sequence[int]:
    """`compiled.reduce.reduce_columns`."""
    outer = count // -(-columns // REDUCED_COLUMNS)
    return outer * axis * columns, outer * columns


def copy_columns(
    x: None, out: None, width: int, stride: int, column: int, out_stride: int, out_column: int, count: int
) -> Sequence[int]:
    """`compiled.moves.layout.copy_columns`."""
    rows = count - 1
    return rows * stride + column + width, rows * out_stride + out_column + width


def transpose_images(x: None, out: None, batch: int, rows: int, columns: int, count: int) -> Sequence[int]:
    """`compiled.moves.byte_layout.transpose_images`."""
    return (batch * rows * columns,) * 2


def running_sums(
    x: None, out: None, axis: int, columns: int, is_exclusive: int, is_reverse: int, count: int
) -> Sequence[int]:
    """`compiled.reduce.running_sums`."""
    return (count * axis * columns,) * 2


def gather_rows(
    x: None, out: None, second: int, third: int, step: int, second_step: int, third_step: int, width: int,
    count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.moves.transpose.gather_rows`."""
    last = (count - 1) // second * step + (second - 1) * second_step + (third - 1) * third_step
    return last + width, count * third * width


def repeat_rows(
    x: None, out: None, second: int, third: int, step: int, second_step: int, third_step: int, width: int,
    times: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.moves.byte_moves.repeat_rows`."""
    last = (count - 1) // second * step + (second - 1) * second_step + (third - 1) * third_step
    return last + width, count * third * width * times


def keep_triangles(
    x: None, out: None, rows: int, width: int, size: int, diagonal: int, is_lower: int, count: int
) -> Sequence[int]:
    """`compiled.moves.byte_moves.keep_triangles`."""
    return (count * width,) * 2


def append_rows(
    x: None, updates: None, starts: None, out: None, before: int, added: int, rows: int, width: int,
    heads: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.moves.byte_moves.append_rows`."""
    return count * before * width, count * added * width, count // heads, count * rows * width


def reverse_rows(
    x: None, lengths: None, out: None, failures: Array, steps: int, second: int, width: int, time_first: int,
    count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.moves.byte_moves.reverse_rows`."""
    return count * width, second if time_first else count // second, count * width, FAILURES


def copy_box(
    x: None, out: None, start: int, second: int, third: int, fourth: int, step: int, second_step: int,
    third_step: int, fourth_step: int, width: int, last_step: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.moves.layout.copy_box`."""
    last = start + (count - 1) // second * step + (second - 1) * second_step + (third - 1) * third_step
    last += (fourth - 1) * fourth_step + (width - 1) * last_step
    return last + 1, count * third * fourth * width


def copy_byte_box(
    x: None, out: None, start: int, second: int, third: int, fourth: int, step: int, second_step: int,
    third_step: int, fourth_step: int, width: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.moves.byte_moves.copy_box`."""
    steps = step, second_step, third_step, fourth_step
    return copy_box(x, out, start, second, third, fourth, *steps, width, 1, count)


def transpose_axes(
    x: None, out: None, second: int, third: int, step: int, second_step: int, third_step: int, out_step: int,
    second_out_step: int, third_out_step: int, rows: int, row_step: int, columns: int, column_out_step: int,
    count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.moves.transpose.transpose_axes`."""
    first = count // -(-max(rows, columns) // TRANSPOSED) // third // second
    last = (first - 1) * step + (second - 1) * second_step + (third - 1) * third_step
    out_last = (first - 1) * out_step + (second - 1) * second_out_step + (third - 1) * third_out_step
    return (
        last + (rows - 1) * row_step + columns,
        out_last + (columns - 1) * column_out_step + rows,
    )


def transpose_axes_of_bytes(
    x: None, out: None, second: int, third: int, step: int, second_step: int, third_step: int, out_step: int,
    second_out_step: int, third_out_step: int, rows: int, row_step: int, columns: int, column_out_step: int,
    size: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.moves.byte_layout.transpose_axes`."""
    lengths = transpose_axes(
        x, out, second, third, step, second_step, third_step, out_step, second_out_step, third_out_step, rows,
        row_step, columns, column_out_step, count,
    )  # fmt: skip
    # The last element of each matrix has `size` bytes, of which that function counts one for each neighbour.
    return lengths[0] + columns * (size - 1), lengths[1] + rows * (size - 1)
