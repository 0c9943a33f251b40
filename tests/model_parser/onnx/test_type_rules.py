"""The table of type rules, and the schemas of opsets that it lacks."""

from __future__ import annotations

import pytest
from onnx import defs

from lite.ir.types import DType
from lite.model_parser.onnx import type_rules as module
from lite.model_parser.onnx.type_rules import newest_opset, type_rules
from lite.model_parser.onnx.write_type_rules import rules_text

FIRST = 7
INDEX = [DType.INT32, DType.INT64]


@pytest.mark.parametrize(
    ("op", "opset", "rules"),
    [
        ("Add", 7, [("T", []), ("T", [])]),
        ("Gather", 17, [("T", []), ("Tind", INDEX)]),
        ("Clip", 10, [("T", [])]),
        ("Clip", 11, [("T", []), ("T", []), ("T", [])]),
        ("Gelu", 19, []),
        ("Gelu", 20, [("T", [])]),
        ("Loop", 17, [("I", [DType.INT64]), ("B", [DType.BOOL]), ("", [])]),
        ("Where", 17, [("B", [DType.BOOL]), ("T", []), ("T", [])]),
        ("com.microsoft.Gelu", 20, []),
    ],
)
def test_the_rule_of_an_opset(op: str, opset: int, rules: list[tuple[str, list[DType]]]) -> None:
    assert [(name, list(types)) for name, types in type_rules(op, opset)] == rules


def test_the_table_has_the_rules_of_the_installed_onnx() -> None:
    if defs.onnx_opset_version() != newest_opset(0):
        pytest.skip("the installed onnx has another newest opset")

    assert module.TABLE.read_text(encoding="utf-8") == rules_text()


def test_opsets_that_the_table_lacks_are_asked_of_onnx(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_table", lambda: (FIRST, {}))
    type_rules.cache_clear()
    try:
        assert list(type_rules("Clip", FIRST)) == []
        assert list(type_rules("Clip", 11)) == [("T", ())] * 3
        assert newest_opset(FIRST) == FIRST
        assert newest_opset(11) == defs.onnx_opset_version()
    finally:
        type_rules.cache_clear()
