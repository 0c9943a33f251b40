"""The page of a device's ops lists every bridge and no other op, each with the file that has its bridge."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lite.plugin import loader
from lite.plugin.device.bridge_search import bridged_ops
from lite.plugin.device.opening import open_device

ROW = re.compile(r"^\| (\w+) \| ((?:`\w+` ?)+)\|", re.MULTILINE)

FOLDERS = {
    "onnxruntime": "onnx",
    "openvino": "openvino",
    "litert": "tflite",
    "coreml": "coreml",
    "ethos_u": "tflite",
    "xla": "stablehlo",
}
"""The folder in which each device has its bridges."""

each_device = pytest.mark.parametrize("device", FOLDERS)


def bridged(device: str) -> list[str]:
    return bridged_ops(type(open_device(device)))


def rows(root: Path, device: str) -> dict[str, list[str]]:
    """The ops of the page, by file."""
    text = (root / "docs" / f"{device}_ops.md").read_text(encoding="utf-8")
    return {file: re.findall(r"`(\w+)`", ops) for file, ops in ROW.findall(text[text.index("\n## Ops\n") :])}


@each_device
def test_the_page_lists_every_op_once(root: Path, device: str) -> None:
    ops = sorted(op for row in rows(root, device).values() for op in row)

    assert ops == bridged(device)
    text = (root / "docs" / f"{device}_ops.md").read_text(encoding="utf-8")
    assert f"these {len(ops)} ops" in text


@each_device
def test_the_page_lists_every_file_with_its_ops(root: Path, device: str) -> None:
    folder = root / "bridges" / FOLDERS[device] / "ops"
    table, index = rows(root, device), loader.modules_by_word(loader.BRIDGES)
    module = f"{loader.BRIDGES}.{FOLDERS[device]}.ops"

    assert sorted(table) == sorted(path.stem for path in folder.glob("[!_]*.py"))
    assert [
        (file, op) for file, ops in table.items() for op in ops if f"{module}.{file}" not in index[op]
    ] == []


@each_device
def test_the_loader_finds_bridges_by_the_names_of_ops(device: str) -> None:
    index = loader.modules_by_word(loader.BRIDGES)
    folder = f"{loader.BRIDGES}.{FOLDERS[device]}.ops."

    assert [op for op in bridged(device) if not any(m.startswith(folder) for m in index.get(op, ()))] == []
