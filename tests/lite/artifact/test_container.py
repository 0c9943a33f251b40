"""The zip of an artifact: what is written can be read, and rules that a file breaks are named."""

from __future__ import annotations

import io
import mmap
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from lite.artifact.container import Container
from lite.artifact.zip_file import Member, zip_chunks
from lite.errors import ModelParseError

MEMBERS = [
    Member("meta.json", [b"{}"]),
    Member("a/b.bin", [b"abc", memoryview(b"def")]),
    Member("empty", []),
    Member("weights.bin", [bytes(range(256)) * 20], 4096),
]


def written() -> bytes:
    return b"".join(zip_chunks(MEMBERS))


def zipped(*names: str, compression: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name in names:
            archive.writestr(name, b"content " * 10)
    return file.getvalue()


def problem(content: bytes) -> str:
    with pytest.raises(ModelParseError) as caught:
        Container.open(content, "m.lbm")
    return str(caught.value)


def test_members_are_read_back_from_bytes_and_files(tmp_path: Path) -> None:
    path = tmp_path / "m.lbm"
    path.write_bytes(written())
    expected = {each.name: b"".join(map(bytes, each.chunks)) for each in MEMBERS}

    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    for content in (written(), mapped):
        container = Container.open(content, "m.lbm")
        assert {name: bytes(view) for name, view in container.members.items()} == expected


def test_other_programs_read_the_zip_and_find_aligned_data() -> None:
    content = written()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [each.name for each in MEMBERS]
    for member in MEMBERS[1:]:
        data = b"".join(map(bytes, member.chunks))
        if data:
            assert content.index(data) % member.alignment == 0


def test_equal_members_give_equal_bytes() -> None:
    assert written() == written()


@pytest.mark.parametrize("name", ["../x", "/x", "a/../b", "a//b", "", "a\\b", ".hidden", "a/.b", "ü"])
def test_names_outside_of_the_archive_are_refused(name: str) -> None:
    assert "expected a relative path" in problem(zipped("meta.json", name or "a/"))


def test_a_name_that_is_there_twice_is_refused() -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        content = zipped("meta.json", "meta.json")
    assert "twice" in problem(content)


def test_compressed_members_are_refused() -> None:
    assert "compressed" in problem(zipped("meta.json", compression=zipfile.ZIP_DEFLATED))


def test_an_empty_archive_is_refused() -> None:
    assert "0 members" in problem(zipped())


def _overlapping(content: bytearray) -> None:
    """Let the second member claim the place of the first."""
    second = content.rindex(b"PK\x01\x02")
    content[second + 42 : second + 46] = (0).to_bytes(4, "little")


def _too_long(content: bytearray) -> None:
    last = content.rindex(b"PK\x01\x02")
    for place in (20, 24):
        content[last + place : last + place + 4] = (1 << 30).to_bytes(4, "little")


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [(_overlapping, "does not name member"), (_too_long, "ends at byte")],
)
def test_members_that_overlap_or_leave_the_file_are_refused(
    damage: Callable[[bytearray], None], sentence: str
) -> None:
    content = bytearray(zipped("meta.json", "plan.json"))
    damage(content)
    assert sentence in problem(bytes(content))


def test_data_before_the_first_member_is_refused() -> None:
    assert "damaged" in problem(b"#!/bin/sh\n" + zipped("meta.json"))


@pytest.mark.parametrize("size", [0, 1, 30, 100, 5000])
def test_a_truncated_file_is_refused(size: int) -> None:
    assert "damaged or incomplete" in problem(written()[:size])


def test_a_changed_bit_of_a_header_is_refused_or_changes_no_member() -> None:
    content = written()
    whole = {each.name: b"".join(map(bytes, each.chunks)) for each in MEMBERS}
    begin = content.rindex(b"PK\x03\x04")
    data = content.index(bytes(range(256)), begin)
    refused = 0
    for place in [*range(begin, begin + 60), data - 1, *range(data + 20 * 256, len(content))]:
        for bit in range(8):
            damaged = bytearray(content)
            damaged[place] ^= 1 << bit
            try:
                found = Container.open(bytes(damaged), "m.lbm").members
            except ModelParseError:
                refused += 1
            else:
                assert {name: bytes(view) for name, view in found.items()} == whole, (place, bit)
    assert refused > 500
