"""Child processes of the kit: a device that ends its process ends one check, and not the kit."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from typing import IO, Any

MARK = "litebridge-conformance:"
"""Begins the lines of a child that are read: an SDK may print lines of its own."""

UNKNOWN_DEVICE = 4
"""The exit status of a child that does not find the device: no installed package registers it."""

_KEPT_LINES = 5

_WORKER = "lite.tools.conformance.section_worker"

Message = dict[str, Any]


class _Drain(threading.Thread):
    """Reads a pipe to its end, so that the child never waits; keeps the last lines."""

    def __init__(self, pipe: IO[str]) -> None:
        super().__init__(daemon=True)
        self._pipe = pipe
        self._lines: deque[str] = deque(maxlen=_KEPT_LINES)
        self.start()

    def run(self) -> None:
        self._lines.extend(line.strip() for line in self._pipe if line.strip())

    def last_line(self) -> str:
        """The last line that is not empty, once the pipe is closed; "" for none."""
        self.join()
        return self._lines[-1] if self._lines else ""


class ChildEnded(Exception):  # noqa: N818 - the answer of a child, not a failure of litebridge
    """Raised by `messages` after the last message of a child that did not finish."""

    def __init__(self, status: int, last_line: str) -> None:
        how = f"with exit status {status}" if status >= 0 else f"by signal {-status}"
        super().__init__(f"the device's process ended {how}{last_line and f': {last_line}'}")
        self.status = status


def marked_lines(text: str) -> list[str]:
    """The marked lines, without the mark; a line may begin with text of the SDK."""
    return [line.partition(MARK)[2].strip() for line in text.splitlines() if MARK in line]


def send(message: Message) -> None:
    """Print a message to the parent, on a line of its own."""
    sys.stdout.write(f"\n{MARK} {json.dumps(message)}\n")
    sys.stdout.flush()


def messages(request: Message) -> Iterator[Message]:
    """The messages of a child for one request; raises `ChildEnded` for a child that does not finish."""
    command: Sequence[str] = [sys.executable, "-m", _WORKER, json.dumps({**request, "path": sys.path})]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        errors = _Drain(child.stderr)
        done = False
        for line in child.stdout:
            if MARK not in line:
                continue
            message: Message = json.loads(line.partition(MARK)[2])
            done = done or "done" in message
            yield message
        child.wait()
        if not done:
            raise ChildEnded(child.returncode, errors.last_line())
