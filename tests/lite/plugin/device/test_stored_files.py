"""Archives of a device's files: paths outside of the folder, bombs and damage are refused."""

from __future__ import annotations

import io
import zipfile

import pytest

from lite.plugin.device import stored_files
from lite.plugin.device.stored_files import check_inside, read_files


def archive(*names: str, content: bytes = b"content", compression: int = zipfile.ZIP_STORED) -> bytes:
    """A zip of files that all have the same content."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", compression) as written:
        for name in names:
            written.writestr(name, content)
    return memory.getvalue()


def test_files_are_read_by_their_paths() -> None:
    names = ["a.bin", "folder/b.bin", "empty/"]
    assert read_files(archive(*names)) == dict.fromkeys(names, b"content")


@pytest.mark.parametrize(
    "name", ["../up", "a/../../up", "/etc/passwd", "..", "a\\..\\b", "C:/windows", ".ssh/../../up"]
)
def test_paths_outside_of_the_folder_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="lies outside of the folder"):
        read_files(archive("a.bin", name))
    with pytest.raises(ValueError, match="lies outside of the folder"):
        check_inside(name)


def test_a_small_archive_is_not_decompressed_to_a_large_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_files, "MOST_BYTES", 1000)
    blob = archive("a", "b", content=bytes(501), compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(ValueError, match="its files have 1002 bytes, at most 1000 are decompressed"):
        read_files(blob)
    assert len(read_files(archive("a", "b", content=bytes(501)))) == 2


def test_damage_is_a_value_error() -> None:
    blob = archive("a", "b", compression=zipfile.ZIP_DEFLATED)
    for place in range(len(blob)):
        for damaged in (blob[:place], blob[:place] + bytes([blob[place] ^ 0xFF]) + blob[place + 1 :]):
            try:
                files = read_files(damaged)
            except ValueError:
                continue
            assert set(files.values()) <= {b"content"}
