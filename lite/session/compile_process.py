"""A process that compiles kernels while this one answers without them.

It has a low priority, there is one at a time, and compilers let one process of the machine compile at a time.
Once it compiles, it outlives this process, so that programs that end early find the kernels the next time;
while it waits for another process, it ends with this one.  Nothing waits for it, and it holds no pipe or
terminal.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import asdict
from itertools import groupby
from typing import TextIO

from lite.plugin.kernel.compilation import COMPILERS, KernelTask
from lite.plugin.kernel.owned_lock import OwnedLock
from lite.plugin.loader import load_compilers
from lite.trusted_folder import uses_environment

log = logging.getLogger(__name__)

# Nothing is imported before the path is that of this process, which may lack the working directory.
_START = (
    "import sys; sys.path[:] = sys.argv[1:]; from lite.session.compile_process import main; main(sys.stdin)"
)

_NICENESS = 15
_MOST_SECONDS = 1800
"""Processor time after which the system ends the process."""


def main(request: TextIO) -> None:
    """Compile the kernels of a request: what the process does."""
    import resource

    os.nice(_NICENESS)
    resource.setrlimit(resource.RLIMIT_CPU, (_MOST_SECONDS, _MOST_SECONDS))
    load_compilers()
    message = json.load(request)
    tasks = [KernelTask(each["target"], each["name"], tuple(each["source"])) for each in message["tasks"]]

    def is_wanted() -> bool:
        return bool(os.getppid() == message["parent"])

    for target, group in groupby(tasks, lambda task: task.target):
        COMPILERS.get(target)().compile(list(group), is_wanted)


class _Process(subprocess.Popen[bytes]):
    """A process that may outlive its object."""

    def __del__(self) -> None:
        """Without the warning of `Popen` about a process that still runs."""


class CompileProcess:
    """Compiles kernels in other processes, one after the other; safe to use from threads."""

    def __init__(self) -> None:
        self._lock = OwnedLock()
        self._child: _Process | None = None
        self._ending: list[_Process] = []
        """Processes that have compiled everything, but may not have ended yet."""
        self._errors = -1
        self._started = 0.0
        self._current: dict[KernelTask, None] = {}
        self._waiting: dict[KernelTask, None] = {}
        self._failed: dict[KernelTask, str] = {}

    def request(self, tasks: Iterable[KernelTask]) -> str:
        """Have kernels compiled; returns why that is not possible, or an empty text."""
        load_compilers()
        with self._lock:
            self._poll()
            known = {**self._current, **self._failed}
            new = [task for task in tasks if task not in known and not _is_kept(task)]
            reason = _why_not(new)
            if not reason:
                self._waiting.update(dict.fromkeys(new))
                reason = self._start()
            return reason

    def left(self, tasks: Iterable[KernelTask]) -> int:
        """How many of these are not compiled yet, and will be."""
        with self._lock:
            self._poll()
            wanted = [task for task in tasks if task in self._current or task in self._waiting]
        return sum(not _is_kept(task) for task in wanted)

    def is_at_work(self, tasks: Iterable[KernelTask]) -> bool:
        """Whether some of these are still to be compiled."""
        with self._lock:
            self._poll()
            return any(task in self._current or task in self._waiting for task in tasks)

    def problem(self, tasks: Iterable[KernelTask]) -> str:
        """Why some of these could not be compiled; an empty text if there is no reason."""
        return next((self._failed[task] for task in tasks if task in self._failed), "")

    def forget_child(self) -> None:
        """This process was forked: the child is another one's, and a new one asks for its kernels."""
        self._close_errors()
        self._child, self._ending = None, []
        self._waiting = {**self._current, **self._waiting}
        self._current = {}

    def _start(self) -> str:
        """Start a process for the tasks that wait, if none runs; returns why that fails."""
        if self._child is not None or not self._waiting:
            return ""
        tasks = list(self._waiting)
        path = [path for path in sys.path if isinstance(path, str)]
        try:
            with tempfile.TemporaryFile() as request, tempfile.TemporaryFile() as errors:
                message = {"parent": os.getpid(), "tasks": [*map(asdict, tasks)]}
                request.write(json.dumps(message).encode())
                request.seek(0)
                self._child = _Process(
                    [sys.executable, "-c", _START, *path],
                    stdin=request,
                    stdout=subprocess.DEVNULL,
                    stderr=errors,
                    start_new_session=True,
                )
                self._errors = os.dup(errors.fileno())
        except OSError as error:
            self._waiting.clear()
            return f"no process can be started: {error}"
        self._started = time.monotonic()
        self._current, self._waiting = self._waiting, {}
        log.warning(
            "kernels that are not compiled for this machine yet: %d; a process of low priority compiles them "
            "into %s, once, and the host's kernels answer meanwhile; `litebridge warmup` compiles all before "
            'the first run, and with Config(compilation="wait") the run waits',
            len(tasks),
            COMPILERS.get(tasks[0].target)().folder(),
        )
        return ""

    def _poll(self) -> None:
        """Note the end of the process, and start the next one."""
        if self._child is None and self._waiting:
            self._start()
        self._ending = [child for child in self._ending if child.poll() is None]
        child = self._child
        if child is None:
            return
        status = child.poll()
        # It compiles them in order, so that the last one usually answers.
        if status is None and any(not _is_kept(task) for task in reversed(self._current)):
            return
        lost = [task for task in self._current if not _is_kept(task)]
        if lost:
            names = ", ".join(task.name for task in lost)
            reason = f"the kernels {names} could not be compiled: {_reason(status or 0, self._errors)}"
            self._failed.update(dict.fromkeys(lost, reason))
            log.warning("%s; the host's kernels go on answering in this process", reason)
        else:
            seconds = time.monotonic() - self._started
            log.info(
                "kernels that were compiled: %d, in %.1f s; the next run uses them",
                len(self._current),
                seconds,
            )
        self._close_errors()
        self._ending += [child]
        self._child, self._current = None, {}
        self._start()

    def _close_errors(self) -> None:
        if self._errors >= 0:
            os.close(self._errors)
        self._errors = -1


def _is_kept(task: KernelTask) -> bool:
    return COMPILERS.get(task.target)().is_kept(task)


def _why_not(tasks: Iterable[KernelTask]) -> str:
    """Why no process can compile these kernels."""
    name = os.path.basename(sys.executable or "")
    if getattr(sys, "frozen", False) or not name.startswith(("python", "pypy")):
        return f"sys.executable is no Python interpreter: {sys.executable!r}"
    if not uses_environment():
        return "this program has the rights of another user"
    reasons = (COMPILERS.get(target)().why_not() for target in sorted({task.target for task in tasks}))
    return next(filter(None, reasons), "")


def _reason(status: int, errors: int) -> str:
    """The last line that the process printed, or how it ended."""
    if status < 0:
        return f"the process that compiles was killed by signal {-status}"
    with open(errors, "rb", closefd=False) as file:
        file.seek(0)
        lines = file.read().decode(errors="replace").split("\n")
    return next((line for line in reversed(lines) if line.strip()), f"the process ended with status {status}")


COMPILE_PROCESS = CompileProcess()
"""That of this process."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=COMPILE_PROCESS.forget_child)
