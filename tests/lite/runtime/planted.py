"""Kernels with a planted fault, registered temporarily on a separate target."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from lite.ir.types import Array, Place
from lite.plugin.kernel import kernel, unregister

TARGET = "planted"
SLOW_SECONDS = 0.005


def relu_with_nan(X: Array) -> Array:
    """relu whose first element is NaN."""
    y: Array = np.maximum(X, 0)
    y.reshape(-1)[0] = np.nan
    return y


def relu_shifted(X: Array) -> Array:
    """relu plus a half."""
    y: Array = np.maximum(X, 0) + X.dtype.type(0.5)
    return y


def relu_slow(X: Array) -> Array:
    """relu that takes `SLOW_SECONDS`."""
    time.sleep(SLOW_SECONDS)
    y: Array = np.maximum(X, 0)
    return y


@contextmanager
def planted(function: Callable[..., Any], op: str = "relu", target: str = TARGET) -> Iterator[None]:
    """While entered, `function` is the kernel of `op` on `target`."""
    kernel(op, target)(function)
    try:
        yield
    finally:
        unregister(op, Place(target))
