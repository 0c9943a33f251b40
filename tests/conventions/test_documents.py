"""The documents name commands and files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lite.tools import dev

DOCUMENTS = ("README.md", "CONTRIBUTING.md", "docs/architecture.md")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_commands_of_dev_exist(root: Path, name: str) -> None:
    for command in re.findall(r"python3 tools/dev\.py (\w+)", (root / name).read_text(encoding="utf-8")):
        assert dev.parse([command])[0].command == command


def test_readme_starts_with_the_two_commands(root: Path) -> None:
    commands = re.findall(r"^python3 tools/dev\.py (\w+)", (root / "README.md").read_text(), re.MULTILINE)
    assert commands[:2] == ["demo", "test"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_relative_links_lead_somewhere(root: Path, name: str) -> None:
    document = root / name
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", document.read_text(encoding="utf-8"))
    assert [target for target in targets if not (document.parent / target).exists()] == []


def test_glossary_names_files_that_exist(root: Path) -> None:
    rows = re.findall(
        r"^\| ([^|]+) \|.*\| `([^`]+)` \|$", (root / "docs/glossary.md").read_text(), re.MULTILINE
    )
    assert [(term, path) for term, path in rows if not (root / path).exists()] == []
    assert len(rows) > 80
