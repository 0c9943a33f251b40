"""docs/composites.md: its examples run, and its table names every function of the language."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from lite.plugin import pattern
from lite.plugin.pattern import Pattern


@pytest.fixture
def page(root: Path) -> str:
    return (root / "docs" / "composites.md").read_text(encoding="utf-8")


def test_examples_on_the_page_run(page: str) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4
    names: dict[str, Any] = {}
    for number, block in enumerate(blocks):
        exec(compile(block, f"docs/composites.md, block {number}", "exec"), names)


def test_every_name_is_on_the_page(page: str) -> None:
    methods = [
        name for name in vars(Pattern) if not name.startswith("_") and callable(getattr(Pattern, name))
    ]
    names = [name for name in pattern.__all__ if name not in ("Match", "OpPattern", "Pattern")]
    names += [f".{name}" for name in methods if name != "solve"]
    assert [name for name in names if f"{name}(" not in page] == []
