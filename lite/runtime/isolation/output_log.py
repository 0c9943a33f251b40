"""OutputLog: what a worker prints, apart from the output of the program that uses it."""

from __future__ import annotations

import os
import tempfile
import weakref

_MOST_BYTES = 1 << 20
_TAIL_BYTES = 4096
_TAIL_LINES = 4
_MOST_CHARACTERS = 500


class OutputLog:
    """A file without a name, for the output of a process and of its children."""

    def __init__(self) -> None:
        # Appending, so that the file can be emptied while the process has it open.
        with tempfile.TemporaryFile(mode="ab+", buffering=0) as file:
            self.descriptor = os.dup(file.fileno())
        weakref.finalize(self, os.close, self.descriptor)
        self._start = 0

    def mark(self) -> None:
        """Begin a request: `tail` gives what is printed from here on.  A long log is emptied."""
        self._start = os.fstat(self.descriptor).st_size
        if self._start > _MOST_BYTES:
            os.ftruncate(self.descriptor, 0)
            self._start = 0

    def tail(self) -> str:
        """The last lines since `mark`, as one text that ends a message; "" if nothing was printed."""
        size = os.fstat(self.descriptor).st_size
        start = max(self._start, size - _TAIL_BYTES)
        text = os.pread(self.descriptor, max(size - start, 0), start).decode(errors="replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()][-_TAIL_LINES:]
        return f"; it printed: {' / '.join(lines)[-_MOST_CHARACTERS:]}" if lines else ""
