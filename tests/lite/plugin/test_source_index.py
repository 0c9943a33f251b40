"""The index of plug-in files is right after every change, and kept where byte code is."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from lite.plugin import source_index
from lite.plugin.source_index import Source, sources

_KERNELS = """
@kernel("relu", "cpu", fallback="host")
def relu(x): ...

aot("cpu")(ops_with(Trait.CLAMP))
"""
_DEVICE = '@device("npu")\nclass Npu:\n    names: ClassVar[tuple[str, ...]] = ("relu",)\n'

_INDEXED = [
    Source("device", "npu relu", "", "device", "npu", {"names": "relu"}),
    Source("math.relu", "cpu host relu", "CLAMP", "aot kernel", "", {}),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    (tmp_path / "math").mkdir()
    for name, text in {
        "__init__.py": '"lost"',
        "device.py": _DEVICE,
        "math/relu.py": _KERNELS,
        "math/messages_pb2.py": '"lost"',
        "notes.txt": '"lost"',
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def _count_reads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    scanned, reads = source_index._scanned, []

    def counted(path: Path) -> source_index._Scanned:
        reads.append(path)
        return scanned(path)

    monkeypatch.setattr(source_index, "_scanned", counted)
    return reads


def test_the_words_and_registrations_of_each_file_are_indexed(folder: Path) -> None:
    assert sources(folder) == _INDEXED


def test_files_that_did_not_change_are_not_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads = _count_reads(monkeypatch)
    assert sources(folder) == sources(folder) == _INDEXED
    assert reads == [folder / "device.py", folder / "math/relu.py"]

    (folder / "device.py").write_text(_DEVICE.replace("npu", "tpu"), encoding="utf-8")
    os.utime(folder / "device.py", ns=(1, 1))
    (folder / "math/relu.py").unlink()
    assert sources(folder) == [Source("device", "relu tpu", "", "device", "tpu", {"names": "relu"})]
    assert reads[2:] == [folder / "device.py"]


def test_an_index_of_other_patterns_is_made_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(source_index, "_PATTERNS", 1)
        sources(folder)
    reads = _count_reads(monkeypatch)

    assert sources(folder) == _INDEXED
    assert reads == [folder / "device.py", folder / "math/relu.py"]


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"device.py": 1}', '{"device.py": [1, 2, [[]]]}', '{"device.py": [1, 2, 3]}']
)
def test_a_damaged_index_is_made_again(folder: Path, content: str) -> None:
    sources(folder)
    kept = folder / "__pycache__" / "plug-ins.index"
    whole = kept.read_text(encoding="utf-8")
    text = content.encode()
    for damaged in (text, source_index._checksum(text) + b"\n" + text):
        kept.write_bytes(damaged)
        assert sources(folder) == _INDEXED
        assert kept.read_text(encoding="utf-8") == whole


def test_an_index_with_any_byte_changed_is_made_again(folder: Path) -> None:
    sources(folder)
    kept = folder / "__pycache__" / "plug-ins.index"
    whole = kept.read_bytes()
    for place in range(len(whole)):
        kept.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert sources(folder) == _INDEXED
    assert kept.read_bytes() == whole


def test_nothing_is_kept_where_python_keeps_no_byte_code(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert sources(folder) == _INDEXED
    assert not (folder / "__pycache__").exists()
