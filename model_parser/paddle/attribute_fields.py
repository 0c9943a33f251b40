"""Where the value of each attribute type lies in OpDesc.Attr."""

from __future__ import annotations

from typing import NamedTuple

from lite.ir.program import AttrType
from lite.model_parser.paddle.framework_pb2 import OpDesc


class ValueField(NamedTuple):
    """A field of OpDesc.Attr."""

    name: str
    number: int
    repeated: bool


_NAMES = {
    AttrType.INT: "i",
    AttrType.FLOAT: "f",
    AttrType.STRING: "s",
    AttrType.INTS: "ints",
    AttrType.FLOATS: "floats",
    AttrType.STRINGS: "strings",
    AttrType.BOOLEAN: "b",
    AttrType.BOOLEANS: "bools",
    AttrType.BLOCK: "block_idx",
    AttrType.LONG: "l",
    AttrType.BLOCKS: "blocks_idx",
    AttrType.LONGS: "longs",
    AttrType.FLOAT64S: "float64s",
    AttrType.VAR: "var_name",
    AttrType.VARS: "vars_name",
    AttrType.FLOAT64: "float64",
    AttrType.SCALAR: "scalar",
    AttrType.SCALARS: "scalars",
}

_NUMBERS = {field.name: field.number for field in OpDesc.Attr.DESCRIPTOR.fields}

VALUE_FIELDS = {
    kind: ValueField(name, _NUMBERS[name], kind.name.endswith("S")) for kind, name in _NAMES.items()
}
