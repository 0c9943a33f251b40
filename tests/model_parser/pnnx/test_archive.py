"""The ZIP archive of weights."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.ir.types import Array, DType
from lite.model_parser.pnnx.archive import Archive
from lite.model_parser.pnnx.operator import TensorType
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
def test_arrays(name: str, zip64: bool) -> None:
    opened = Archive(archive(WEIGHTS, zip64=zip64), "w.bin")
    found = opened.array(name, kind(WEIGHTS[name]))
    np.testing.assert_array_equal(found, WEIGHTS[name])
    assert (found.dtype, found.flags.writeable) == (WEIGHTS[name].dtype, False)
    assert found.flags.aligned


def as_pnnx_writes_it(name: bytes, data: bytes) -> bytes:
    """One entry with all sizes in zip64 fields: local header, directory, zip64 end, locator, end."""
    ones = b"\xff" * 4
    size = len(data).to_bytes(8, "little")
    wide = (1).to_bytes(2, "little") + (28).to_bytes(2, "little") + size + size + bytes(12)
    length = len(name).to_bytes(2, "little") + len(wide).to_bytes(2, "little")
    local = b"PK\3\4" + bytes(14) + ones + ones + length + name + wide + data
    entry = b"PK\1\2" + bytes(16) + ones + ones + length + bytes(10) + ones + name + wide
    count = (1).to_bytes(8, "little")
    place = len(entry).to_bytes(8, "little") + len(local).to_bytes(8, "little")
    end64 = b"PK\6\6" + (44).to_bytes(8, "little") + bytes(12) + count + count + place
    locator = b"PK\6\7" + bytes(4) + (len(local) + len(entry)).to_bytes(8, "little") + bytes(4)
    return local + entry + end64 + locator + b"PK\5\6" + b"\xff" * 16 + bytes(2)


def test_all_sizes_in_zip64_fields() -> None:
    data = np.arange(6, dtype=np.float32)
    opened = Archive(as_pnnx_writes_it(b"x.weight", data.tobytes()), "w.bin")
    np.testing.assert_array_equal(opened.array("x.weight", FLOATS), data.reshape(2, 3))


def test_an_archive_without_entries() -> None:
    with pytest.raises(ModelParseError) as error:
        Archive(archive({}), "w.bin").array("a.weight", FLOATS)
    assert str(error.value) == "w.bin: has no entry 'a.weight' (24 bytes expected); it has 0 others"


def test_aligned_entries_are_not_copied() -> None:
    data = archive({"abcd": np.ones(4, np.uint8)})
    found = Archive(data, "w.bin").array("abcd", TensorType(DType.UINT8, (4,)))
    assert np.shares_memory(found, np.frombuffer(data, np.uint8))


def test_entries_that_nobody_asks_for_may_be_anything() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as written:
        written.writestr("../../etc/passwd", b"x")
        written.writestr("bomb", bytes(1 << 20), zipfile.ZIP_DEFLATED)
        written.writestr("a.weight", WEIGHTS["a.weight"].tobytes())
    opened = Archive(file.getvalue(), "w.bin")
    np.testing.assert_array_equal(opened.array("a.weight", FLOATS), WEIGHTS["a.weight"])


def test_a_compressed_entry_is_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as written:
        written.writestr("a", bytes(24))
    with pytest.raises(ModelParseError) as error:
        Archive(file.getvalue(), "w.bin").array("a", FLOATS)
    assert str(error.value) == "w.bin: entry 'a': compressed or encrypted (method 8), expected it stored"


def test_a_wrong_size() -> None:
    with pytest.raises(ModelParseError) as error:
        Archive(archive(WEIGHTS), "w.bin").array("b.data", FLOATS)
    assert str(error.value) == "w.bin: entry 'b.data': 3 bytes, expected 24"


def test_a_shape_that_is_not_fixed() -> None:
    with pytest.raises(ModelParseError) as error:
        Archive(archive(WEIGHTS), "w.bin").array("a.weight", TensorType(DType.FLOAT32, ("?", 3)))
    assert str(error.value) == "w.bin: entry 'a.weight': the shape ['?', 3] of a weight must be fixed"


def test_an_entry_twice() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as written:
        written.writestr("a", b"1")
        written.writestr("b", b"2")
    with pytest.raises(ModelParseError) as error:
        Archive(file.getvalue().replace(b"b", b"a"), "w.bin")
    assert str(error.value) == "w.bin: entry 'a' appears twice"


def test_no_archive() -> None:
    with pytest.raises(ModelParseError) as error:
        Archive(b"nothing", "w.bin")
    assert str(error.value) == "w.bin: no end of a ZIP archive in 7 bytes; it is none, or cut short"


@pytest.mark.parametrize("zip64", [False, True])
def test_cut_short_anywhere(zip64: bool) -> None:
    """No prefix of an archive is one, wherever it ends."""
    whole = archive(WEIGHTS, zip64=zip64)
    for length in range(len(whole) - 1):
        with pytest.raises(ModelParseError):
            Archive(whole[:length], "w.bin")


def test_data_outside_of_the_file() -> None:
    whole = archive({"a": np.ones(6, np.float32)})
    directory = whole.index(b"PK\1\2")
    moved = whole[: directory + 42] + (directory - 4).to_bytes(4, "little") + whole[directory + 46 :]
    with pytest.raises(ModelParseError, match=r"^w.bin: entry 'a': its data lie outside of the file"):
        Archive(moved, "w.bin").array("a", FLOATS)
