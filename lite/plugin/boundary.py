"""The device boundary: the one place that catches whatever a vendor's code throws."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from lite.errors import CompileError, ExecutionError

T = TypeVar("T")


def at_boundary(device: str, doing: str, call: Callable[[], T], op: str | None = None) -> T:
    """What `call`, a vendor's code, returns; whatever it throws comes out as a `CompileError`.

    `doing` says what the device was asked for, `op` the op that it was about.  A `CompileError` or
    `ExecutionError` of the device's own passes through; the keyboard's interrupt, too.
    """
    try:
        return call()
    except (CompileError, ExecutionError) as error:
        if isinstance(error, CompileError) and error.op is None:
            error.op = op
        raise
    except (Exception, SystemExit) as error:
        raise CompileError(f"{device}: {doing} failed: {type(error).__name__}: {error}", op) from error
