"""Messages and memory between two ends."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from lite.ir.types import Array
from lite.runtime.isolation.channel import Channel, Parcel, message_spec, spec_message
from lite.runtime.isolation.segment import Segment, TensorSpec


@pytest.fixture
def ends() -> Iterator[tuple[Channel, Channel]]:
    one, two = socket.socketpair(), socket.socketpair()
    ours, theirs = Channel(one[0], two[0]), Channel(one[1], two[1])
    yield ours, theirs
    ours.close()
    theirs.close()


def test_messages_come_in_order(ends: tuple[Channel, Channel]) -> None:
    ours, theirs = ends
    for number in range(3):
        ours.send({"n": number, "text": "ü\n"})
    assert [theirs.receive() for _ in range(3)] == [
        Parcel({"n": number, "text": "ü\n"}) for number in range(3)
    ]
    assert not theirs.poll(0)


def test_memory_comes_with_its_message(ends: tuple[Channel, Channel]) -> None:
    ours, theirs = ends
    arrays: list[Array] = [np.arange(5), np.ones((2, 3), np.float32)]
    for array in arrays:
        segment, (spec,) = Segment.holding([array])
        ours.send({"spec": spec_message(spec)}, segment)
        assert segment.is_sent
    for array in arrays:
        parcel = theirs.receive()
        assert parcel is not None
        found = parcel.contents.array(message_spec(parcel.message["spec"]))
        np.testing.assert_array_equal(found, array)


def test_large_messages(ends: tuple[Channel, Channel]) -> None:
    ours, theirs = ends
    message = {"text": "x" * 5_000_000}
    sender = threading.Thread(target=ours.send, args=(message,))
    sender.start()
    assert theirs.receive() == Parcel(message)
    sender.join()


def test_the_end(ends: tuple[Channel, Channel]) -> None:
    ours, theirs = ends
    ours.send({"last": True})
    ours.close()
    assert theirs.receive() == Parcel({"last": True})
    assert theirs.receive() is None
    with pytest.raises(OSError, match=r"."):
        theirs.send({})


def test_specs_cross() -> None:
    spec = TensorSpec("int8", (2, 0), 128)
    assert message_spec(spec_message(spec)) == spec
