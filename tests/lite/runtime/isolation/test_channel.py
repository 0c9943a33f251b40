"""Channel: messages and shared memory between two ends."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import numpy as np
import pytest

from lite.ir.types import Array
from lite.runtime.isolation.channel import _HEADER, Channel, Parcel, message_spec, spec_message
from lite.runtime.isolation.segment import Segment, TensorSpec


@pytest.fixture
def ends() -> Iterator[tuple[Channel, Channel]]:
    first, second = map(Channel, socket.socketpair())
    yield first, second
    first.close()
    second.close()


def test_ends_answer_each_other(ends: tuple[Channel, Channel]) -> None:
    first, second = ends
    for number in range(3):
        first.send({"n": number, "text": "ü\n"})
        second.wait()
        assert second.receive() == Parcel({"n": number, "text": "ü\n"})
        assert not second.poll(0)
        second.send({"answer": number})
        assert first.receive() == Parcel({"answer": number})


def test_a_segment_arrives_with_its_message(ends: tuple[Channel, Channel]) -> None:
    first, second = ends
    arrays: list[Array] = [np.arange(5), np.ones((2, 3), np.float32)]
    for array in arrays:
        segment, (spec,) = Segment.holding([array])
        first.send({"spec": spec_message(spec)}, segment)
        assert segment.is_sent
        parcel = second.receive()
        assert parcel is not None
        received = parcel.contents.array(message_spec(parcel.message["spec"]))
        np.testing.assert_array_equal(received, array)


def test_a_large_message_arrives(ends: tuple[Channel, Channel]) -> None:
    first, second = ends
    message = {"text": "x" * 5_000_000}
    sender = threading.Thread(target=first.send, args=(message,))
    sender.start()
    assert second.receive() == Parcel(message)
    sender.join()


@pytest.mark.parametrize("cores", [1, 2])
def test_an_end_waits_for_a_message_that_comes_late(cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lite.runtime.isolation.channel.usable_cores", lambda: cores)
    first, second = map(Channel, socket.socketpair())
    sender = threading.Timer(0.05, first.send, [{"late": True}])
    sender.start()
    second.wait()
    assert second.receive() == Parcel({"late": True})
    sender.join()
    first.close()
    second.wait()
    assert second.receive() is None
    second.close()


@pytest.mark.parametrize("cores", [1, 2])
def test_a_watch_ends_with_a_message_or_after_the_expected_time(
    cores: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lite.runtime.isolation.channel.usable_cores", lambda: cores)
    first, second = map(Channel, socket.socketpair())
    for expected in (0.0, 0.01):
        second.watch(expected)
        assert not second.poll(0)
    sender = threading.Timer(0.05, first.send, [{"early": True}])
    sender.start()
    second.watch(3600.0)
    assert second.receive() == Parcel({"early": True})
    sender.join()
    first.close()
    second.watch(3600.0)
    assert second.receive() is None
    second.close()


def test_after_the_other_end_closed_there_are_no_messages(ends: tuple[Channel, Channel]) -> None:
    first, second = ends
    first.send({"last": True})
    first.close()
    assert second.receive() == Parcel({"last": True})
    assert second.receive() is None
    with pytest.raises(OSError, match=r"."):
        second.send({})


def test_a_message_that_is_cut_off_is_none() -> None:
    end, other = socket.socketpair()
    channel = Channel(end)
    other.sendall(_HEADER.pack(9, 0) + b"{}")
    other.close()
    assert channel.receive() is None
    channel.close()


def test_a_spec_survives_a_message() -> None:
    spec = TensorSpec("int8", (2, 0), 128)
    assert message_spec(spec_message(spec)) == spec
