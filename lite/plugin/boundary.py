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
    The keyboard's interrupt passes through.  `doing` says what the device was asked for.
    """
    try:
        return call()
    except CompileError as error:
        raise CompileError(_named(device, doing, error), error.op or op) from error
    except ExecutionError as error:
        raise ExecutionError(_named(device, doing, error)) from error
    except (Exception, SystemExit) as error:
        message = f"{device}: {doing} failed: {type(error).__name__}: {error}"
        raise (ExecutionError(message) if running else CompileError(message, op)) from error


def _named(device: str, doing: str, error: Exception) -> str:
    """The message of a device's own error, which need not say whose it is."""
    text = str(error)
    return text if text.startswith(f"{device}: ") else f"{device}: {doing} failed: {text}"
