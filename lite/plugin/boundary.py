"""The device boundary: the one place that catches whatever a vendor's code throws."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from lite.errors import CompileError, ExecutionError

T = TypeVar("T")


def at_boundary(
    device: str,
    doing: str,
    call: Callable[[], T],
    *,
    op: str | None = None,
    running: bool = False,
) -> T:
    """What `call`, a vendor's code, returns; whatever it throws comes out as one of our errors.

    That is a `CompileError`, about `op` if given, or an `ExecutionError` when the device is `running`.
    Those of the device's own pass through; the keyboard's interrupt, too.  `doing` says what the device
    was asked for.
    """
    try:
        return call()
    except (CompileError, ExecutionError) as error:
        if isinstance(error, CompileError) and error.op is None:
            error.op = op
        raise
    except (Exception, SystemExit) as error:
        message = f"{device}: {doing} failed: {type(error).__name__}: {error}"
        raise (ExecutionError(message) if running else CompileError(message, op)) from error
