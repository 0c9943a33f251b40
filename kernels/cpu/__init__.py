"""Kernels for the target ``cpu``, compiled by numba (extra ``jit``).

They take float32, and images in NHWC; the fallback of all others is the host.  The files of this folder
import without numba: it compiles the files of `compiled`, which only functions import.
"""

from lite.plugin.kernel.pack_version import pack_version


@pack_version("cpu")
def register_widths() -> str:
    """The sizes of registers, and the sums of products of bytes, that weights are packed for."""
    from lite.kernels.cpu.machine import machine
    from lite.kernels.cpu.tile_sizes import HAS_PAIRS

    sums = ", sums of pairs" if HAS_PAIRS else ""
    return f"{machine().lanes} lanes, {machine().registers} registers{sums}"
