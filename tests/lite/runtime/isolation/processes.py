"""Counts of child processes and file descriptors, to find leftovers."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def children() -> set[int]:
    """The child processes of this one, including zombies."""
    return {
        int(pid) for path in Path("/proc/self/task").glob("*/children") for pid in path.read_text().split()
    }


def descriptors() -> int:
    """The number of open file descriptors."""
    return len(os.listdir("/proc/self/fd"))


def is_running(pid: int) -> bool:
    """Whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def comes_true(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Whether a condition becomes true within some seconds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
