"""Translation of an ONNX op to an op that litebridge defines with the same attributes."""

from __future__ import annotations

from lite.dataclass import dataclass
from lite.ir.program import AttrType, AttrValue
from lite.model_parser.onnx.block_writer import BlockWriter
from lite.model_parser.onnx.node import OnnxNode
from lite.ops import get_schema


@dataclass(frozen=True)
class CustomOp:
    """An op with the attributes of an ONNX op; its slots in the order of ONNX's inputs and outputs."""

    op: str
    inputs: str
    outputs: str = "Out"

    def write(self, node: OnnxNode, writer: BlockWriter) -> None:
        """Write the op with the inputs, outputs and attributes that the node has."""
        writer.emit(
            self.op,
            {slot: node.optional(position) for position, slot in enumerate(self.inputs.split())},
            {slot: node.optional_output(position) for position, slot in enumerate(self.outputs.split())},
            _attributes(node, self.op),
        )


def _attributes(node: OnnxNode, op: str) -> dict[str, AttrValue]:
    """The attributes of the op that the node has, with the types of the op's schema."""
    attrs: dict[str, AttrValue] = {}
    for name, attr in get_schema(op).attrs.items():
        if not node.has(name):
            continue
        value: AttrValue | None
        if name == "output_datatype":
            value = node.dtype(name).code
        elif attr.type in (AttrType.INT, AttrType.LONG, AttrType.BOOLEAN):
            value = node.integer(name, 0)
        elif attr.type == AttrType.FLOAT:
            value = node.real(name, 0.0)
        elif attr.type == AttrType.STRING:
            value = node.string(name, "")
        elif attr.type == AttrType.STRINGS:
            value = node.strings(name)
        elif attr.type == AttrType.FLOATS:
            value = node.reals(name)
        else:
            value = node.integers(name)
        if value is not None:
            attrs[name] = value
    return attrs
