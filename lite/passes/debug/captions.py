"""Texts of a picture: lines of boxes, labels of arrows, tooltips."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from lite.ir.graph import Node, Value
from lite.ir.program import AttrValue
from lite.ir.text_print import type_text
from lite.ir.types import shape_text
from lite.ops import SCHEMAS

MAX_NAME = 40
"""The most characters of a variable's name; a longer one loses its middle."""

MAX_ATTRIBUTE = 40
"""The most characters of an attribute's line; a longer one loses its end."""

MAX_TYPES = 8
"""The most op types that the box of a group lists."""

_MAX_DATA = 16
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")

T = TypeVar("T")


def printable(text: str) -> str:
    """`text` with U+FFFD instead of line breaks and of characters that XML does not allow."""
    return _UNPRINTABLE.sub("\ufffd", text)


def op_lines(node: Node, attributes: bool) -> tuple[str, ...]:
    """The op's type, its place and, if `attributes`, those that differ from the defaults of its schema."""
    lines = [node.op]
    if node.place is not None:
        lines.append(f"@{node.place}")
    if attributes:
        lines += [_cut(f"{name}={value!r}") for name, value in changed_attributes(node).items()]
    return tuple(printable(line) for line in lines)


def changed_attributes(node: Node) -> Mapping[str, AttrValue]:
    """The attributes that differ from the defaults of the op's schema; all of an op without a schema."""
    schema = SCHEMAS.get(node.op)
    if schema is None:
        return node.attrs
    return {
        name: value
        for name, value in node.attrs.items()
        if name in schema.attrs and value != schema.attrs[name].default
    }


def op_title(node: Node) -> str:
    """The op, its attributes and the types of its inputs and outputs, one per line."""
    lines = [repr(node)]
    lines += [f"{name}={value!r}" for name, value in node.attrs.items()]
    lines += [f"{slot} < {value!r}: {type_text(value)}" for slot, value in _flat(node.inputs)]
    lines += [f"{slot} > {value!r}: {type_text(value)}" for slot, value in _flat(node.outputs)]
    return "\n".join(printable(line) for line in lines)


def value_name(value: Value) -> str:
    """``name`` or ``name#version``, shortened."""
    name = printable(value.name)
    if len(name) > MAX_NAME:
        name = f"{name[: MAX_NAME // 2 - 1]}…{name[-MAX_NAME // 2 :]}"
    return f"{name}#{value.version}" if value.version else name


def group_title(nodes: Iterable[Node]) -> str:
    """The ops of a group, one per line."""
    return "\n".join(printable(repr(node)) for node in nodes)


def value_title(value: Value) -> str:
    """The variable's type, the elements of a small constant, and the names of the results that it is."""
    lines = [f"{value!r}: {type_text(value)}"]
    if value.data is not None and value.data.size <= _MAX_DATA:
        lines.append(str(value.data.tolist()))
    if value.is_result:
        graph = value.graph
        lines += [
            f"result {n}" for n, v in zip(graph.result_names, graph.results, strict=False) if v is value
        ]
    return "\n".join(printable(line) for line in lines)


def short_type(value: Value) -> str:
    """Dtype and shape: ``float32[?,3]``."""
    return printable(f"{value.dtype or '?'}{shape_text(value.shape)}")


def count_lines(nodes: Iterable[Node]) -> tuple[str, ...]:
    """The number of ops, including nested graphs, and of each op type, the most frequent first."""
    counts = Counter(_types(nodes))
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    lines = [f"{counts.total()} op{'s' * (counts.total() != 1)}"]
    lines += [f"{count} × {printable(op)}" for op, count in rows[:MAX_TYPES]]
    if len(rows) > MAX_TYPES:
        lines.append(f"… {len(rows) - MAX_TYPES} more types")
    return tuple(lines)


def _types(nodes: Iterable[Node]) -> Iterator[str]:
    for node in nodes:
        yield node.op
        for block in node.blocks:
            yield from _types(block)


def _flat(slots: Mapping[str, Iterable[T]]) -> Iterator[tuple[str, T]]:
    return ((slot, value) for slot, values in slots.items() for value in values)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_ATTRIBUTE else f"{text[:MAX_ATTRIBUTE]}…"
