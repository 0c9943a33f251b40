"""The names that a kernel author imports; `lite.plugin.kernel.kernels` is the contract."""

from typing import TYPE_CHECKING

from lite.lazy_names import names_of_modules

if TYPE_CHECKING:
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

_LOADED_AT_FIRST_USE = {
    "Array": "lite.ir.types",
    "Attributes": "lite.ir.attributes",
    "KERNELS": "lite.plugin.kernel.kernels",
    "KERNEL_ERRORS": "lite.plugin.kernel.kernels",
    "Kernel": "lite.plugin.kernel.kernels",
    "KernelFunction": "lite.plugin.kernel.kernels",
    "Prepare": "lite.plugin.kernel.kernels",
    "PrepareContext": "lite.plugin.kernel.kernels",
    "Scratch": "lite.plugin.kernel.scratch",
    "TensorArray": "lite.plugin.kernel.tensor_array",
    "evaluate": "lite.plugin.kernel.evaluation",
    "host_kernel": "lite.plugin.kernel.fallback",
    "is_tensor_array": "lite.plugin.kernel.tensor_array",
    "kernel": "lite.plugin.kernel.kernels",
    "kernels_of": "lite.plugin.kernel.kernels",
    "runnable": "lite.plugin.kernel.fallback",
    "unregister": "lite.plugin.kernel.kernels",
    "write": "lite.plugin.kernel.kernels",
    "write_all": "lite.plugin.kernel.kernels",
}
"""The module of each name: a start by stored runs needs few of them."""


if not TYPE_CHECKING:  # type checkers report a wrong name
    __getattr__ = names_of_modules(globals(), _LOADED_AT_FIRST_USE)
