"""Options and decorators by which numba compiles functions that are part of other compiled functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba.extending import intrinsic

from lite.kernels.cpu.checked import IS_CHECKED
from lite.kernels.cpu.compiled.jit.numba_internals import count_from_start_only, llvm_function

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "boundscheck": IS_CHECKED}

if IS_CHECKED:
    count_from_start_only()


def instruction(function: Callable[..., Any]) -> Any:
    """An instruction of compiled functions, which emits its own LLVM code (numba's `intrinsic`)."""
    return intrinsic(function)


def inner(function: F) -> F:
    """A function that only compiled functions call."""
    return cast(F, llvm_function(function, **OPTIONS))


def inlined(function: F) -> F:
    """An `inner` function for short loops, in which the call would take longer than the work."""
    return cast(F, llvm_function(function, **OPTIONS, forceinline=True))
