"""The files of a model and their bytes."""

from pathlib import Path

import pytest

from lite.errors import ModelParseError
from lite.model_parser.pnnx import files
from lite.model_parser.pnnx.files import decode, find_bin, find_param, looks_like_param, map_file, read_text


def test_files_of_a_model_are_found(tmp_path: Path) -> None:
    param = tmp_path / "a.pnnx.param"
    with pytest.raises(ModelParseError, match=r"expected one .* file, got none"):
        find_param(tmp_path)
    param.write_text("x")
    assert find_param(tmp_path) == param
    assert find_param(param) == param
    assert find_bin(param) is None
    (tmp_path / "a.pnnx.bin").write_bytes(b"")
    assert find_bin(param) == tmp_path / "a.pnnx.bin"


def test_text_and_archive_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes("ä".encode())
    assert read_text(path) == "ä"
    assert bytes(map_file(path)[:]) == "ä".encode()
    with pytest.raises(ModelParseError, match=r"cannot be read: Is a directory"):
        read_text(tmp_path)
    with pytest.raises(ModelParseError, match=r"cannot be read: No such file or directory"):
        map_file(tmp_path / "b")


def test_a_text_that_is_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_text("four")
    monkeypatch.setattr(files, "MAX_TEXT", 3)
    with pytest.raises(ModelParseError, match=r"a: 4 bytes, expected at most 3"):
        read_text(tmp_path / "a")


def test_text_that_is_not_utf8_is_refused() -> None:
    with pytest.raises(ModelParseError) as error:
        decode(b"ab\xff", "m")
    assert str(error.value) == "m: expected text, but byte 2 is not UTF-8"


def test_the_content_is_recognised() -> None:
    assert looks_like_param(b"7767517\n3 2\n")
    assert looks_like_param(b"\xef\xbb\xbf7767517\r\n")
    assert not looks_like_param(b"77675170\n")
    assert not looks_like_param(b"")
