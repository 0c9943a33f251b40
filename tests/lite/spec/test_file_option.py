"""An option that names a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from lite.cache.key import dataclass_fields
from lite.errors import ConfigError
from lite.spec.file_option import FileOption
from lite.spec.grammar import parse_spec
from lite.spec.options import bind


@dataclass(frozen=True)
class Options:
    ranges: FileOption | None = None
    cores: int = 1


def test_the_option_is_the_path_of_a_file() -> None:
    assert bind(parse_spec('npu{ranges="a/b.json"}'), Options, "device").ranges == FileOption(
        Path("a/b.json")
    )
    with pytest.raises(ConfigError, match="expected the path of a file, got 3"):
        bind(parse_spec("npu{ranges=3}"), Options, "device")


def test_the_key_has_the_content_and_not_the_path(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"x" * (1 << 21))
    second.write_bytes(first.read_bytes())
    keys = [dataclass_fields(Options(FileOption(path))) for path in (first, second)]
    assert keys[0] == keys[1]
    assert keys[0][1] == "cores=1"
    second.write_bytes(b"y")
    assert dataclass_fields(Options(FileOption(second))) != keys[0]


def test_a_missing_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot read the file .*missing, which an option names"):
        FileOption(tmp_path / "missing").digest()
