"""The names that a kernel author imports; `lite.plugin.kernel.kernels` is the contract."""

from lite.ir.attributes import Attributes
from lite.plugin.kernel.evaluation import evaluate
from lite.plugin.kernel.fallback import host_kernel, runnable
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
    write_all,
)
from lite.plugin.kernel.tensor_array import TensorArray, is_tensor_array

__all__ = [
    "KERNELS",
    "KERNEL_ERRORS",
    "Array",
    "Attributes",
    "Kernel",
    "KernelFunction",
    "Prepare",
    "PrepareContext",
    "Scratch",
    "TensorArray",
    "evaluate",
    "host_kernel",
    "is_tensor_array",
    "kernel",
    "kernels_of",
    "runnable",
    "unregister",
    "write",
    "write_all",
]
