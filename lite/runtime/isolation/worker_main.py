"""The main function of a worker process."""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import sys

from lite.runtime.isolation.channel import Channel
from lite.runtime.isolation.session import Session


def main(end: int, lifeline: int) -> None:
    """Serve the process at the other end of this socket until it closes it or ends."""
    # Ctrl-C is sent to the whole process group; the main process decides whether to end the worker.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_when_closed(lifeline)
    Session(Channel(socket.socket(fileno=end))).serve()


def _end_when_closed(lifeline: int) -> None:
    """Let the kernel end this process when the other end of a pipe is closed.

    Unlike a watching thread, this works even while the vendor's code hangs and holds Python's lock.
    """
    if sys.platform == "linux":
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
