"""How functions that others call are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.extending import intrinsic

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "boundscheck": False}


def instruction(function: Callable[..., Any]) -> Any:
    """A function whose machine code it emits itself (numba's `intrinsic`), for compiled functions."""
    return intrinsic(function)


def inner(function: F) -> F:
    """A function that compiled functions call; it becomes part of them."""
    return cast(F, numba.njit(**OPTIONS)(function))
