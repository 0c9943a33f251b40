"""Packing of a filter that each run computes."""

from __future__ import annotations

from collections.abc import Callable

from lite.kernels.cpu.convolution.convolution import Sizes
from lite.kernels.cpu.native.function import FREE, Function
from lite.plugin.kernel import Array, PrepareContext
from lite.plugin.kernel.run_context import PER_ELEMENT

_pack_panels = Function("matmul.pack_panels")


def packing(ctx: PrepareContext, sizes: Sizes, lanes: int) -> Callable[[Array], Array]:
    """What packs a filter ``[O, kh, kw, C/groups]`` into scratch memory.

    The result is that of `dense_weights`, or of `depthwise_weights` for one filter of each channel.
    """
    groups = 1 if sizes.is_depthwise else sizes.groups
    outputs = sizes.out_channels // groups
    panels = -(-outputs // lanes)
    depth = sizes.down.kernel * sizes.right.kernel * (1 if sizes.is_depthwise else sizes.channels // groups)
    if sizes.is_depthwise:
        lanes, panels = panels * lanes, 1
    packed = ctx.scratch((groups * panels * depth * lanes,))
    pack = _pack_panels.bind(
        FREE, FREE, depth, outputs, lanes, 1,
        count=groups * panels, cost=PER_ELEMENT * groups * outputs * depth,
    )  # fmt: skip

    def run(weight: Array) -> Array:
        pack(weight, packed.array)
        return packed.array

    return run
