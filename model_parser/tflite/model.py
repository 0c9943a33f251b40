"""The tables of a TFLite model: op names, subgraphs and buffers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import TypeVar

from lite.dataclass import dataclass
from lite.errors import ModelParseError
from lite.model_parser.tflite.schema import CUSTOM, OPS, PLACEHOLDER
from lite.plugin.format.flatbuffer import Table

T = TypeVar("T")

MAX_SUBGRAPHS = 1000
"""The most subgraphs that are translated; one that several operators run counts for each of them."""


@dataclass(eq=False)
class TfliteModel:
    """The parts of a model that all subgraphs share; `codes` are the names of ops.

    `open` are the numbers of the subgraphs that are being translated, the main one first.
    """

    data: bytes
    codes: Sequence[str]
    subgraphs: Sequence[Table]
    buffers: Sequence[Table]
    open: list[int] = field(default_factory=list)
    count: int = 0

    @classmethod
    def read(cls, data: bytes, root: Table) -> TfliteModel:
        """The tables of the root table."""
        codes = [_op_name(code) for code in root.tables(1)]
        return cls(data, codes, root.tables(2), root.tables(4))

    def subgraph(self, number: int) -> Table:
        """A subgraph; raises `ModelParseError` for one that contains itself, and for too many."""
        table = nth(self.subgraphs, number, "existing subgraph")
        if number in self.open:
            raise ModelParseError(f"subgraph {number} contains itself")
        self.count += 1
        if self.count > MAX_SUBGRAPHS:
            raise ModelParseError(f"expected at most {MAX_SUBGRAPHS} subgraphs inside of each other")
        return table

    def only_op(self, number: int) -> str:
        """The name of the op of a subgraph that has one; else a phrase that says how many it has."""
        operators = nth(self.subgraphs, number, "existing subgraph").tables(3)
        if len(operators) != 1:
            return f"{len(operators)} ops"
        return nth(self.codes, operators[0].integer(0, "I"), "operator code")


def nth(items: Sequence[T], number: int, what: str) -> T:
    """An item; raises `ModelParseError` that says what it is."""
    if not 0 <= number < len(items):
        raise ModelParseError(f"expected a number of an {what} below {len(items)}, got {number}")
    return items[number]


def _op_name(code: Table) -> str:
    """The name of a builtin op; ``CUSTOM:name`` for another."""
    number = code.integer(0, "b")
    if number >= PLACEHOLDER or number == 0:
        number = code.integer(3, "i")
    if number == CUSTOM:
        return f"CUSTOM:{code.string(1)}"
    return OPS[number] if 0 <= number < len(OPS) else f"op {number}"
