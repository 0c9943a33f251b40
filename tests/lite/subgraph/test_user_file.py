"""Files that a Config names: only regular files of text, whatever is in them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from lite.errors import ConfigError
from lite.subgraph.measured_costs import MeasuredCosts
from lite.subgraph.partition_rules import rules_text
from lite.subgraph.recipe import Recipe
from lite.subgraph.saved_plan import SavedPlan
from lite.subgraph.tuned_placements import TunedPlacements
from lite.subgraph.user_file import read_json, read_text

READERS: dict[str, Callable[[Path], object]] = {
    "recipe": Recipe.read,
    "plan": SavedPlan.read,
    "rules": rules_text,
}


def test_text_and_json_are_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text('{"a": [1, "é"]}', encoding="utf-8")
    assert read_text(path, "file") == '{"a": [1, "é"]}'
    assert read_json(path, "file") == {"a": [1, "é"]}


@pytest.mark.parametrize("reader", READERS)
def test_pipes_and_devices_are_refused(reader: str, tmp_path: Path) -> None:
    """To read them may never end, or take all memory."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "zero"):
        with pytest.raises(ConfigError, match="it is not a regular file"):
            READERS[reader](tmp_path / name)


@pytest.mark.parametrize("reader", ["recipe", "plan"])
@pytest.mark.parametrize("content", [b"[" * 100_000, b'{"a":' * 100_000, b"9" * 10_000, b"\xff", b"\0"])
def test_json_that_cannot_be_read_is_refused(reader: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"cannot be read as JSON|is no text"):
        READERS[reader](path)


def test_costs_and_placements_that_are_nested_too_deeply_are_not_used(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text("[" * 100_000)
    with pytest.raises(RecursionError):
        json.loads(path.read_text())
    assert MeasuredCosts.read(path) is None
    assert TunedPlacements.read(path) is None
