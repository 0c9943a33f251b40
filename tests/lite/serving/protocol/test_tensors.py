"""Tensors as bytes and back, responses, protobuf messages, classes."""

from __future__ import annotations

import json
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lite.serving.oip import oip_pb2 as pb
from lite.serving.protocol.classification import classify
from lite.serving.protocol.datatypes import DATATYPES, array_datatype, from_bytes, numpy_dtype, to_bytes
from lite.serving.protocol.grpc_messages import decode_message, encode_message
from lite.serving.protocol.http_response import encode_response
from lite.serving.protocol.limits import RequestLimits
from lite.serving.protocol.messages import InferRequest, InferResponse, MemoryRange, ResultTensor
from lite.serving.protocol.status import RequestError, Status


def sample(datatype: str, shape: tuple[int, ...]) -> Any:
    count = int(np.prod(shape))
    if datatype == "BYTES":
        array = np.empty(count, object)
        array[:] = [b"\xff" * n for n in range(count)]
        return array.reshape(shape)
    return (np.arange(count) % 2).astype(numpy_dtype(datatype)).reshape(shape)


@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3), (1,)])
@pytest.mark.parametrize("datatype", DATATYPES)
def test_bytes_give_the_same_tensor_back(datatype: str, shape: tuple[int, ...]) -> None:
    array = sample(datatype, shape)
    back = from_bytes("x", datatype, list(shape), to_bytes(array))

    assert (array_datatype(back), back.shape) == (datatype, shape)
    assert back.tolist() == array.tolist()


def test_bytes_are_little_endian_and_strings_have_lengths() -> None:
    assert to_bytes(np.array([1, 256], ">i2")) == b"\x01\0\0\1"
    assert to_bytes(np.array(["ü", b""], object)) == b"\x02\0\0\0\xc3\xbc\0\0\0\0"
    assert to_bytes(np.array([1.5], ml_dtypes.bfloat16)) == b"\xc0\x3f"


def test_bytes_are_in_row_major_order() -> None:
    assert to_bytes(np.array([[1, 2], [3, 4]], np.int8).T) == b"\1\3\2\4"


def test_a_view_of_an_array_keeps_that_array_in_use() -> None:
    whole = np.arange(6, dtype=np.float32)
    part = whole[2:4]
    view = to_bytes(part)

    assert isinstance(view, memoryview)
    assert id(view.obj) == id(part)
    assert view == part.tobytes()


@pytest.mark.parametrize(
    ("datatype", "shape", "data"),
    [
        ("FP32", [2], b"1234567"),
        ("FP32", [2**40], b""),
        ("BOOL", [2], b"\0\2"),
        ("BYTES", [1], b"\1\0\0"),
        ("BYTES", [1], b"\xff\xff\xff\xff"),
        ("BYTES", [2], b"\1\0\0\0a"),
        ("BYTES", [0], b"\0\0\0\0\0\0\0\0"),
    ],
)
def test_bytes_that_do_not_fit_are_the_clients_fault(datatype: str, shape: list[int], data: bytes) -> None:
    with pytest.raises(RequestError) as caught:
        from_bytes("x", datatype, shape, data)
    assert caught.value.status is Status.BAD_REQUEST


def result(array: Any, **more: Any) -> ResultTensor:
    return ResultTensor("y", array_datatype(array), array.shape, array, **more)


def test_a_response_in_json_has_flat_data() -> None:
    outputs = (result(np.array([[1.5, np.nan]], np.float32)), result(np.array([b"a", "ü"], object)))
    text, tensors = encode_response(InferResponse("m", "1", "", outputs))

    assert tensors is None
    assert json.loads(text) == {
        "model_name": "m",
        "model_version": "1",
        "outputs": [
            {"name": "y", "datatype": "FP32", "shape": [1, 2], "data": [1.5, None]},
            {"name": "y", "datatype": "BYTES", "shape": [2], "data": ["a", "ü"]},
        ],
    }


def test_binary_outputs_follow_the_head() -> None:
    shared = ResultTensor("z", "FP32", (2,), None, memory=MemoryRange("r", 4, 8))
    outputs = (result(np.array([1, 2], np.int16), binary=True), result(np.array([True])), shared)
    text, tensors = encode_response(InferResponse("m", "1", "7", outputs))

    assert tensors == [b"\1\0\2\0"]
    document = json.loads(text)
    assert document["id"] == "7"
    assert [entry.get("parameters") for entry in document["outputs"]] == [
        {"binary_data_size": 4},
        None,
        {"shared_memory_region": "r", "shared_memory_offset": 4, "shared_memory_byte_size": 8},
    ]


@pytest.mark.parametrize("array", [np.array([1], np.float16), np.array([b"\xff"], object)])
def test_json_cannot_hold_some_outputs(array: Any) -> None:
    with pytest.raises(RequestError, match="request binary_data"):
        encode_response(InferResponse("m", "1", "", (result(array),)))


def decode(message: pb.ModelInferRequest) -> InferRequest:
    return decode_message(message, message.raw_input_contents, RequestLimits(), lambda part: bytes(part.size))


def message_of(datatype: str, shape: list[int], **contents: Any) -> pb.ModelInferRequest:
    message = pb.ModelInferRequest(model_name="m", model_version="2", id="3")
    message.inputs.add(name="x", datatype=datatype, shape=shape)
    if contents:
        message.inputs[0].contents.CopyFrom(pb.InferTensorContents(**contents))
    return message


@pytest.mark.parametrize(
    ("datatype", "contents", "expected"),
    [
        ("BOOL", {"bool_contents": [True, False]}, [True, False]),
        ("INT8", {"int_contents": [-1, 5]}, [-1, 5]),
        ("UINT8", {"uint_contents": [255, 5]}, [255, 5]),
        ("INT64", {"int64_contents": [-1, 2**62]}, [-1, 2**62]),
        ("UINT64", {"uint64_contents": [1, 2**64 - 1]}, [1, 2**64 - 1]),
        ("FP32", {"fp32_contents": [0.5, 1]}, [0.5, 1]),
        ("FP64", {"fp64_contents": [0.5, 1]}, [0.5, 1]),
        ("BYTES", {"bytes_contents": [b"\xff", b""]}, [b"\xff", b""]),
    ],
)
def test_typed_contents_are_read(datatype: str, contents: Any, expected: list[Any]) -> None:
    request = decode(message_of(datatype, [2], **contents))

    assert (request.model, request.version, request.id) == ("m", "2", "3")
    assert array_datatype(request.inputs["x"]) == datatype
    assert request.inputs["x"].tolist() == expected


def test_raw_contents_and_shared_memory_are_read_in_order() -> None:
    message = message_of("INT16", [2])
    shared = message.inputs.add(name="s", datatype="INT8", shape=[3])
    shared.parameters["shared_memory_region"].string_param = "r"
    shared.parameters["shared_memory_byte_size"].int64_param = 3
    message.inputs.add(name="z", datatype="BOOL", shape=[1])
    message.raw_input_contents.extend([b"\1\0\2\0", b"\1"])
    message.outputs.add(name="y").parameters["classification"].int64_param = 2

    request = decode(message)

    assert {name: array.tolist() for name, array in request.inputs.items()} == {
        "x": [1, 2],
        "s": [0, 0, 0],
        "z": [True],
    }
    assert [(output.name, output.classes) for output in request.outputs] == [("y", 2)]


def wrong_messages() -> list[pb.ModelInferRequest]:
    too_few, too_many, both = (message_of("INT8", [1]) for _ in range(3))
    too_few.inputs.add(name="b", datatype="INT8", shape=[1])
    too_few.raw_input_contents.append(b"1")
    too_many.raw_input_contents.extend([b"1", b"2"])
    both.inputs[0].contents.int_contents.append(1)
    both.raw_input_contents.append(b"1")
    twice = message_of("INT8", [1], int_contents=[1])
    twice.inputs.add().CopyFrom(twice.inputs[0])
    empty = message_of("INT8", [1], int_contents=[1])
    empty.parameters["timeout"].SetInParent()
    negative = message_of("INT8", [1], int_contents=[1])
    negative.parameters["timeout"].int64_param = -1
    return [
        pb.ModelInferRequest(),
        too_few,
        too_many,
        both,
        twice,
        empty,
        negative,
        message_of("FP16", [1], fp32_contents=[1]),
        message_of("FP32", [1], int_contents=[1]),
        message_of("INT8", [1], int_contents=[200]),
        message_of("FP32", [2], fp32_contents=[1]),
        message_of("FP32", [-1], fp32_contents=[1]),
        message_of("X", [1]),
    ]


@pytest.mark.parametrize("message", wrong_messages())
def test_a_wrong_message_is_the_clients_fault(message: pb.ModelInferRequest) -> None:
    with pytest.raises(RequestError) as caught:
        decode(message)
    assert caught.value.status is Status.BAD_REQUEST


def test_a_response_message_has_raw_contents() -> None:
    shared = ResultTensor("z", "FP32", (2,), None, memory=MemoryRange("r", 4, 8))
    message, tensors = encode_message(
        InferResponse("m", "1", "7", (result(np.array([[1, 2]], np.int16)), shared))
    )

    assert [(each.name, each.datatype, list(each.shape)) for each in message.outputs] == [
        ("y", "INT16", [1, 2]),
        ("z", "FP32", [2]),
    ]
    assert tensors == [b"\1\0\2\0", b""]
    assert message.outputs[1].parameters["shared_memory_offset"].int64_param == 4


@pytest.mark.parametrize(
    ("array", "count", "expected"),
    [
        (
            np.array([[1, 5, 3], [9, 7, 8]], np.float32),
            2,
            [["5.000000:1:b", "3.000000:2"], ["9.000000:0:a", "8.000000:2"]],
        ),
        (np.array([1, 5]), 9, ["5.000000:1:b", "1.000000:0:a"]),
        (np.zeros((0, 3)), 2, []),
    ],
)
def test_classes_are_the_greatest_elements_with_their_labels(
    array: Any, count: int, expected: list[Any]
) -> None:
    found = classify("y", array, count, ["a", "b"])
    assert (
        np.vectorize(bytes.decode, otypes=[object])(found).tolist() == expected
        if found.size
        else expected == []
    )


def test_strings_have_no_classes() -> None:
    with pytest.raises(RequestError):
        classify("y", np.array([b"a"], object), 1, [])
