"""Pass lists with Paddle-Lite's names."""

from __future__ import annotations

import re

from lite.passes.aliases import ALIASES, UNNEEDED
from lite.passes.pipelines import DEFAULT
from tests.support.data_folders import SHARED

NOTE = SHARED / "research" / "paddle_lite.md"

_ROW = re.compile(r"^\| \d+ \| (\w+) \|", re.MULTILINE)


def default_list() -> list[str]:
    """Paddle-Lite's default list in order, with repetitions; empty without the note beside the checkout."""
    if not NOTE.is_file():
        return []
    section = NOTE.read_text(encoding="utf-8").partition("\n## 3")[2].partition("\n## 4")[0]
    return _ROW.findall(section)


def own_list() -> list[str]:
    """The default passes with Paddle-Lite's prefix, its names for them, and the names that are skipped."""
    aliases = sorted(alias for alias, name in ALIASES.items() if name in DEFAULT)
    return [*(f"lite_{name}" for name in DEFAULT), *aliases, *sorted(UNNEEDED)]
