"""Messages between a process and its worker: JSON, and shared memory by descriptor."""

from __future__ import annotations

import json
import socket
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from typing import Any

from lite.runtime.isolation.segment import Segment, TensorSpec

Message = dict[str, Any]

BUILDING = frozenset({"open", "available", "version", "memory", "compile", "load", "serialize"})
"""Requests that fail with a `CompileError`; the others, with an `ExecutionError`."""


@dataclass
class Parcel:
    """A message, with the segment that came with it."""

    message: Message
    segment: Segment | None = None

    @property
    def contents(self) -> Segment:
        """The segment, for messages that always have one."""
        assert self.segment is not None, "a message came without its segment"
        return self.segment


class Channel:
    """One end of two sockets: messages, and descriptors.  `busy` says that a thread waits for a message."""

    def __init__(self, messages: socket.socket, descriptors: socket.socket) -> None:
        self.busy = False
        self._messages = Connection(messages.detach())
        self._descriptors = descriptors

    def send(self, message: Message, segment: Segment | None = None) -> None:
        """Send a message; the descriptor of the segment is closed here.  Raises `OSError`."""
        text = json.dumps({**message, "segment": None if segment is None else segment.size})
        self._messages.send_bytes(text.encode())
        if segment is not None:
            socket.send_fds(self._descriptors, [b"s"], [segment.descriptor])
            segment.sent()

    def poll(self, seconds: float) -> bool:
        """Whether a message, or the end, came within that time."""
        return self._messages.poll(seconds)

    def receive(self) -> Parcel | None:
        """The next message; None when the other end is closed."""
        try:
            message = json.loads(self._messages.recv_bytes())
            size = message.pop("segment")
            return Parcel(message, None if size is None else self._segment(size))
        except (EOFError, ConnectionError):
            return None

    def close(self) -> None:
        """Close this end; where a thread is waiting, it then hears the other end close."""
        self._descriptors.close()
        if not self.busy:
            self._messages.close()

    def _segment(self, size: int) -> Segment:
        _, found, _, _ = socket.recv_fds(self._descriptors, 1, 1)
        if not found:
            raise EOFError
        segment = Segment(found[0], size)
        segment.sent()
        return segment


def spec_message(spec: TensorSpec) -> Message:
    """A tensor's place for a message."""
    return asdict(spec)


def message_spec(message: Message) -> TensorSpec:
    """The tensor's place that `spec_message` wrote."""
    return TensorSpec(message["dtype"], tuple(message["shape"]), message["offset"])
