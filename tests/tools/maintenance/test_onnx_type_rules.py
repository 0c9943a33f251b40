"""The file of type rules is what the tool writes."""

from __future__ import annotations

from pathlib import Path

import pytest
from onnx import defs

from lite.tools.maintenance.onnx_type_rules import FILE, type_rules_text


def test_the_file_is_up_to_date(root: Path) -> None:
    text = (root / FILE).read_text(encoding="utf-8")
    if not text.startswith(f"opset {defs.onnx_opset_version()}\n"):
        pytest.skip("the installed onnx has another newest opset")

    assert text == type_rules_text()
