"""The table of type rules, and the schemas of opsets that it lacks."""

from __future__ import annotations

import pytest
from onnx import defs

from lite.ir.types import DType
from lite.model_parser.onnx import type_rules as module
from lite.model_parser.onnx.schema_types import schema_rules
from lite.model_parser.onnx.type_rules import newest_opset, type_rules

FIRST, LAST = 7, newest_opset(0)
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
    names = {schema.name for schema in defs.get_all_schemas_with_history() if schema.domain == ""}
    different = [
        (name, opset)
        for name in sorted(names)
        for opset in range(FIRST, min(LAST, defs.onnx_opset_version()) + 1)
        if list(map(plain, type_rules(name, opset))) != list(map(plain, schema_rules(name, opset)))
    ]
    assert different == []


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


def plain(rule: module.Rule) -> tuple[str, list[DType]]:
    name, types = rule
    return name, list(types)
