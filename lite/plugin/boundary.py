"""The device boundary: the only place that catches every exception of a vendor's code."""

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
    """Call a vendor's code, and raise its exceptions as `CompileError` or `ExecutionError`.

    It is an `ExecutionError` if the device is `running`, and otherwise a `CompileError` about `op`.
    `doing` describes the call in messages.  A KeyboardInterrupt passes through.
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
    """The message of a device's own error, with the device in front unless the message has it."""
    text = str(error)
    return text if text.startswith(f"{device}: ") else f"{device}: {doing} failed: {text}"
