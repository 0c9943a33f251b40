"""The main process's side of a worker process: starts it, sends requests, and ends it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
import weakref
from collections import deque

from lite.errors import CompileError, ExecutionError
from lite.ir.types import Array
from lite.plugin.kernel.owned_lock import NestingLock
from lite.runtime.isolation.channel import BUILDING, Channel, Message, Parcel, message_spec
from lite.runtime.isolation.launch import Launch, SameInterpreter, Started
from lite.runtime.isolation.segment import Segment, TensorBuffer

_POLL_SECONDS = 0.2
"""Interval at which to check whether a process that does not answer still exists."""

FORKED = "its worker belongs to the process that forked this one; make a predictor after the fork"

_EXIT_SECONDS = 2.0
"""Time that a process has to end by itself before it is killed."""


class Process:
    """One worker process, with the channel to it and the buffer for the tensors of requests."""

    def __init__(self, launch: Launch) -> None:
        own_end, worker_end = socket.socketpair()
        lifeline, lifeline_end = os.pipe()
        try:
            started = launch.start([worker_end.fileno(), lifeline])
        except BaseException:
            os.close(lifeline_end)
            own_end.close()
            raise
        finally:
            os.close(lifeline)
            worker_end.close()
        self.popen = started.popen
        self.kill = started.kill
        self.output = started.output
        self.owner = os.getpid()
        self.channel = Channel(own_end)
        self._requests = TensorBuffer()
        self.answer_segment: Segment | None = None
        """The shared memory with the tensors of its answers."""
        self.ended = ""
        """How it ended; empty while it runs."""
        self._stop = weakref.finalize(self, _stop, started, self.channel, lifeline_end, self.owner)

    @property
    def requests(self) -> TensorBuffer:
        """The buffer for the tensors of requests; raises `ExecutionError` in a forked process.

        There, writing to it would change the inputs of the process that forked.
        """
        if self.owner != os.getpid():
            raise ExecutionError(FORKED)
        return self._requests

    def end(self, *, kill: bool) -> str:
        """End the process if it still runs; returns a text on how it ended."""
        if kill:
            self.kill()
        self._stop()
        self.popen.wait()
        self.ended = self.ended or _ended_text(self.popen.returncode) + self.printed
        return self.ended

    @property
    def printed(self) -> str:
        """The last lines of its present request, if it has a log."""
        return "" if self.output is None else self.output.tail()

    def wait(self, limit: float | None, expected: float) -> Parcel | None:
        """The next answer, expected in so many seconds; None if the process ended.

        Raises `TimeoutError` after `limit` seconds.
        """
        start = time.monotonic()
        step = _POLL_SECONDS if limit is None else min(_POLL_SECONDS, limit)
        self.channel.busy = True
        try:
            self.channel.watch(min(expected, step))
            while not self.channel.poll(step):
                if self.popen.poll() is not None:
                    # It may have answered before it ended.
                    return self.channel.receive() if self.channel.poll(0) else None
                if limit is not None and time.monotonic() - start >= limit:
                    raise TimeoutError
            return self.channel.receive()
        finally:
            self.channel.busy = False


class Worker:
    """Starts worker processes, and sends them requests.

    When a process ended, the next request to compile or load starts a new one.  `lock` is held from a request
    until the tensors of its answer are read.
    """

    def __init__(
        self, name: str, opening: Message, launch: Launch | None = None, opening_limit: float | None = None
    ) -> None:
        self.name = name
        self.lock = NestingLock()
        self.dropped: deque[tuple[int, Process]] = deque()
        """Numbers of models and handles that are no longer used."""
        self._opening = opening
        self._launch = launch or SameInterpreter()
        self._opening_limit = opening_limit
        self._process: Process | None = None

    def running(self) -> Process:
        """The running process, started if needed; raises `CompileError` if it cannot be started."""
        process = self._process
        if process is not None and process.owner != os.getpid():
            process = None
        if process is not None and not process.ended and process.popen.poll() is None:
            return process
        if process is not None:
            process.end(kill=False)
        try:
            self._process = process = Process(self._launch)
        except OSError as error:
            raise CompileError(f"{self.name}: its worker process cannot be started: {error}") from error
        try:
            self.ask(process, {"do": "open", **self._opening}, "opening the device", self._opening_limit)
        except CompileError:
            process.end(kill=True)
            raise
        return process

    def last(self) -> Process:
        """The latest process, even if it ended; raises `ExecutionError` if there was none yet."""
        if self._process is None:
            raise ExecutionError(f"{self.name}: its worker process was not started yet")
        return self._process

    def ask(
        self,
        process: Process,
        message: Message,
        activity: str,
        limit: float | None,
        segment: Segment | None = None,
        expected: float = 0.0,
    ) -> Message:
        """The answer to a request, expected in so many seconds; `activity` is for error messages.

        Raises what the device raised.  If the process ended, or does not answer within `limit` seconds and
        is killed, raises `CompileError` for the requests in `BUILDING`, and `ExecutionError` for others.
        """
        fail = CompileError if message["do"] in BUILDING else ExecutionError
        if process.owner != os.getpid():
            raise fail(f"{self.name}: {FORKED}")
        if process.ended:
            raise fail(f"{self.name}: its worker process {process.ended}")
        if process.output is not None and message["do"] != "open":
            process.output.mark()
        drop = [number for number, owner in self._take_dropped() if owner is process]
        try:
            process.channel.send({**message, "drop": drop} if drop else message, segment)
            answer = process.wait(limit, expected)
        except TimeoutError:
            process.end(kill=True)
            process.ended = f"did not answer within {limit:g} s and was killed{process.printed}"
            raise fail(f"{self.name}: its worker process {process.ended} while {activity}") from None
        except OSError:
            answer = None
        except BaseException:
            # A late answer would be mistaken for the answer to the next request.
            process.end(kill=True)
            raise
        if answer is None:
            raise fail(f"{self.name}: its worker process {process.end(kill=False)} while {activity}")
        if answer.segment is not None:
            process.answer_segment = answer.segment
        if "error" not in answer.message:
            return answer.message
        kind = CompileError if answer.message["declined"] else ExecutionError
        cause = kind(f"in the worker process of {self.name}:\n{answer.message['traceback']}")
        error = answer.message["error"] + ("" if answer.message["declined"] else process.printed)
        if fail is ExecutionError:
            raise ExecutionError(error) from cause
        raise CompileError(error, answer.message["op"]) from cause

    def _take_dropped(self) -> list[tuple[int, Process]]:
        return [self.dropped.popleft() for _ in range(len(self.dropped))]


def read_tensors(process: Process, answer: Message) -> list[Array]:
    """The tensors of an answer: views of shared memory, which the next request overwrites."""
    specs = [message_spec(spec) for spec in answer["tensors"]]
    if not specs:
        return []
    assert process.answer_segment is not None, "the first tensors come with their segment"
    return [process.answer_segment.array(spec) for spec in specs]


def _stop(started: Started, channel: Channel, lifeline_end: int, owner: int) -> None:
    """Close the connections to a process, wait for its end, and remove its folder."""
    popen = started.popen
    channel.close()
    try:
        if os.getpid() == owner:
            if channel.busy:
                # At exit, a thread may still wait for an answer, and will not be waited for.
                started.kill()
            popen.wait(_EXIT_SECONDS)
        else:
            # In a forked process, the worker is not a child; `poll` records that.
            popen.poll()
    except subprocess.TimeoutExpired:
        started.kill()
        popen.wait()
    finally:
        os.close(lifeline_end)
        if started.folder is not None and os.getpid() == owner:
            started.kill()
            started.folder.cleanup()


def _ended_text(status: int) -> str:
    if status >= 0:
        return f"ended with exit status {status}"
    try:
        return f"was killed by signal {signal.Signals(-status).name}"
    except ValueError:
        return f"was killed by signal {-status}"
