"""The table of PIR ops: each op, and the function that writes its ops.

Uniform ops are rows of tables, in this notation::

    "leaky_relu": "leaky_relu X -> Out | negative_slope=alpha"

The names after the op are the slots of the operands by position, those after the arrow the slots of the
results, with ``_`` for one that the op does not have.  The attributes follow, with the name in the
schema where it differs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lite.dataclass import dataclass
from lite.errors import GraphError, ModelParseError
from lite.ir.program import AttrValue
from lite.ir.types import DType
from lite.model_parser.paddle.pir.attributes import AttributeValue
from lite.model_parser.paddle.pir.block_writer import BlockWriter
from lite.model_parser.paddle.pir.document import PirBlock, PirOp
from lite.model_parser.paddle.pir.node import PirNode
from lite.model_parser.paddle.pir.value import Value
from lite.ops import get_schema
from lite.plugin.format import Translations

Translator = Callable[[PirNode, BlockWriter], None]

TRANSLATIONS = Translations[Translator]("PIR op", "lite.model_parser.paddle.pir.ops")

pir_op = TRANSLATIONS.register

YIELD = "cf.yield"
"""The last op of a region: its operands are the region's results."""


@dataclass(frozen=True)
class Row:
    """A row of a table: the op, its slots by position, and its attributes by PIR name."""

    op: str
    inputs: Sequence[str]
    outputs: Sequence[str]
    attrs: Mapping[str, str]

    def __call__(self, node: PirNode, writer: BlockWriter) -> None:
        """Write the op; optional results that no op reads are left out."""
        if len(node.inputs) > len(self.inputs):
            raise ModelParseError(f"expected at most {len(self.inputs)} operands, got {len(node.inputs)}")
        schema = get_schema(self.op)
        inputs = {
            slot: value
            for slot, value in zip(self.inputs, node.inputs, strict=False)
            if value is not None and slot != "_"
        }
        missing = [slot for slot, kind in schema.inputs.items() if not kind.optional and slot not in inputs]
        if missing:
            raise ModelParseError(
                f"expected operands for {', '.join(self.inputs)}, got none for {missing[0]}"
            )
        outputs = {
            slot: node.output(position)
            for position, slot in enumerate(self.outputs)
            if slot != "_" and (node.is_used(position) or not schema.outputs[slot].optional)
        }
        writer.emit(self.op, inputs, outputs, self.attr_values(node))

    def attr_values(self, node: PirNode) -> dict[str, AttrValue]:
        """The attributes that the node has."""
        values = {ours: node.attribute(name) for name, ours in self.attrs.items() if node.has(name)}
        return {ours: plain(value) for ours, value in values.items() if value is not None}


ROWS: dict[str, Row] = {}
"""The rows of all tables by PIR op, once the modules of `ops/` are imported."""


def read_row(text: str) -> Row:
    """The row of a line in the notation of this module."""
    slots, _, attrs = text.partition("|")
    inputs, _, outputs = slots.partition("->")
    op, *names = inputs.split()
    pairs = [word.partition("=") for word in attrs.split()]
    return Row(op, names, outputs.split(), {name: ours or name for name, _, ours in pairs})


def pir_ops(rows: Mapping[str, str]) -> None:
    """Register the rows of a table as translations."""
    for name, text in rows.items():
        ROWS[name] = read_row(text)
        pir_op(name)(ROWS[name])


def plain(value: AttributeValue) -> AttrValue:
    """A decoded attribute as an attribute of a program: element types become their codes."""
    if isinstance(value, list):
        return [plain(item) for item in value]  # type: ignore[return-value]
    if value is None:
        raise ModelParseError("expected a value in the list of an attribute, got null")
    return value.code if isinstance(value, DType) else value


def translate(op: PirOp, writer: BlockWriter) -> None:
    """Write the ops of a PIR op; every error names its place in the block."""
    try:
        node = PirNode(op, writer)
        TRANSLATIONS.get(node.op)(node, writer)
    except (GraphError, ModelParseError, LookupError, ValueError, OverflowError) as error:
        raise ModelParseError(f"{op.where}: {error}") from error


def translate_region(block: PirBlock, number: int, writer: BlockWriter) -> Sequence[Value]:
    """Write the ops of a region's block; returns the values that it yields."""
    if not block.ops or block.ops[-1].name != YIELD:
        raise ModelParseError(f"region {number}: expected {YIELD} as the last op")
    try:
        for op in block.ops[:-1]:
            translate(op, writer)
        values = [writer.find(id) for id in block.ops[-1].operands]
    except ModelParseError as error:
        raise ModelParseError(f"region {number}, {error}") from error
    present = [value for value in values if value is not None]
    if len(present) < len(values):
        raise ModelParseError(f"region {number}: expected a value for each operand of {YIELD}")
    return present
