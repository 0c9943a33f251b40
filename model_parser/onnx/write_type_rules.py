"""Writes ``type_rules.txt``: ``python -m lite.model_parser.onnx.write_type_rules``."""

from __future__ import annotations

from collections.abc import Sequence

from onnx import defs

from lite.model_parser.onnx.schema_types import schema_rules
from lite.model_parser.onnx.type_rules import TABLE, Rule, table_text
from lite.model_parser.onnx.versions import OLDEST


def rules_text() -> str:
    """The content of the file: a row for each op and opset that changed its rules."""
    newest = defs.onnx_opset_version()
    names = {schema.name for schema in defs.get_all_schemas_with_history() if schema.domain == ""}
    rows: list[tuple[str, int, Sequence[Rule]]] = []
    for name in sorted(names):
        before: list[Rule] = []
        for opset in range(OLDEST, newest + 1):
            rules = list(schema_rules(name, opset))
            if rules != before:
                rows.append((name, opset, rules))
            before = rules
    return table_text(newest, rows)


if __name__ == "__main__":
    TABLE.write_text(rules_text(), encoding="utf-8")
