"""The page of ops names every bridge, and nothing else; every bridge is found by the name of its op."""

from __future__ import annotations

import re
from pathlib import Path

from lite.plugin import loader
from lite.plugin.device import BRIDGES
from lite.plugin.loader import load_all_bridges

PAGE = Path(__file__).parents[3] / "docs" / "onnxruntime_ops.md"


def bridged() -> list[str]:
    load_all_bridges("onnxruntime")
    return sorted(op for device, op in BRIDGES if device == "onnxruntime")


def test_the_page_names_every_op() -> None:
    text = PAGE.read_text(encoding="utf-8")
    table = text[text.index("\n## Ops\n") :]

    assert sorted(re.findall(r"`(\w+)`", table)) == bridged()
    assert f"these {len(bridged())} ops" in text
    assert len(bridged()) >= 200


def test_bridges_are_found_by_their_ops_names() -> None:
    index = loader._literals(loader.BRIDGES)
    owners = {op: BRIDGES.owner(("onnxruntime", op)) for op in bridged()}

    assert [op for op, owner in owners.items() if owner not in index.get(op, ())] == []
