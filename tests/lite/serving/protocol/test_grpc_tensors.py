"""Tensors apart from the messages that hold them, against protobuf's own encoding."""

from __future__ import annotations

import random

import pytest
from google.protobuf.message import DecodeError

from lite.serving.oip import oip_pb2 as pb
from lite.serving.protocol.grpc_tensors import join_response, split_request, stream_response


def request(tensors: list[bytes]) -> pb.ModelInferRequest:
    message = pb.ModelInferRequest(model_name="m", id="7", raw_input_contents=tensors)
    message.inputs.add(name="x", datatype="FP32", shape=[1, -1, 2**40])
    message.parameters["a"].double_param = 0.5
    message.parameters["b"].int64_param = -1
    return message


@pytest.mark.parametrize("sizes", [[], [0], [1, 0, 127], [128, 3], [16383, 16384], [2**21 + 5]])
def test_a_request_is_divided(sizes: list[int]) -> None:
    tensors = [random.Random(size).randbytes(size) for size in sizes]
    message, views = split_request(request(tensors).SerializeToString())

    assert [bytes(view) for view in views] == tensors
    assert message == request([])


def test_tensors_may_be_anywhere_in_a_request() -> None:
    first, second = (
        request([b"one", b""]),
        pb.ModelInferRequest(model_version="3", raw_input_contents=[b"two"]),
    )
    message, views = split_request(first.SerializeToString() + second.SerializeToString())
    first.MergeFrom(second)
    del first.raw_input_contents[:]

    assert [bytes(view) for view in views] == [b"one", b"", b"two"]
    assert message == first


def test_unknown_fields_are_passed_over() -> None:
    # Fields 500 to 502: a varint, eight bytes, and four bytes.
    unknown = b"\xa0\x1f\xff\x01" + b"\xa9\x1f12345678" + b"\xb5\x1f1234"
    message, views = split_request(unknown + request([b"x"]).SerializeToString())

    assert [bytes(view) for view in views] == [b"x"]
    assert (message.model_name, list(message.inputs)) == ("m", list(request([]).inputs))


def test_damaged_requests_are_refused_where_protobuf_refuses_them() -> None:
    choices = random.Random(5)
    whole = request([b"tensor", b"another"]).SerializeToString()
    damaged = [whole[:size] for size in range(len(whole))]
    for _ in range(3000):
        content = bytearray(whole)
        for _ in range(choices.randint(1, 3)):
            content[choices.randrange(len(content))] = choices.randrange(256)
        damaged.append(bytes(content))
    answers = [(_by_protobuf(data), _by_parts(data)) for data in damaged]

    # Groups, which protobuf passes over, are in no version of the protocol.
    assert [pair for pair in answers if pair[0] != pair[1] and pair[1] != "a field has the type 3"] == []
    refused = sum(expected is None for expected, _ in answers)
    assert 500 < refused < len(damaged) - 500


def _by_protobuf(data: bytes) -> object:
    try:
        return pb.ModelInferRequest.FromString(data)
    except DecodeError:
        return None


def _by_parts(data: bytes) -> object:
    try:
        message, views = split_request(data)
    except DecodeError as error:
        return str(error) if str(error) == "a field has the type 3" else None
    message.raw_input_contents.extend(map(bytes, views))
    return message


@pytest.mark.parametrize("data", [b"\x80", b"\x80" * 10 + b"\x01", b"\x3a\x05abc", b"\x3b", b"\x3c"])
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(DecodeError):
        split_request(data)


@pytest.mark.parametrize("sizes", [[], [0], [127, 128], [16384, 2**21]])
def test_a_response_is_what_protobuf_writes(sizes: list[int]) -> None:
    tensors = [random.Random(size).randbytes(size) for size in sizes]
    message = pb.ModelInferResponse(model_name="m", id="1")
    message.outputs.add(name="y", datatype="UINT8", shape=[5])
    expected = pb.ModelInferResponse(raw_output_contents=tensors)
    expected.MergeFrom(message)
    joined = join_response(message, [memoryview(tensor) for tensor in tensors])

    assert pb.ModelInferResponse.FromString(joined) == expected
    assert pb.ModelStreamInferResponse.FromString(stream_response(joined)) == pb.ModelStreamInferResponse(
        infer_response=expected
    )
