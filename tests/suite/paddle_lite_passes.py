"""Paddle-Lite's default list of passes, from the note beside this checkout."""

from __future__ import annotations

import re
from pathlib import Path

NOTE = Path(__file__).resolve().parents[2].parent / "shared" / "research" / "paddle_lite.md"

_ROW = re.compile(r"^\| \d+ \| (\w+) \|", re.MULTILINE)


def default_list() -> list[str]:
    """The names in order, with repetitions; none where the note is absent."""
    if not NOTE.is_file():
        return []
    section = NOTE.read_text(encoding="utf-8").partition("\n## 3")[2].partition("\n## 4")[0]
    return _ROW.findall(section)
