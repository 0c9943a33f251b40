"""Channel: JSON messages between a process and its worker, with shared memory by file descriptor."""

from __future__ import annotations

import functools
import json
import select
import socket
import struct
import sys
import time
from typing import Any

from lite.cores import usable_cores
from lite.dataclass import dataclass
from lite.runtime.isolation.segment import Segment, TensorSpec

Message = dict[str, Any]

BUILDING = frozenset(
    {"open", "available", "version", "memory", "compile", "load", "serialize", "files", "evidence"}
)
"""Requests whose failure is a `CompileError`; for other requests it is an `ExecutionError`."""

_HEADER = struct.Struct("<IQ")
_AWAKE_SECONDS = 0.0003
_INT_BYTES = struct.calcsize("i")
_DESCRIPTOR_BYTES = socket.CMSG_SPACE(_INT_BYTES)
_MOST_KEPT_BYTES = 4096
"""Messages up to this size arrive with one call, and are parsed once, however often they arrive."""


class EncodedMessage(Message):
    """A message that is sent again and again, so its text is made once; it must not change."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.text = _encoded(message)


@dataclass
class Parcel:
    """A message, which must not be changed, with the shared memory that belongs to it."""

    message: Message
    segment: Segment | None = None

    @property
    def contents(self) -> Segment:
        """The shared memory, for messages that always have some."""
        assert self.segment is not None, "the message has no shared memory"
        return self.segment


class Channel:
    """One end of a socket, for messages and descriptors; `busy` while a thread waits for a message.

    A message is a header with the bytes of its text and of its segment, 0 without one, and the text.  The
    descriptor of the segment comes with the header.  Each message is the answer to the last one.
    """

    def __init__(self, end: socket.socket) -> None:
        self.busy = False
        # A single core is left to the program that asks.
        self._awake = _AWAKE_SECONDS if usable_cores() > 1 else 0.0
        self._socket = end
        self._poll = select.poll()
        self._poll.register(end, select.POLLIN)

    def send(self, message: Message, segment: Segment | None = None) -> None:
        """Send a message and the descriptor of a segment, which is then closed here.  Raises `OSError`."""
        text = message.text if isinstance(message, EncodedMessage) else _encoded(message)
        content = _HEADER.pack(len(text), 0 if segment is None else segment.size) + text
        if segment is None:
            self._socket.sendall(content)
            return
        sent = socket.send_fds(self._socket, [content], [segment.descriptor])
        self._socket.sendall(content[sent:])
        segment.close_descriptor()

    def poll(self, seconds: float) -> bool:
        """Whether a message arrived, or the other end was closed, within that time."""
        return bool(self._poll.poll(1000 * seconds))

    def wait(self) -> None:
        """Wait for a message, or until the other end is closed."""
        self.watch()
        self._poll.poll()

    def watch(self, expected: float = 0.0) -> None:
        """Wait until a message arrives, but only until a moment after it was expected, in seconds from now.

        This end stays awake shortly before and after that time, since waking a sleeping core can take
        0.1 ms: a program that runs a model again and again asks soon after an answer, and gets the next
        answer after about the same time.
        """
        start = time.perf_counter()
        milliseconds = int(1000 * (expected - self._awake))
        if milliseconds > 0 and self._poll.poll(milliseconds):
            return
        end = start + expected + self._awake
        while not self._poll.poll(0) and time.perf_counter() < end:
            pass

    def receive(self) -> Parcel | None:
        """The next message; None when the other end is closed.

        Call `poll` or `wait` before: when the other end reads, it wakes a thread that waits here, but not one
        that waits there.
        """
        try:
            content, ancillary, _, _ = self._socket.recvmsg(_MOST_KEPT_BYTES, _DESCRIPTOR_BYTES)
            if len(content) < _HEADER.size:
                return None
            size, segment_size = _HEADER.unpack_from(content)
            text = self._completed(content[_HEADER.size :], size)
        except ConnectionError:
            return None
        if not text or len(text) != size:
            return None
        message = _parsed(text) if size <= _MOST_KEPT_BYTES else json.loads(text)
        return Parcel(message, _received_segment(ancillary[0][2], segment_size) if segment_size else None)

    def _completed(self, text: bytes, size: int) -> bytes:
        """The text of a message with the part that did not arrive yet, unless the other end is closed."""
        while len(text) < size and (part := self._socket.recv(size - len(text))):
            text += part
        return text

    def close(self) -> None:
        """Close this end, unless a thread waits: its socket stays open, and it sees the other end close."""
        if self.busy:
            self._socket.detach()
        else:
            self._socket.close()


def _encoded(message: Message) -> bytes:
    return json.dumps(message).encode()


_parsed = functools.lru_cache(256)(json.loads)


def _received_segment(descriptor: bytes, size: int) -> Segment:
    segment = Segment(int.from_bytes(descriptor[:_INT_BYTES], sys.byteorder), size, read_only=True)
    segment.close_descriptor()
    return segment


def spec_message(spec: TensorSpec) -> Message:
    """A tensor's dtype, shape and place, for a message."""
    return {"dtype": spec.dtype, "shape": spec.shape, "offset": spec.offset}


def message_spec(message: Message) -> TensorSpec:
    """The reverse of `spec_message`."""
    return _spec(message["dtype"], tuple(message["shape"]), message["offset"])


_spec = functools.lru_cache(1024)(TensorSpec)
