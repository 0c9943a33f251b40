"""Options and decorators by which numba compiles functions that are part of other compiled functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "boundscheck": False}


def instruction(function: Callable[..., Any]) -> Any:
    """An instruction of compiled functions, which emits its own LLVM code (numba's `intrinsic`)."""
    return intrinsic(function)


def inner(function: F) -> F:
    """A function that only compiled functions call."""
    return cast(F, numba.njit(**OPTIONS)(function))
