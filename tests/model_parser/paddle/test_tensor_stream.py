"""Tensors in Paddle's stream format."""

import mmap
import struct
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.program import Weight
from lite.ir.types import DType
from lite.model_parser.paddle.tensor_stream import read_tensor, write_tensor
from tests.model_parser.paddle import wire as w

# Paddle's type number, numpy's type, the bytes of one element in hexadecimal, its value.
ELEMENTS = [
    (0, np.bool_, "01", True),
    (1, np.int16, "feff", -2),
    (2, np.int32, "feffffff", -2),
    (3, np.int64, "feffffffffffffff", -2),
    (4, np.float16, "003e", 1.5),
    (5, np.float32, "0000c03f", 1.5),
    (6, np.float64, "000000000000f83f", 1.5),
    (20, np.uint8, "fe", 254),
    (21, np.int8, "fe", -2),
    (22, ml_dtypes.bfloat16, "c03f", 1.5),
    (23, np.complex64, "0000c03f000000c0", 1.5 - 2j),
    (24, np.complex128, "000000000000f83f00000000000000c0", 1.5 - 2j),
    (32, ml_dtypes.float8_e4m3fn, "3c", 1.5),
    (33, ml_dtypes.float8_e5m2, "3e", 1.5),
    (36, np.uint16, "feff", 65534),
    (37, np.uint32, "feffffff", 2**32 - 2),
    (38, np.uint64, "feffffffffffffff", 2**64 - 2),
]


@pytest.mark.parametrize(("code", "dtype", "one", "value"), ELEMENTS)
def test_every_element_type_is_read_and_written(code: int, dtype: type, one: str, value: complex) -> None:
    element = bytes.fromhex(one)
    data = w.stream(bytes(len(element)) + element, code, (2, 1))
    weight, end = read_tensor(data, 0)
    assert weight.array.dtype == np.dtype(dtype)
    assert (weight.array.shape, weight.lod, end) == ((2, 1), (), len(data))
    assert weight.array.tolist() == [[np.zeros(1, dtype)[0]], [value]]
    assert b"".join(write_tensor(weight)) == data


def test_every_element_type_has_a_case() -> None:
    types = {dtype.code for dtype in DType if dtype.in_paddle and dtype is not DType.STRING}
    assert {code for code, *_ in ELEMENTS} == types


def test_an_element_type_that_paddle_lacks_is_refused() -> None:
    with pytest.raises(ModelParseError, match="Paddle has no element type int4; cast the parameter"):
        b"".join(write_tensor(Weight(np.zeros(2, DType.INT4.numpy))))


@pytest.mark.parametrize("lod", [((0, 1, 2),), ((0, 2), (0, 1, 2)), ((),), ((2**64 - 1,),)])
def test_lod_is_read_and_written(lod: tuple[tuple[int, ...], ...]) -> None:
    data = w.stream(w.floats(1, 2), lod=lod)
    weight, end = read_tensor(data, 0)
    assert (weight.lod, weight.array.tolist(), end) == (lod, [1, 2], len(data))
    assert b"".join(write_tensor(weight)) == data


@pytest.mark.parametrize("dims", [(), (0,), (3, 0, 2), (0, 2**40)])
def test_scalars_and_empty_tensors_are_read_and_written(dims: tuple[int, ...]) -> None:
    data = w.stream(w.floats(7) if dims == () else b"", dims=dims)
    weight, end = read_tensor(data, 0)
    assert (weight.array.shape, weight.array.flags.writeable, end) == (dims, False, len(data))
    assert b"".join(write_tensor(weight)) == data


def test_packed_dims_are_read() -> None:
    desc = w.num(1, 5) + w.packed(2, 1, 2)
    data = bytes(16) + struct.pack("<i", len(desc)) + desc + w.floats(1, 2)
    assert read_tensor(data, 0)[0].array.tolist() == [[1, 2]]


def test_arrays_are_read_only_views(tmp_path: Path) -> None:
    path = tmp_path / "w"
    path.write_bytes(b"abc" + w.stream(w.floats(1, 2)))
    with open(path, "rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    array = read_tensor(mapped, 3)[0].array
    assert array.tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 3
    assert root_buffer(array) is mapped


def root_buffer(array: np.ndarray) -> object:
    """The object at the end of the chain of views."""
    base: object = array
    while isinstance(base, np.ndarray):
        base = base.base
    return base.obj if isinstance(base, memoryview) else base


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6, dtype=np.float32).reshape(2, 3).T,
        np.arange(6, dtype=np.float32)[::-2],
        np.arange(6, dtype=">f4").reshape(3, 2),
    ],
    ids=["transposed", "strided", "big-endian"],
)
def test_any_memory_order_can_be_written(array: np.ndarray) -> None:
    values = w.floats(*array.reshape(-1).tolist())
    assert b"".join(write_tensor(Weight(array))) == w.stream(values, dims=array.shape)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (Weight(np.array(["a"], object)), "strings cannot be saved"),
        (Weight(np.zeros(1, "datetime64[s]")), "numpy dtype datetime64[s] is not an element type of tensors"),
        (Weight(np.zeros(1, np.float32), ((-1,),)), "LoD offsets must be integers from 0 to 2^64-1"),
        (Weight(np.zeros(1, np.float32), ((2**64,),)), "LoD offsets must be integers from 0 to 2^64-1"),
    ],
)
def test_a_weight_that_a_stream_cannot_hold_is_refused(weight: Weight, message: str) -> None:
    with pytest.raises(ModelParseError) as caught:
        list(write_tensor(weight))
    assert str(caught.value).startswith(message)


def desc(body: bytes, data: bytes = b"") -> bytes:
    return bytes(16) + struct.pack("<i", len(body)) + body + data


GOOD = w.stream(w.floats(1, 2), lod=((0, 2),))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the data ends at byte 0, expected 4 bytes for the version of the stream at byte 0"),
        (GOOD[:3], "the data ends at byte 3, expected 4 bytes for the version of the stream at byte 0"),
        (GOOD[:11], "the data ends at byte 11, expected 8 bytes for the number of LoD levels at byte 4"),
        (GOOD[:19], "the data ends at byte 19, expected 8 bytes for the size of LoD level 0 at byte 12"),
        (
            GOOD[:30],
            "LoD level 0 at byte 12 has size 16, expected a multiple of 8, at most 10 (the bytes left)",
        ),
        (GOOD[:38], "the data ends at byte 38, expected 4 bytes for the version of the tensor at byte 36"),
        (
            GOOD[:42],
            "the data ends at byte 42, expected 4 bytes for the size of the tensor's description at byte 40",
        ),
        (GOOD[:46], "the tensor's description at byte 40 has size 4, expected 1 to 2"),
        (GOOD[:-1], "float32 elements of shape [2] at byte 48 need 8 bytes, got 7"),
        (b"\1" + GOOD[1:], "the version of the stream at byte 0 is 1, expected 0"),
        (bytes(12) + b"\2" + bytes(7), "the version of the tensor at byte 12 is 2, expected 0"),
        (bytes(4) + struct.pack("<Q", 65), "65 LoD levels at byte 4, expected at most 64"),
        (bytes(4) + b"\xff" * 8, f"{2**64 - 1} LoD levels at byte 4, expected at most 64"),
        (
            bytes(4) + struct.pack("<QQ", 1, 7) + bytes(9),
            "LoD level 0 at byte 12 has size 7, expected a multiple of 8, at most 9 (the bytes left)",
        ),
        (
            bytes(16) + struct.pack("<i", -1) + bytes(9),
            "the tensor's description at byte 16 has size -1, expected 1 to 9",
        ),
        (
            bytes(16) + struct.pack("<i", 5000) + bytes(9000),
            "the tensor's description at byte 16 has size 5000, expected 1 to 4096",
        ),
        (desc(b"\xff"), "the tensor's description at byte 20 is not a TensorDesc"),
        (desc(w.num(2, 1)), "the tensor's description at byte 20 has an unknown element type, or none"),
        (desc(w.num(1, 99)), "the tensor's description at byte 20 has an unknown element type, or none"),
        (
            desc(w.num(1, 19)),
            (
                "element type number 19 at byte 20, expected one of "
                "[0, 1, 2, 3, 4, 5, 6, 20, 21, 22, 23, 24, 32, 33, 36, 37, 38]"
            ),
        ),
        (desc(w.tensor_desc(5, *[1] * 33)), "33 dims at byte 20, expected at most 32"),
        (desc(w.tensor_desc(5, 2, -1)), "negative size in the dims [2, -1] at byte 20"),
        (desc(w.tensor_desc(5, -5, 3)), "negative size in the dims [-5, 3] at byte 20"),
        (
            desc(w.tensor_desc(6, 2**62, 2**62), bytes(8)),
            f"float64 elements of shape [{2**62}, {2**62}] at byte 42 need {2**127} bytes, got 8",
        ),
    ],
)
def test_a_malformed_stream_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(ModelParseError) as caught:
        read_tensor(data, 0)
    assert str(caught.value) == message


def test_an_empty_shape_that_numpy_cannot_hold_is_refused() -> None:
    with pytest.raises(ModelParseError, match="numpy cannot hold the shape"):
        read_tensor(desc(w.tensor_desc(5, 0, 2**62, 2**62)), 0)
