"""Windows of images of bytes in NCHW, as the rows of a matrix."""

from __future__ import annotations

from typing import Any

from lite.kernels.cpu.compiled.jit.entry import entry
from lite.kernels.cpu.compiled.jit.vector import address
from lite.kernels.cpu.compiled.microkernels.bytes_in_memory import copy_bytes, fill_bytes
from lite.kernels.cpu.compiled.microkernels.windows import (
    ABOVE,
    DOWN,
    DOWN_DILATION,
    DOWN_STRIDE,
    HEIGHT,
    LEFT,
    OUT_HEIGHT,
    OUT_WIDTH,
    RIGHT,
    RIGHT_DILATION,
    RIGHT_STRIDE,
    WIDTH,
)


@entry("b", "b", "n", "c")
def spread(x: Any, zero: Any, geometry: Any, out: Any, begin: int, end: int) -> None:
    """Rows `begin` to `end` of ``out[planes, DOWN, RIGHT, OUT_HEIGHT, OUT_WIDTH]``, in its first three axes.

    A row has one element of each window of a plane of `x` ``[planes, HEIGHT, WIDTH]``, and the byte `zero`
    outside the plane.
    """
    height, width = geometry[HEIGHT], geometry[WIDTH]
    out_height, out_width = geometry[OUT_HEIGHT], geometry[OUT_WIDTH]
    down, right, stride = geometry[DOWN], geometry[RIGHT], geometry[RIGHT_STRIDE]
    image, target, byte = address(x, 0), address(out, 0), zero[0]
    for item in range(begin, end):
        plane, i, j = item // (down * right), item // right % down, item % right
        left = j * geometry[RIGHT_DILATION] - geometry[LEFT]
        first = min(max((stride - 1 - left) // stride, 0), out_width)
        last = max(min((width - left + stride - 1) // stride, out_width), first)
        for y in range(out_height):
            row = y * geometry[DOWN_STRIDE] - geometry[ABOVE] + i * geometry[DOWN_DILATION]
            dest = (item * out_height + y) * out_width
            if row < 0 or row >= height:
                fill_bytes(out, target + dest, out_width, byte)
                continue
            source = (plane * height + row) * width + left
            fill_bytes(out, target + dest, first, byte)
            if stride == 1:
                copy_bytes(x, target + dest + first, image + source + first, last - first)
            else:
                for n in range(first, last):
                    out[dest + n] = x[source + n * stride]
            fill_bytes(out, target + dest + last, out_width - last, byte)
