"""What a process holds: memory, descriptors and threads."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc/self")


@dataclass(frozen=True)
class ProcessState:
    """Resident memory in MB (10⁶ bytes), open descriptors, and threads of the system and of Python."""

    megabytes: float
    descriptors: int
    threads: int
    python_threads: int

    @classmethod
    def now(cls) -> ProcessState:
        """The state of this process; zeros where the system has no ``/proc``."""
        fields = dict(
            line.split(":", 1) for line in (_PROC / "status").read_text().splitlines() if ":" in line
        )
        kilobytes = int(fields["VmRSS"].split()[0])
        descriptors = len(os.listdir(_PROC / "fd"))
        return cls(kilobytes * 1024 / 1e6, descriptors, int(fields["Threads"]), len(threading.enumerate()))

    def __str__(self) -> str:
        return f"{self.megabytes:.0f} MB, {self.descriptors} descriptors, {self.threads} threads"
