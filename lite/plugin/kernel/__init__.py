"""What a kernel author imports: `kernel`, what it registers, and what a running kernel may ask for."""

from lite.plugin.kernel.evaluation import evaluate, host_kernel
from lite.plugin.kernel.kernels import (
    KERNEL_ERRORS,
    KERNELS,
    Array,
    Kernel,
    KernelFunction,
    Prepare,
    PrepareContext,
    Scratch,
    kernel,
    kernels_of,
    unregister,
    write,
)

__all__ = [
    "KERNELS",
    "KERNEL_ERRORS",
    "Array",
    "Kernel",
    "KernelFunction",
    "Prepare",
    "PrepareContext",
    "Scratch",
    "evaluate",
    "host_kernel",
    "kernel",
    "kernels_of",
    "unregister",
    "write",
]
