"""Functions that run in forked processes, with an answer and a time limit."""

from __future__ import annotations

import os
import select
import signal
import traceback
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Child:
    """A forked process, and the pipe for its answer."""

    process: int
    pipe: int

    @classmethod
    def start(cls, function: Callable[[], str]) -> Child:
        """Run a function in a forked process; its answer is what the function returns, or its traceback."""
        reading, writing = os.pipe()
        process = os.fork()
        if process == 0:
            text = "ended early"
            try:
                os.close(reading)
                text = function()
            except BaseException:  # noqa: BLE001 - what ended the child is the answer
                text = traceback.format_exc()[-1500:]
            finally:
                os.write(writing, text.encode())
                os._exit(0)
        os.close(writing)
        return cls(process, reading)

    def kill(self) -> None:
        """Kill the process; there is an answer if it was ready before."""
        os.kill(self.process, signal.SIGKILL)

    def answer(self, seconds: float) -> str:
        """The answer; empty if it was killed before it had one, a sentence if it has none after `seconds`."""
        ready, _, _ = select.select([self.pipe], [], [], seconds)
        if not ready:
            self.kill()
        text = os.read(self.pipe, 8192).decode() if ready else f"no answer within {seconds:g} s"
        os.close(self.pipe)
        _, status = os.waitpid(self.process, 0)
        if not text and status and os.WTERMSIG(status) != signal.SIGKILL:
            return f"ended by signal {os.WTERMSIG(status)}"
        return text
