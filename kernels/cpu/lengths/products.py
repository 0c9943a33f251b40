"""Lengths for matrix products, convolutions and recurrent layers: functions that multiply packed weights."""

from __future__ import annotations

from collections.abc import Sequence

from lite.kernels.cpu.codes import (
    AFFINE,
    GRU_RESET_FIRST,
    LSTM,
    PEEPHOLE_LSTM,
    POST_AFFINE,
    QUANTIZED,
    RESIDUAL,
)
from lite.kernels.cpu.lengths.rows import ACTIVATION_PARAMETERS
from lite.kernels.cpu.tile_sizes import LANES, ROWS, depthwise_rows
from lite.plugin.kernel import Array

GEOMETRY = 15
"""The elements of `Sizes.geometry`."""

LINE_VECTORS = 8
"""The vectors of a row that `compiled.lines` computes together, and may read after the last one."""

WINOGRAD_ELEMENTS = 36
"""Elements of a tile's window."""

_TILE_PIXELS = 16 * LANES
"""Elements of the pixels of a tile, one vector for each."""


def padded_channels(channels: int, columns: int) -> int:
    """The channels of whole panels of `columns` vectors."""
    panel = columns * LANES
    return -(-channels // panel) * panel


def _epilogue(flags: int, channels: int, padded: int, elements: int) -> tuple[int, int, int, int, int]:
    """The lengths of bias, residual, scale, shift and parameters."""
    vector = padded if flags & AFFINE else channels if flags & POST_AFFINE else 0
    return (
        padded, elements if flags & RESIDUAL else 0, vector, vector,
        ACTIVATION_PARAMETERS,
    )  # fmt: skip


def results(flags: int, elements: int) -> tuple[int, int]:
    """The lengths of the results as float32 and as bytes."""
    return (0, elements) if flags & QUANTIZED else (elements, 0)


def multiply(
    x: None, w: Array, bias: Array, residual: None, scale: Array | None, shift: Array | None,
    parameters: Array, out: None, flags: int, columns: int, rows: int, depth: int, channels: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.matmul.multiply`."""
    padded, rows = padded_channels(channels, columns), rows or count
    elements = rows * channels
    return rows * depth, padded * depth, *_epilogue(flags, channels, padded, elements), elements


def pack_panels(
    y: None, w: None, depth: int, channels: int, lanes: int, is_transposed: int, count: int
) -> Sequence[int]:
    """`compiled.matmul.pack_panels`."""
    return count // -(-channels // lanes) * depth * channels, count * depth * lanes


def multiply_matrices(
    x: None, w: None, bias: Array, parameters: Array, out: None, flags: int, columns: int, rows: int,
    depth: int, channels: int, others: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.matmul.multiply_matrices`."""
    padded = padded_channels(channels, columns)
    return count * depth, others * padded * depth, padded, ACTIVATION_PARAMETERS, count * channels


def multiply_rows(
    x: None, y: None, out: None, alpha: float, rows: int, depth: int, channels: int, others: int,
    is_transposed: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.few_rows.multiply_rows`."""
    return count * rows * depth, min(others, count) * depth * channels, count * rows * channels


def spread(
    x: None, w: Array, bias: Array, residual: None, scale: Array | None, shift: Array | None,
    parameters: Array, out: None, flags: int, columns: int, down: int, depth: int, channels: int, width: int,
    count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.conv_transpose.spread`."""
    padded, elements = padded_channels(channels, columns), count * down * width * channels
    return (
        count * width * depth, down * padded * depth, *_epilogue(flags, channels, padded, elements), elements,
    )  # fmt: skip


def overlap(
    x: None, w: Array, bias: Array, residual: None, scale: Array, shift: Array, parameters: Array,
    geometry: Array, starts: Array, patch: None, out: None, flags: int, columns: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.conv_transpose.overlap`."""
    g = Geometry(geometry)
    padded = padded_channels(g.out_channels, columns)
    across, rows = -(-g.right // g.right_stride), ROWS[columns]
    patch_length = -(-g.down // g.down_stride) * (rows - 1 + across) * g.channels
    return (
        g.image, padded * g.down * g.right * g.channels,
        *_epilogue(flags, g.out_channels, padded, g.outputs), GEOMETRY, g.down_stride * g.right_stride,
        patch_length, g.outputs,
    )  # fmt: skip


class Geometry:
    """The numbers of `compiled.microkernels.windows` by name.

    `count` of them are output rows, counted over the batch.
    """

    def __init__(self, geometry: Array) -> None:
        (
            self.height, self.width, self.channels, self.out_height, self.out_width, self.out_channels,
            self.down, self.right, self.down_stride, self.right_stride, _, self.right_dilation, _, _,
            self.batch,
        ) = geometry.tolist()  # fmt: skip

    @property
    def image(self) -> int:
        """The elements of the images."""
        return int(self.batch * self.height * self.width * self.channels)

    @property
    def outputs(self) -> int:
        """The elements of the result."""
        return int(self.batch * self.out_height * self.out_width * self.out_channels)

    def patch(self, rows: int) -> int:
        """The elements that the windows of a tile of `rows` pixels span."""
        span = (rows - 1) * self.right_stride + (self.right - 1) * self.right_dilation + 1
        return int(self.down * span * self.channels)


def convolve(
    x: None, w: Array, bias: Array, residual: None, scale: Array, shift: Array, parameters: Array,
    geometry: Array, patch: None, out: None, flags: int, columns: int, groups: int, strips: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.convolve.convolve`."""
    g = Geometry(geometry)
    padded = groups * padded_channels(g.out_channels // groups, columns)
    weights = padded * g.down * g.right * (g.channels // groups)
    rows = ROWS[columns] if g.out_width >= ROWS[columns] else 1
    return (
        g.image, weights, *_epilogue(flags, g.out_channels, padded, g.outputs), GEOMETRY, g.patch(rows),
        g.outputs,
    )  # fmt: skip


def convolve_columns(
    x: None, w: Array, bias: Array, residual: None, scale: Array, shift: Array, parameters: Array,
    geometry: Array, windows: None, out: None, flags: int, columns: int, block: int, part: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.convolve.convolve_columns`."""
    g = Geometry(geometry)
    padded, depth = padded_channels(g.out_channels, columns), g.down * g.right * g.channels
    return (
        g.image, padded * depth, *_epilogue(flags, g.out_channels, padded, g.outputs), GEOMETRY,
        min(block, count) * part, g.outputs,
    )  # fmt: skip


def convolve_taps(
    x: None, w: Array, bias: Array, residual: None, scale: Array, shift: Array, parameters: Array,
    geometry: Array, out: None, flags: int, columns: int, whole: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.convolve.convolve_taps`."""
    g = Geometry(geometry)
    padded = padded_channels(g.out_channels, columns)
    if not 0 <= whole < g.down * g.right:
        raise ValueError(f"the filter has {g.down * g.right} taps, and not number {whole}")
    weights = padded * g.down * g.right * g.channels
    return (
        g.image, weights, *_epilogue(flags, g.out_channels, padded, g.outputs), GEOMETRY, g.outputs,
    )  # fmt: skip


def depthwise(
    x: None, w: Array, bias: Array, residual: None, scale: Array, shift: Array, parameters: Array,
    geometry: Array, patch: None, out: None, codes: None, flags: int, strips: int, out_scale: float,
    out_zero: float, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.depthwise.depthwise`."""
    g = Geometry(geometry)
    padded = padded_channels(g.channels, 1)
    rows = depthwise_rows(g.out_width)
    return (
        g.image, g.down * g.right * padded, *_epilogue(flags, g.channels, padded, g.outputs), GEOMETRY,
        g.patch(rows), *results(flags, g.outputs),
    )  # fmt: skip


def filter_lines(
    x: None, w: Array, bias: Array, parameters: Array, geometry: Array, patch: None, out: None, flags: int,
    count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.lines.filter_lines`."""
    g = Geometry(geometry)
    period = g.channels + LANES
    patch_length = g.patch(g.out_width) + LINE_VECTORS * LANES
    return (
        g.image, g.down * g.right * period, period, ACTIVATION_PARAMETERS, GEOMETRY, patch_length, g.outputs
    )  # fmt: skip


def winograd(
    x: None, w: Array, bias: Array, zeros: Array, residual: None, scale: Array, shift: Array,
    parameters: Array, geometry: Array, scratch: None, out: None, flags: int, columns: int, block: int,
    count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.winograd.winograd`."""
    g = Geometry(geometry)
    padded = padded_channels(g.out_channels, columns)
    whole = padded_channels(g.out_channels, 1)
    bias_length, residual_length, *affine, parameter_length = _winograd_epilogue(flags, whole, g.outputs)
    tile = WINOGRAD_ELEMENTS * g.channels
    scratch_length = tile + _TILE_PIXELS + WINOGRAD_ELEMENTS * block * (g.channels + padded)
    return (
        g.image, padded * tile, bias_length, padded, residual_length, *affine, parameter_length, GEOMETRY,
        scratch_length, g.outputs,
    )  # fmt: skip


def _winograd_epilogue(flags: int, padded: int, elements: int) -> tuple[int, int, int, int, int]:
    """The lengths of bias, residual, scale, shift and parameters, which are read as whole vectors."""
    vector = padded if flags & (AFFINE | POST_AFFINE) else 0
    return padded, elements if flags & RESIDUAL else 0, vector, vector, ACTIVATION_PARAMETERS


def winograd_inputs(x: None, geometry: Array, scratch: None, v: None, count: int) -> Sequence[int]:
    """`compiled.winograd.winograd_inputs`."""
    g = Geometry(geometry)
    tile = WINOGRAD_ELEMENTS * g.channels
    return g.image, GEOMETRY, tile, count * tile


def winograd_products(
    v: None, w: Array, zeros: Array, parameters: Array, m: None, columns: int, tiles: int, channels: int,
    padded: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.winograd.winograd_products`."""
    return (
        WINOGRAD_ELEMENTS * tiles * channels, WINOGRAD_ELEMENTS * padded * channels, padded,
        ACTIVATION_PARAMETERS, WINOGRAD_ELEMENTS * tiles * padded,
    )  # fmt: skip


def winograd_outputs(
    m: None, bias: Array, residual: None, scale: Array, shift: Array, parameters: Array, geometry: Array,
    scratch: None, out: None, flags: int, padded: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.winograd.winograd_outputs`."""
    g = Geometry(geometry)
    epilogue = _winograd_epilogue(flags, padded_channels(g.out_channels, 1), g.outputs)
    return WINOGRAD_ELEMENTS * count * padded, *epilogue, GEOMETRY, _TILE_PIXELS, g.outputs


def recurrent_layer(
    x: None, w: Array, bias: Array, r: Array, r_bias: Array, r_last: Array | None,
    peepholes: Array | None, numbers: Array, lengths: None, h: None, c: None, scratch: None, out: None,
    kind: int, columns: int, r_columns: int, last_columns: int, steps: int, batch: int, inputs: int,
    hidden: int, gates: int, backward: int, rounds: int, has_lengths: int, state: int, start: int,
    step_size: int, row_size: int, count: int,
) -> Sequence[int]:  # fmt: skip
    """`compiled.rnn.recurrent_layer`."""
    width, rows = gates * hidden, steps * batch
    is_reset_first = kind == GRU_RESET_FIRST
    r_padded = padded_channels(2 * hidden if is_reset_first else width, r_columns)
    last = padded_channels(hidden, last_columns) if is_reset_first else 0
    states = state + batch * hidden
    written = start + (steps - 1) * step_size + (batch - 1) * row_size + hidden if row_size else 0
    return (
        rows * inputs, padded_channels(width, columns) * inputs, padded_channels(width, columns),
        r_padded * hidden,
        max(r_padded, last), last * hidden, 3 * hidden if kind == PEEPHOLE_LSTM else 0, ACTIVATION_PARAMETERS,
        batch if has_lengths else 0, states, states if kind in (LSTM, PEEPHOLE_LSTM) else 0,
        (rows + batch) * width + batch * hidden, written,
    )  # fmt: skip
