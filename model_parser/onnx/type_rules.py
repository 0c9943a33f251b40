"""The types that ONNX's schemas allow for the inputs of an op.

The rules of the opsets up to the first line of ``type_rules.txt`` are in that file, because onnx takes longer
to make its schemas than to read a small model; those of newer opsets are asked of onnx.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

from lite.ir.types import DType

Rule = tuple[str, Sequence[DType]]
"""The name of an input's type variable, or "", and its types where they are checked."""

TABLE = Path(__file__).with_name("type_rules.txt")
"""The file, which ``write_type_rules`` writes."""

_UNNAMED = "-"


def newest_opset(version: int) -> int:
    """The newest opset that is known, where a model states `version`."""
    newest, _ = _table()
    if version <= newest:
        return newest
    from onnx import defs

    return max(newest, defs.onnx_opset_version())


@functools.cache
def type_rules(op: str, opset: int) -> Sequence[Rule]:
    """The rule of each input, the last one for all that follow; empty for an op that ONNX does not define."""
    newest, table = _table()
    if opset > newest:
        from lite.model_parser.onnx.schema_types import schema_rules

        return schema_rules(op, opset)
    rows = [rules for since, rules in table.get(op, ()) if since <= opset]
    return [_rule(text) for text in rows[-1]] if rows else ()


def table_text(newest: int, rows: Sequence[tuple[str, int, Sequence[Rule]]]) -> str:
    """The content of the file; a row is an op, the opset from which it holds, and its rules."""
    lines = [" ".join((op, str(since), *map(_text, rules))) for op, since, rules in rows]
    return "\n".join([f"opset {newest}", *lines]) + "\n"


@functools.cache
def _table() -> tuple[int, dict[str, list[tuple[int, list[str]]]]]:
    """The newest opset in the file, and for each op the opsets that changed its rules, with these."""
    first, *lines = TABLE.read_text(encoding="utf-8").splitlines()
    table: dict[str, list[tuple[int, list[str]]]] = {}
    for line in lines:
        op, since, *rules = line.split()
        table.setdefault(op, []).append((int(since), rules))
    return int(first.removeprefix("opset ")), table


def _rule(text: str) -> Rule:
    variable, _, types = text.partition("=")
    dtypes = [DType.from_name(name) for name in types.split(",")] if types else []
    return "" if variable == _UNNAMED else variable, dtypes


def _text(rule: Rule) -> str:
    variable, types = rule
    return (variable or _UNNAMED) + ("=" + ",".join(map(str, types)) if types else "")
