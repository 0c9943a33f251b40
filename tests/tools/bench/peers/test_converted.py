"""Conversions are kept beside the model, and a failed conversion has a reason."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lite.tools.bench.peers.converted import converted, run_converter
from lite.tools.bench.peers.peer import CannotRunError


def test_a_model_is_converted_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    onnx = tmp_path / "cache" / "some.model.onnx"
    calls: list[Path] = []

    def convert(folder: Path) -> None:
        calls.append(folder)
        (folder / "a.bin").write_bytes(b"weights")
        (folder / "a.txt").write_bytes(b"structure")
        (folder / "scratch").write_bytes(b"temporary")

    first = converted(onnx, "tool-1.0", ["a.bin", "a.txt"], convert)
    second = converted(onnx, "tool-1.0", ["a.bin", "a.txt"], convert)

    assert (
        first == second == [tmp_path / "cache" / "some.model-tool-1.0" / name for name in ("a.bin", "a.txt")]
    )
    assert [path.read_bytes() for path in first] == [b"weights", b"structure"]
    assert len(calls) == 1
    assert sorted(path.name for path in first[0].parent.iterdir()) == ["a.bin", "a.txt"]
    assert [path.name for path in onnx.parent.iterdir()] == ["some.model-tool-1.0"]
    assert capsys.readouterr().err == "some.model.onnx: converting to tool-1.0\n"


def test_another_version_converts_again(tmp_path: Path) -> None:
    paths = [
        converted(tmp_path / "m.onnx", key, ["a"], lambda folder, key=key: _write(folder / "a", key))  # type: ignore[misc]
        for key in ("tool-1", "tool-2")
    ]

    assert [path.read_text(encoding="utf-8") for [path] in paths] == ["tool-1", "tool-2"]


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def test_an_incomplete_conversion_is_not_kept(tmp_path: Path) -> None:
    with pytest.raises(CannotRunError, match=r"^its converter wrote no b$"):
        converted(tmp_path / "m.onnx", "tool-1", ["a", "b"], lambda folder: _write(folder / "a", ""))
    assert list(tmp_path.iterdir()) == []


def test_a_converter_runs_in_its_folder(tmp_path: Path) -> None:
    run_converter([sys.executable, "-c", "open('written', 'w').close()"], tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["written"]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (r"print('first'); print('\x1b[31mno such op\x1b[0m\n'); raise SystemExit(2)", "no such op"),
        ("raise SystemExit(3)", "exit status 3"),
        ("import sys; print('x' * 300, file=sys.stderr); raise SystemExit(1)", f"{'x' * 100} …"),
    ],
    ids=["last line", "silent", "long"],
)
def test_a_failed_converter_has_a_reason(tmp_path: Path, source: str, reason: str) -> None:
    with pytest.raises(CannotRunError) as caught:
        run_converter([sys.executable, "-c", source], tmp_path)

    assert str(caught.value) == f"its converter fails: {reason}"
