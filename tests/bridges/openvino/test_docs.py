"""The page of ops names every bridge, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

from lite.plugin.device import BRIDGES
from lite.plugin.loader import load_all_bridges

PAGE = Path(__file__).parents[3] / "docs" / "openvino_ops.md"


def test_the_page_names_every_op() -> None:
    load_all_bridges("openvino")
    bridged = sorted(op for device, op in BRIDGES if device == "openvino")
    text = PAGE.read_text(encoding="utf-8")
    table = text[text.index("\n## Ops\n") :]

    named = [op for line in table.splitlines() for op in re.findall(r"`(\w+)`", line.partition(" | ")[0])]

    assert sorted(named) == bridged
    assert f"these {len(bridged)} ops" in text
    assert len(bridged) >= 130
