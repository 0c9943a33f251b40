"""Our side of a worker process: started when needed, asked, ended."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections import deque

from lite.errors import CompileError, ExecutionError
from lite.ir.types import Array
from lite.runtime.isolation.channel import BUILDING, Channel, Message, Parcel, message_spec
from lite.runtime.isolation.segment import Box, Segment

_START = (
    "import json, sys; given = json.loads(sys.argv[1]); sys.path[:] = given['path']; "
    "from lite.runtime.isolation.worker_main import main; main(*given['descriptors'])"
)

_LOOK = 0.2
"""Seconds between two looks whether a process that does not answer is still there."""

_LAST_WORDS = 2.0
"""Seconds that a process has to end by itself."""


class Process:
    """One worker process, with the channel to it; `inbox` holds what is sent to it."""

    def __init__(self) -> None:
        ours, theirs = zip(socket.socketpair(), socket.socketpair(), strict=True)
        lifeline, hold = os.pipe()
        descriptors = [end.fileno() for end in theirs] + [lifeline]
        given = json.dumps(
            {"path": [path for path in sys.path if isinstance(path, str)], "descriptors": descriptors}
        )
        try:
            self.popen = subprocess.Popen(
                [sys.executable, "-c", _START, given], stdin=subprocess.DEVNULL, pass_fds=descriptors
            )
        except OSError:
            os.close(hold)
            for end in ours:
                end.close()
            raise
        finally:
            os.close(lifeline)
            for end in theirs:
                end.close()
        self.owner = os.getpid()
        self.channel = Channel(*ours)
        self.inbox = Box()
        self.inbound: Segment | None = None
        """The memory in which it answers."""
        self.ended = ""
        """How it ended; empty while it runs."""
        self._stop = weakref.finalize(self, _stop, self.popen, self.channel, hold, self.owner)

    def end(self, *, kill: bool) -> str:
        """End it, if it did not; how it ended, in words."""
        if kill:
            self.popen.kill()
        self._stop()
        self.popen.wait()
        self.ended = self.ended or _ended_text(self.popen.returncode)
        return self.ended

    def wait(self, limit: float | None) -> Parcel | None:
        """Its answer; None when it ended.  Raises `TimeoutError` after `limit` seconds."""
        start = time.monotonic()
        self.channel.busy = True
        try:
            while not self.channel.poll(_LOOK if limit is None else min(_LOOK, limit)):
                if self.popen.poll() is not None:
                    # What it said before it ended may still be there.
                    return self.channel.receive() if self.channel.poll(0) else None
                if limit is not None and time.monotonic() - start >= limit:
                    raise TimeoutError
            return self.channel.receive()
        finally:
            self.channel.busy = False


class Worker:
    """A process that is started again when it ended, for whoever asks it next to compile.

    `lock` is held from a request until what came with its answer is read.
    """

    def __init__(self, name: str, opening: Message) -> None:
        self.name = name
        self.lock = threading.RLock()
        self.dropped: deque[tuple[int, Process]] = deque()
        """Numbers of models and handles that nobody needs any more."""
        self._opening = opening
        self._process: Process | None = None

    def running(self) -> Process:
        """The process, started if there is none; raises `CompileError` when it cannot be started."""
        process = self._process
        if process is not None and process.owner != os.getpid():
            process = None
        if process is not None and not process.ended and process.popen.poll() is None:
            return process
        if process is not None:
            process.end(kill=False)
        try:
            self._process = process = Process()
        except OSError as error:
            raise CompileError(f"{self.name}: its worker process cannot be started: {error}") from error
        try:
            self.ask(process, {"do": "open", **self._opening}, "opening the device", None)
        except CompileError:
            process.end(kill=True)
            raise
        return process

    def last(self) -> Process:
        """The process as it is, ended or not; raises `ExecutionError` when there was none yet."""
        if self._process is None:
            raise ExecutionError(f"{self.name}: nothing was asked of its worker process yet")
        return self._process

    def ask(
        self,
        process: Process,
        message: Message,
        doing: str,
        limit: float | None,
        segment: Segment | None = None,
    ) -> Message:
        """The answer to a request.

        Raises what the device raised, and `CompileError`, or `ExecutionError` for a ``run``, when the
        process ended or did not answer within `limit` seconds; it is ended then.
        """
        fail = CompileError if message["do"] in BUILDING else ExecutionError
        if process.ended or process.owner != os.getpid():
            raise fail(f"{self.name}: its worker process {process.ended or 'belongs to another process'}")
        drop = [number for number, owner in self._taken() if owner is process]
        try:
            process.channel.send({**message, "drop": drop}, segment)
            answer = process.wait(limit)
        except TimeoutError:
            process.end(kill=True)
            process.ended = f"did not answer within {limit:g} s and was ended"
            raise fail(f"{self.name}: its worker process {process.ended} while {doing}") from None
        except OSError:
            answer = None
        except BaseException:
            # An answer may still come, which would be taken for the next one's.
            process.end(kill=True)
            raise
        if answer is None:
            raise fail(f"{self.name}: its worker process {process.end(kill=False)} while {doing}")
        if answer.segment is not None:
            process.inbound = answer.segment
        if "error" not in answer.message:
            return answer.message
        cause = ExecutionError(f"in the worker process of {self.name}:\n{answer.message['traceback']}")
        if fail is ExecutionError:
            raise ExecutionError(answer.message["error"]) from cause
        raise CompileError(answer.message["error"], answer.message["op"]) from cause

    def _taken(self) -> list[tuple[int, Process]]:
        return [self.dropped.popleft() for _ in range(len(self.dropped))]


def received(process: Process, answer: Message) -> list[Array]:
    """The tensors of an answer, as they lie in the shared memory until the next request."""
    specs = [message_spec(spec) for spec in answer["tensors"]]
    if not specs:
        return []
    assert process.inbound is not None, "the first tensors come with their segment"
    return [process.inbound.array(spec) for spec in specs]


def _stop(popen: subprocess.Popen[bytes], channel: Channel, hold: int, owner: int) -> None:
    """Close all that leads to a process, and wait for its end."""
    channel.close()
    try:
        if os.getpid() == owner:
            if channel.busy:
                # We are leaving, and a thread that will not be waited for is in the middle of a request.
                popen.kill()
            popen.wait(_LAST_WORDS)
        else:
            # Behind a fork: it is not ours to wait for, which `poll` finds out, too.
            popen.poll()
    except subprocess.TimeoutExpired:
        popen.kill()
        popen.wait()
    finally:
        os.close(hold)


def _ended_text(status: int) -> str:
    if status >= 0:
        return f"ended with exit status {status}"
    try:
        return f"was ended by signal {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by signal {-status}"
