"""The ZIP archive of weights."""

from __future__ import annotations

import io
import zipfile
import zlib

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import Array, DType
from lite.model_parser.pnnx.archive import Archive
from lite.model_parser.pnnx.param_file import TensorType
from tests.model_parser.pnnx.models import archive

WEIGHTS: dict[str, Array] = {
    "a.weight": np.arange(6, dtype=np.float32).reshape(2, 3),
    "b.data": np.array([1, 2, 3], np.uint8),
    "empty": np.empty((0, 3), np.float32),
    "scalar": np.array(7, np.int64),
}
FLOATS = TensorType(DType.FLOAT32, (2, 3))


def kind(array: Array) -> TensorType:
    return TensorType(DType.from_numpy(array.dtype), array.shape)


@pytest.mark.parametrize("zip64", [False, True])
@pytest.mark.parametrize("name", WEIGHTS)
def test_entries_become_arrays(name: str, zip64: bool) -> None:
    weights = Archive(archive(WEIGHTS, zip64=zip64), "w.bin")
    array = weights.array(name, kind(WEIGHTS[name]))
    np.testing.assert_array_equal(array, WEIGHTS[name])
    assert (array.dtype, array.flags.writeable) == (WEIGHTS[name].dtype, False)
    assert array.flags.aligned


def zip64_archive(name: bytes, data: bytes) -> bytes:
    """One entry with all sizes in zip64 fields: local header, directory, zip64 end, locator, end."""
    ones = b"\xff" * 4
    size = len(data).to_bytes(8, "little")
    extra = (1).to_bytes(2, "little") + (28).to_bytes(2, "little") + size + size + bytes(12)
    length = len(name).to_bytes(2, "little") + len(extra).to_bytes(2, "little")
    local = b"PK\3\4" + bytes(14) + ones + ones + length + name + extra + data
    crc = zlib.crc32(data).to_bytes(4, "little")
    entry = b"PK\1\2" + bytes(12) + crc + ones + ones + length + bytes(10) + ones + name + extra
    count = (1).to_bytes(8, "little")
    extent = len(entry).to_bytes(8, "little") + len(local).to_bytes(8, "little")
    end64 = b"PK\6\6" + (44).to_bytes(8, "little") + bytes(12) + count + count + extent
    locator = b"PK\6\7" + bytes(4) + (len(local) + len(entry)).to_bytes(8, "little") + bytes(4)
    return local + entry + end64 + locator + b"PK\5\6" + b"\xff" * 16 + bytes(2)


def test_sizes_in_zip64_fields_are_read() -> None:
    data = np.arange(6, dtype=np.float32)
    weights = Archive(zip64_archive(b"x.weight", data.tobytes()), "w.bin")
    np.testing.assert_array_equal(weights.array("x.weight", FLOATS), data.reshape(2, 3))


def test_a_missing_entry_is_refused() -> None:
    with pytest.raises(ModelParseError) as error:
        Archive(archive({}), "w.bin").array("a.weight", FLOATS)
    assert str(error.value) == "w.bin: has no entry 'a.weight' (24 bytes expected); it has 0 others"


def test_aligned_entries_are_not_copied() -> None:
    data = archive({"abcd": np.ones(4, np.uint8)})
    array = Archive(data, "w.bin").array("abcd", TensorType(DType.UINT8, (4,)))
    assert np.shares_memory(array, np.frombuffer(data, np.uint8))


def test_unused_entries_are_ignored() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive_file:
        archive_file.writestr("../../etc/passwd", b"x")
        archive_file.writestr("bomb", bytes(1 << 20), zipfile.ZIP_DEFLATED)
        archive_file.writestr("a.weight", WEIGHTS["a.weight"].tobytes())
    weights = Archive(file.getvalue(), "w.bin")
    np.testing.assert_array_equal(weights.array("a.weight", FLOATS), WEIGHTS["a.weight"])


def test_a_compressed_entry_is_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive_file:
        archive_file.writestr("a", bytes(24))
    with pytest.raises(ModelParseError) as error:
        Archive(file.getvalue(), "w.bin").array("a", FLOATS)
    assert str(error.value) == "w.bin: entry 'a': compressed or encrypted (method 8), expected it stored"


def test_an_entry_of_another_size_is_refused() -> None:
    with pytest.raises(ModelParseError) as error:
        Archive(archive(WEIGHTS), "w.bin").array("b.data", FLOATS)
    assert str(error.value) == "w.bin: entry 'b.data': 3 bytes, expected 24"


def test_a_shape_with_an_unknown_size_is_refused() -> None:
    with pytest.raises(ModelParseError) as error:
        Archive(archive(WEIGHTS), "w.bin").array("a.weight", TensorType(DType.FLOAT32, ("?", 3)))
    assert str(error.value) == "w.bin: entry 'a.weight': the shape ['?', 3] of a weight must be fixed"


def test_two_entries_of_one_name_are_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive_file:
        archive_file.writestr("a", b"1")
        archive_file.writestr("b", b"2")
    with pytest.raises(ModelParseError) as error:
        Archive(file.getvalue().replace(b"b", b"a"), "w.bin")
    assert str(error.value) == "w.bin: entry 'a' appears twice, with other content"


def test_an_entry_that_is_stored_twice() -> None:
    file = io.BytesIO()
    array = np.arange(3, dtype=np.float32)
    with zipfile.ZipFile(file, "w") as archive_file:
        archive_file.writestr("a", array.tobytes())
        archive_file.writestr("b", array.tobytes())
    stored = Archive(file.getvalue().replace(b"b", b"a"), "w.bin")
    np.testing.assert_array_equal(stored.array("a", TensorType(DType.FLOAT32, (3,))), array)


def test_other_content_is_refused() -> None:
    with pytest.raises(ModelParseError) as error:
        Archive(b"nothing", "w.bin")
    assert (
        str(error.value) == "w.bin: no end of a ZIP archive in 7 bytes; it is not an archive or is cut short"
    )


@pytest.mark.parametrize("zip64", [False, True])
def test_every_truncated_archive_is_refused(zip64: bool) -> None:
    whole = archive(WEIGHTS, zip64=zip64)
    for length in range(len(whole) - 1):
        with pytest.raises(ModelParseError):
            Archive(whole[:length], "w.bin")


def test_data_beyond_the_file_are_refused() -> None:
    whole = archive({"a": np.ones(6, np.float32)})
    directory = whole.index(b"PK\1\2")
    moved = whole[: directory + 42] + (directory - 4).to_bytes(4, "little") + whole[directory + 46 :]
    with pytest.raises(ModelParseError, match=r"^w.bin: entry 'a': its data exceed the file"):
        Archive(moved, "w.bin").array("a", FLOATS)


def test_changed_weights_are_refused() -> None:
    data = np.arange(6, dtype=np.float32).tobytes()
    damaged = zip64_archive(b"x.weight", data).replace(data, data[:-1] + b"\1")
    with pytest.raises(ModelParseError, match=r"entry 'x.weight': its CRC is \w{8}, expected \w{8}"):
        Archive(damaged, "w.bin").array("x.weight", FLOATS)


def test_an_entry_at_the_place_of_another_is_refused() -> None:
    data = zip64_archive(b"x.weight", bytes(24))
    moved = data.replace(b"x.weight", b"y.weight", 1)
    with pytest.raises(ModelParseError, match=r"entry 'x.weight': at its place is 'y.weight'"):
        Archive(moved, "w.bin").array("x.weight", FLOATS)
