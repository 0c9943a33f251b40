"""What the worker process runs."""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import sys

from lite.runtime.isolation.channel import Channel
from lite.runtime.isolation.session import Session


def main(messages: int, descriptors: int, lifeline: int) -> None:
    """Serve the process at the other end of these descriptors until it closes them or ends."""
    # Ctrl-C reaches the whole group of processes; what it ends is for the other process to say.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with(lifeline)
    Session(Channel(socket.socket(fileno=messages), socket.socket(fileno=descriptors))).serve()


def _end_with(lifeline: int) -> None:
    """Let the kernel end this process when the other end of a pipe is closed.

    That works while the vendor's code hangs, holding Python's lock; a thread that watches would not.
    """
    if sys.platform == "linux":
        fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(lifeline, fcntl.F_SETFL, fcntl.fcntl(lifeline, fcntl.F_GETFL) | os.O_ASYNC)
