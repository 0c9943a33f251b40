"""3×3 convolutions by Winograd's algorithm F(4×4, 3×3), where speed counts more than the size of weights.

``include/winograd.h`` has the algorithm.  The transformed filters are four times as large.
"""

from __future__ import annotations

import numpy as np

from lite.dataclass import dataclass
from lite.emitters.c.expression import INCLUDE
from lite.emitters.c.image import Image
from lite.emitters.c.panels import packed, panel_fields
from lite.ir.types import Array
from lite.ops.window import Window
from lite.plugin.emitter import Emission

_ELEMENTS, _SIZE, _STEP = 36, 6, 4
"""Of a transformed window; pixels along each axis of a window, and of the outputs of a tile."""

_G: Array = np.array([[6, 0, 0], [-4, -4, -4], [-4, 4, -4], [1, 2, 4], [1, -2, 4], [0, 0, 24]]) / 24
"""The transform of the filter."""

_LEAST_CHANNELS, _LEAST_TILES = 16, 8
"""With fewer, the transforms cost more than the multiplications that they save."""

_AT_ONCE, _BLOCK = 384 * 1024, 64 * 1024
"""The most numbers of transformed windows and products: if all tiles run at once, and of a block of tiles."""

_ROWS = 12
"""Blocks have multiples of so many tiles: whole tiles of registers on most processors."""


@dataclass(frozen=True)
class Convolution:
    """A convolution of images in NHWC with the filter ``[output, kh, kw, input]``."""

    x: Image
    y: Image
    weights: Array
    down: Window
    right: Window


def is_faster(conv: Convolution) -> bool:
    """Whether the algorithm can compute a convolution, and saves time."""
    fits = all(w.kernel == 3 and w.stride == w.dilation == 1 for w in (conv.down, conv.right))
    enough = min(conv.x.channels, conv.y.channels) >= _LEAST_CHANNELS and _tiles(conv.y) >= _LEAST_TILES
    return fits and enough and min(conv.y.height, conv.y.width) >= _STEP


def write_winograd(out: Emission, conv: Convolution, function: str) -> None:
    """The code, with the epilogue `e` and the function of its activation."""
    x, y = conv.x, conv.y
    out.use(INCLUDE / "winograd.h")
    elements = np.einsum("ai,oijc,bj->abco", _G, conv.weights.astype(np.float64), _G).astype(np.float32)
    matrices = [packed(each, out.vector) for row in elements for each in row]
    out.weights(np.concatenate(matrices), "w")
    tiles = _block(conv)
    out.scratch(_SIZE * _SIZE * x.channels, "window")
    out.scratch(_ELEMENTS * tiles * x.channels, "v")
    out.scratch(_ELEMENTS * tiles * y.channels, "m")
    sizes = {
        **{"images": x.images, "height": x.height, "width": x.width, "channels": x.channels},
        **{"top": conv.down.before, "left": conv.right.before},
        **{"rows": y.height, "columns": y.width, "outputs": y.channels},
        **{"tiles": tiles, "weights": matrices[0].size},
    }
    products = {
        **{"images": 1, "rows": 1, "columns": tiles, "x_column": x.channels, "y_column": y.channels},
        **{"kh": 1, "kw": 1, "channels": x.channels, "step": 1, "outputs": y.channels},
        **panel_fields(x.channels, y.channels, out.vector),
    }
    out.code(
        f"const lb_winograd_sizes s = {{{_fields(sizes)}}};",
        f"const lb_conv_sizes products = {{{_fields(products)}}};",
        f"lb_winograd(s, products, x, w, window, v, m, e, {function}, y);",
    )


def _fields(sizes: dict[str, int]) -> str:
    return ", ".join(f".{name} = {value}" for name, value in sizes.items())


def _tiles(y: Image) -> int:
    return y.images * -(-y.height // _STEP) * -(-y.width // _STEP)


def _block(conv: Convolution) -> int:
    """The tiles that run at once: blocks of about the same size."""
    tiles, each = _tiles(conv.y), _ELEMENTS * (conv.x.channels + conv.y.channels)
    if tiles * each <= _AT_ONCE:
        return tiles
    most = max(_BLOCK // each // _ROWS, 1) * _ROWS
    blocks = -(-tiles // most)
    return -(-tiles // (blocks * _ROWS)) * _ROWS
