"""Messages between a process and its worker: JSON, and segments of shared memory by descriptor."""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from lite.runtime.isolation.segment import Segment, TensorSpec

Message = dict[str, Any]


@dataclass
class Parcel:
    """A message with the segments that it is about."""

    message: Message
    segments: list[Segment] = field(default_factory=list)


class Channel:
    """One end of two sockets: messages, and descriptors."""

    def __init__(self, messages: socket.socket, descriptors: socket.socket) -> None:
        self._messages = Connection(messages.detach())
        self._descriptors = descriptors

    def send(self, message: Message, segments: Sequence[Segment] = ()) -> None:
        """Send a message; the descriptors of the segments are closed here.  Raises `OSError`."""
        text = json.dumps({**message, "segments": [segment.size for segment in segments]})
        self._messages.send_bytes(text.encode())
        for segment in segments:
            socket.send_fds(self._descriptors, [b"s"], [segment.descriptor])
            segment.sent()

    def poll(self, seconds: float) -> bool:
        """Whether a message, or the end, came within that time."""
        return self._messages.poll(seconds)

    def receive(self) -> Parcel | None:
        """The next message; None when the other end is closed."""
        try:
            message = json.loads(self._messages.recv_bytes())
            return Parcel(message, [self._segment(size) for size in message.pop("segments")])
        except (EOFError, ConnectionError):
            return None

    def close(self) -> None:
        """Close this end."""
        self._messages.close()
        self._descriptors.close()

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
