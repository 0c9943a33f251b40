"""HTTP bodies to requests: every form of a tensor, and every fault."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from lite.serving.protocol.http_request import decode_request, parse_header_length
from lite.serving.protocol.limits import RequestLimits
from lite.serving.protocol.messages import MemoryRange, RequestedOutput
from lite.serving.protocol.status import RequestError, Status


def no_memory(part: MemoryRange) -> bytes:
    raise AssertionError(part)


def decode(body: bytes, header: int | None = None, **limits: int) -> Any:
    return decode_request("m", "", body, header, RequestLimits(**limits), no_memory)


def document(**entry: object) -> bytes:
    return json.dumps({"inputs": [{"name": "x", "shape": [2], "datatype": "FP32", **entry}]}).encode()


@pytest.mark.parametrize(
    ("datatype", "data", "expected"),
    [
        ("BOOL", [True, False], np.array([True, False])),
        ("UINT8", [0, 255], np.array([0, 255], np.uint8)),
        ("INT8", [-128, 127], np.array([-128, 127], np.int8)),
        ("INT64", [-(2**63), 2**63 - 1], np.array([-(2**63), 2**63 - 1], np.int64)),
        ("UINT64", [1, 2**64 - 1], np.array([1, 2**64 - 1], np.uint64)),
        ("FP32", [1, 2.5], np.array([1, 2.5], np.float32)),
        ("FP64", [1e300, -1.0], np.array([1e300, -1.0])),
        ("BYTES", ["a", "ü"], np.array([b"a", "ü".encode()], object)),
    ],
)
def test_data_in_json_has_the_datatype_of_the_input(datatype: str, data: object, expected: Any) -> None:
    array = decode(document(datatype=datatype, data=data)).inputs["x"]

    assert array.dtype == expected.dtype
    assert array.tolist() == expected.tolist()


def test_nested_data_is_read_in_row_major_order() -> None:
    array = decode(document(shape=[2, 3], data=[[1, 2, 3], [4, 5, 6]])).inputs["x"]
    assert np.array_equal(array, np.arange(1, 7, dtype=np.float32).reshape(2, 3))


@pytest.mark.parametrize(("shape", "data"), [([], [7]), ([0, 3], []), ([1, 1, 1], [7])])
def test_scalars_and_empty_tensors_are_tensors(shape: list[int], data: list[int]) -> None:
    assert decode(document(shape=shape, data=data)).inputs["x"].shape == tuple(shape)


def test_binary_tensors_follow_the_head_in_the_order_of_the_inputs() -> None:
    entries = [
        {"name": n, "shape": [2], "datatype": d, "parameters": {"binary_data_size": s}}
        for n, d, s in (("a", "FP16", 4), ("b", "BYTES", 11), ("c", "BF16", 4))
    ]
    head = json.dumps({"id": "7", "inputs": entries, "parameters": {"binary_data_output": True}}).encode()
    blobs = np.array([1, -2], np.float16).tobytes() + b"\x01\0\0\0a\x02\0\0\0\xff\0" + b"\xc0\x3f\0\xc0"

    request = decode(head + blobs, len(head))

    assert (request.id, request.binary) == ("7", True)
    assert request.inputs["a"].tolist() == [1, -2]
    assert request.inputs["b"].tolist() == [b"a", b"\xff\0"]
    assert request.inputs["c"].astype(np.float32).tolist() == [1.5, -2]


def test_outputs_priority_and_timeout_are_read() -> None:
    body = json.loads(document(data=[1, 2]))
    body["parameters"] = {"priority": 1, "timeout": 500}
    body["outputs"] = [
        {"name": "y", "parameters": {"binary_data": True, "classification": 3}},
        {"name": "z", "parameters": {"shared_memory_region": "r", "shared_memory_byte_size": 8}},
    ]

    request = decode(json.dumps(body).encode())

    assert (request.priority, request.timeout_us) == (1, 500)
    assert request.outputs == (
        RequestedOutput("y", True, 3),
        RequestedOutput("z", memory=MemoryRange("r", 0, 8)),
    )


@pytest.mark.parametrize(
    "entry",
    [
        {"data": [1]},
        {"data": [1, 2, 3]},
        {"data": [[1, 2], [3]]},
        {"data": ["1", "2"]},
        {"data": [None, 1]},
        {"data": 3},
        {"data": {"a": 1}},
        {},
        {"datatype": "FP16", "data": [1, 2]},
        {"datatype": "FP31", "data": [1, 2]},
        {"datatype": None, "data": [1, 2]},
        {"datatype": "INT8", "data": [1, 128]},
        {"datatype": "INT32", "data": [1.5, 2]},
        {"datatype": "BOOL", "data": [0, 1]},
        {"datatype": "UINT64", "data": [-1, 2**64 - 1]},
        {"datatype": "BYTES", "data": ["a", 1]},
        {"shape": [-1], "data": [1, 2]},
        {"shape": [2.0], "data": [1, 2]},
        {"shape": [2**62, 4], "data": [1, 2]},
        {"shape": [2**40, 2**40, 0], "data": []},
        {"shape": [1] * 33, "data": [1]},
        {"shape": "2", "data": [1, 2]},
        {"name": 5, "data": [1, 2]},
        {"name": "é" * 600, "data": [1, 2]},
        {"parameters": {"binary_data_size": 8}},
        {"parameters": {"binary_data_size": -1}},
        {"parameters": {"binary_data_size": True}},
        {"parameters": [], "data": [1, 2]},
        {"parameters": {"a": [1]}, "data": [1, 2]},
    ],
    ids=str,
)
def test_a_wrong_input_is_the_clients_fault(entry: Mapping[str, object]) -> None:
    with pytest.raises(RequestError) as caught:
        decode(document(**entry))
    assert caught.value.status is Status.BAD_REQUEST


@pytest.mark.parametrize(
    ("body", "header"),
    [
        (b"", None),
        (b"[]", None),
        (b"{", None),
        (b'{"inputs": []}', None),
        (b'{"inputs": [3]}', None),
        (b"[" * 100_000, None),
        (document(data=[1, 2])[:-1] + b', "id": 4}', None),
        (document(data=[1, 2]) + b"abcd", len(document(data=[1, 2]))),
        (document(data=[1, 2]), 10**6),
        (
            document(parameters={"binary_data_size": 4}) + b"abcd",
            len(document(parameters={"binary_data_size": 4})),
        ),
    ],
)
def test_a_wrong_body_is_the_clients_fault(body: bytes, header: int | None) -> None:
    with pytest.raises(RequestError) as caught:
        decode(body, header)
    assert caught.value.status is Status.BAD_REQUEST


def test_many_lists_are_refused_before_they_are_allocated() -> None:
    body = document(data=[[1], [2]])
    assert decode(body, containers=7).inputs["x"].tolist() == [1, 2]
    with pytest.raises(RequestError, match="lists and objects"):
        decode(body, containers=6)


def test_many_inputs_are_refused() -> None:
    entries = [{"name": str(n), "shape": [], "datatype": "FP32", "data": [1]} for n in range(3)]
    with pytest.raises(RequestError, match="may have 2 inputs"):
        decode(json.dumps({"inputs": entries}).encode(), tensors=2)


@pytest.mark.parametrize("entries", [["x", "x"], ["y", "y"]])
def test_a_name_may_occur_once(entries: list[str]) -> None:
    inputs = [{"name": name, "shape": [], "datatype": "FP32", "data": [1]} for name in dict.fromkeys(entries)]
    body = {"inputs": inputs, "outputs": [{"name": name} for name in entries]}
    with pytest.raises(RequestError, match="twice"):
        decode(json.dumps(body).encode())


@pytest.mark.parametrize("text", ["-1", "x", "1" * 20, "²", ""])
def test_the_length_of_the_head_is_a_number(text: str) -> None:
    with pytest.raises(RequestError):
        parse_header_length(text)


def test_without_the_header_the_body_is_json() -> None:
    assert (parse_header_length(None), parse_header_length("12")) == (None, 12)


@pytest.mark.parametrize("datatype", ["FP32", "INT8", "BOOL"])
def test_text_among_numbers_takes_no_memory(datatype: str) -> None:
    """An array of numpy gives each element the space of the longest text: 400 GB here."""
    for data in (["a" * 1_000_000, *[""] * 100_000], [[1], ["a" * 1_000_000], *[[""]] * 100_000]):
        with pytest.raises(RequestError, match=f"the elements of data are not of {datatype}"):
            decode(document(shape=[len(data)], datatype=datatype, data=data))
