"""Functions that run in forked processes, with an answer and a time limit."""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import os
import select
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_SHOW_STACKS = signal.SIGUSR1


@dataclass(frozen=True)
class Child:
    """A forked process, the pipe for its answer, and a file for the stacks of its threads."""

    process: int
    pipe: int
    stacks: int

    @classmethod
    def start(cls, function: Callable[[], str]) -> Child:
        """Run a function in a forked process; its answer is what the function returns, or its traceback."""
        reading, writing = os.pipe()
        with tempfile.TemporaryFile(buffering=0) as file:
            stacks = os.dup(file.fileno())
        process = os.fork()
        if process == 0:
            text = "ended early"
            try:
                os.close(reading)
                faulthandler.register(_SHOW_STACKS, stacks)
                text = function()
            except BaseException:  # noqa: BLE001 - what ended the child is the answer
                text = traceback.format_exc()[-1500:]
            finally:
                os.write(writing, text.encode())
                os._exit(0)
        os.close(writing)
        return cls(process, reading, stacks)

    def kill(self) -> None:
        """Kill the process; there is an answer if it was ready before."""
        os.kill(self.process, signal.SIGKILL)

    def answer(self, seconds: float) -> str:
        """The answer; empty if it was killed before it had one.

        If it has none after `seconds`, a sentence with the time of the processor that it used, which tells a
        slow process from one that waits, and the stacks of its threads.
        """
        ready, _, _ = select.select([self.pipe], [], [], seconds)
        shown = "" if ready else self._stacks()
        if not ready:
            self.kill()
        text = os.read(self.pipe, 8192).decode() if ready else ""
        os.close(self.pipe)
        os.close(self.stacks)
        _, status, usage = os.wait4(self.process, 0)
        if not ready:
            used = usage.ru_utime + usage.ru_stime
            return f"no answer within {seconds:g} s, {used:.1f} s of the processor used\n{shown}"
        if not text and status and os.WTERMSIG(status) != signal.SIGKILL:
            return f"ended by signal {os.WTERMSIG(status)}"
        return text

    def _stacks(self) -> str:
        os.kill(self.process, _SHOW_STACKS)
        time.sleep(1)
        return os.pread(self.stacks, 1 << 14, 0).decode(errors="replace")


def import_what_it_imports(function: Callable[[], str], seconds: float) -> str:
    """Run a function in a forked process, and import here what it imported there; its answer.

    Later processes start quickly, and load everything else, such as machine code, by themselves.
    """
    with tempfile.TemporaryDirectory() as folder:
        modules = Path(folder, "modules")

        def run() -> str:
            answer = function()
            modules.write_text("\n".join(sys.modules))
            return answer

        answer = Child.start(run).answer(seconds)
        for name in modules.read_text().split() if modules.is_file() else ():
            if name not in sys.modules:
                with contextlib.suppress(ImportError):
                    importlib.import_module(name)
    return answer
