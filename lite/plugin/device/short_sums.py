"""Processors whose vendors' integer kernels add two products of bytes in 16 bits, where a sum may saturate.

Without VNNI, libraries for x86 multiply bytes by ``vpmaddubsw``: the sum of two neighbouring products of an
unsigned and a signed byte is limited to 16 bits.  It is exact where the magnitudes of the two weights add up
to 128 at most.
"""

from __future__ import annotations

import functools
import platform
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lite.ir.graph import Graph, Node
from lite.ir.types import Array, DType

MOST = 128
"""The greatest sum of two magnitudes with which no sum of products saturates: 255 · 128 < 2¹⁵."""

_BYTES = (DType.INT8, DType.UINT8)

_WEIGHTS = {
    "conv2d": "Filter",
    "conv3d": "Filter",
    "conv2d_transpose": "Filter",
    "matmul": "Y",
    "matmul_v2": "Y",
    "mul": "Y",
    "bmm": "Y",
    "fc": "W",
}
"""The ops for which vendors have integer kernels, and the slots of their weights."""


@functools.cache
def processor_flags() -> frozenset[str]:
    """The features of this processor by the names of Linux; empty on other systems."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return frozenset()
    flags = [line.partition(":")[2] for line in lines if line.startswith(("flags", "Features"))]
    return frozenset(flags[0].split()) if flags else frozenset()


def has_short_sums() -> bool:
    """Whether this processor is one of x86 without VNNI, or may be one."""
    is_x86 = platform.machine().lower() in ("x86_64", "amd64", "i386", "i686", "x86")
    return is_x86 and not {"avx512_vnni", "avx_vnni"} & processor_flags()


def may_saturate(graph: Graph) -> bool:
    """Whether a sum of a quantised convolution or product of a region may saturate on such a processor."""
    return any(_may_saturate(node) for node in graph)


def pair_sums(weight: Array, axis: int) -> Array:
    """The sums of the magnitudes of the weights that are multiplied in pairs: neighbours along `axis`.

    Where its size is odd, libraries form pairs in several ways, also of the last channel of an element of the
    window and the first of the next; then all neighbours count.
    """
    sizes = np.moveaxis(np.abs(weight.astype(np.int16)), axis, -1)
    rows = sizes.reshape(sizes.shape[0], -1)
    sums: Array = rows[:, :-1] + rows[:, 1:]
    return sums if sizes.shape[-1] % 2 else sums[:, ::2]


def _may_saturate(node: Node) -> bool:
    slot = _WEIGHTS.get(node.op)
    if slot is None:
        return False
    weight = node.input(slot)
    if weight.quant is None or weight.quant.storage not in _BYTES:
        return False
    if weight.data is None:
        return True
    stored = weight.data.astype(np.int16)
    if weight.quant.storage is DType.UINT8:
        stored = stored - 128
    axis = _summed_axis(node, stored.shape)
    # A depthwise filter has one product for each element of the window.
    if stored.ndim < 2 or (node.op.startswith("conv") and stored.shape[axis] == 1):
        return False
    return bool(pair_sums(stored, axis).max(initial=0) > MOST)


def _summed_axis(node: Node, shape: Sequence[int]) -> int:
    """The axis of a weight along which products are added."""
    if node.op in ("conv2d", "conv3d"):
        return 1
    if node.op == "conv2d_transpose":
        return 0
    is_transposed = any(node.attrs.get(name) for name in ("trans_y", "transpose_Y"))
    return len(shape) - (1 if is_transposed else 2)
