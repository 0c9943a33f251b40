"""Which files make a PNNX model."""

from pathlib import Path

import pytest

from lite.errors import ModelParseError
from lite.model_parser.pnnx import files
from lite.model_parser.pnnx.files import decoded, find_bin, find_param, map_file, read_text


def test_finding(tmp_path: Path) -> None:
    param = tmp_path / "a.pnnx.param"
    with pytest.raises(ModelParseError, match=r"expected one .* file, got none"):
        find_param(tmp_path)
    param.write_text("x")
    assert find_param(tmp_path) == param
    assert find_param(param) == param
    assert find_bin(param) is None
    (tmp_path / "a.pnnx.bin").write_bytes(b"")
    assert find_bin(param) == tmp_path / "a.pnnx.bin"


def test_reading(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes("ä".encode())
    assert read_text(path) == "ä"
    assert bytes(map_file(path)[:]) == "ä".encode()
    with pytest.raises(ModelParseError, match=r"cannot be read: Is a directory"):
        read_text(tmp_path)
    with pytest.raises(ModelParseError, match=r"cannot be read: No such file or directory"):
        map_file(tmp_path / "b")


def test_a_text_that_is_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_text("four")
    monkeypatch.setattr(files, "MAX_TEXT", 3)
    with pytest.raises(ModelParseError, match=r"a: 4 bytes, expected at most 3"):
        read_text(tmp_path / "a")


def test_not_utf_8() -> None:
    with pytest.raises(ModelParseError) as error:
        decoded(b"ab\xff", "m")
    assert str(error.value) == "m: not text: byte 2 is not UTF-8"
