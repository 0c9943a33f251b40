"""The page of a device's ops lists every bridge and no other op, each with the file that has its bridge."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lite.plugin import loader
from lite.plugin.device import BRIDGES
from lite.plugin.loader import load_all_bridges

ROW = re.compile(r"^\| (\w+) \| ((?:`\w+` ?)+)\|", re.MULTILINE)

each_device = pytest.mark.parametrize("device", ["onnxruntime", "openvino"])


def bridged(device: str) -> list[str]:
    load_all_bridges(device)
    return sorted(op for name, op in BRIDGES if name == device)


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
    folder = root / "bridges" / device / "ops"
    table, index = rows(root, device), loader.modules_by_word(loader.BRIDGES)
    module = f"{loader.BRIDGES}.{device}.ops"

    assert sorted(table) == sorted(path.stem for path in folder.glob("[!_]*.py"))
    assert [
        (file, op) for file, ops in table.items() for op in ops if f"{module}.{file}" not in index[op]
    ] == []


@each_device
def test_the_loader_finds_bridges_by_the_names_of_ops(device: str) -> None:
    index = loader.modules_by_word(loader.BRIDGES)
    folder = f"{loader.BRIDGES}.{device}.ops."

    assert [op for op in bridged(device) if not any(m.startswith(folder) for m in index.get(op, ()))] == []
