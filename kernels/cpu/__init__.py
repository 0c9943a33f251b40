"""Kernels for a plain CPU, compiled by numba (extra ``jit``).

Images lie in NHWC and elements are float32; everything else is the host's.  The files of this folder
import without numba: what is compiled lies in `compiled`, which kernels import when they are prepared.
"""

from lite.plugin.kernel.pack_version import packing


@packing("cpu")
def packed_for() -> str:
    """The widths that weights are packed for."""
    from lite.kernels.cpu.machine import machine

    return f"{machine().lanes} lanes, {machine().registers} registers"
