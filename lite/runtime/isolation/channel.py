"""Channel: JSON messages between a process and its worker, with shared memory by file descriptor."""

from __future__ import annotations

import json
import socket
from dataclasses import asdict
from multiprocessing.connection import Connection
from typing import Any

from lite.dataclass import dataclass
from lite.runtime.isolation.segment import Segment, TensorSpec

Message = dict[str, Any]

BUILDING = frozenset(
    {"open", "available", "version", "memory", "compile", "load", "serialize", "files", "evidence"}
)
"""Requests whose failure is a `CompileError`; for other requests it is an `ExecutionError`."""


@dataclass
class Parcel:
    """A message, with the shared memory that belongs to it."""

    message: Message
    segment: Segment | None = None

    @property
    def contents(self) -> Segment:
        """The shared memory, for messages that always have some."""
        assert self.segment is not None, "the message has no shared memory"
        return self.segment


class Channel:
    """One end of two sockets, for messages and descriptors; `busy` while a thread waits for a message."""

    def __init__(self, messages: socket.socket, descriptors: socket.socket) -> None:
        self.busy = False
        self._messages = Connection(messages.detach())
        self._descriptors = descriptors

    def send(self, message: Message, segment: Segment | None = None) -> None:
        """Send a message and the descriptor of a segment, which is then closed here.  Raises `OSError`."""
        text = json.dumps({**message, "segment": None if segment is None else segment.size})
        self._messages.send_bytes(text.encode())
        if segment is not None:
            socket.send_fds(self._descriptors, [b"s"], [segment.descriptor])
            segment.close_descriptor()

    def poll(self, seconds: float) -> bool:
        """Whether a message arrived, or the other end was closed, within that time."""
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
        """Close this end.  The socket of a waiting thread stays open: it sees the other end close."""
        self._descriptors.close()
        if not self.busy:
            self._messages.close()

    def _segment(self, size: int) -> Segment:
        _, descriptors, _, _ = socket.recv_fds(self._descriptors, 1, 1)
        if not descriptors:
            raise EOFError
        segment = Segment(descriptors[0], size)
        segment.close_descriptor()
        return segment


def spec_message(spec: TensorSpec) -> Message:
    """A tensor's dtype, shape and place, for a message."""
    return asdict(spec)


def message_spec(message: Message) -> TensorSpec:
    """The reverse of `spec_message`."""
    return TensorSpec(message["dtype"], tuple(message["shape"]), message["offset"])
