"""Program: a model as its file says it, in Paddle's words, losing nothing.

The dataclasses mirror Paddle's program, block, op and var descriptions.  A field that the file did
not write is None, and what these classes have no field for is kept as wire bytes in `extra`, so that
load → save gives the file back.  Other formats are translated into the same classes.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from lite.ir.types import NO_LOD, Array, DType, Lod, Shape


class AttrType(enum.IntEnum):
    """Type tag of an attribute, with Paddle's numbers."""

    INT = 0
    FLOAT = 1
    STRING = 2
    INTS = 3
    FLOATS = 4
    STRINGS = 5
    BOOLEAN = 6
    BOOLEANS = 7
    BLOCK = 8
    LONG = 9
    BLOCKS = 10
    LONGS = 11
    FLOAT64S = 12
    VAR = 13
    VARS = 14
    FLOAT64 = 15
    SCALAR = 16
    SCALARS = 17


class VarKind(enum.IntEnum):
    """What a variable holds, with Paddle's numbers."""

    TENSOR = 7
    SELECTED_ROWS = 8
    FEED = 9
    FETCH = 10
    STEP_SCOPES = 11
    LOD_RANK_TABLE = 12
    TENSOR_ARRAY = 13
    PLACE_LIST = 14
    READER = 15
    RAW = 17
    TUPLE = 18
    STRING = 25
    STRINGS = 26
    VOCAB = 27
    FEED_LIST = 28
    PSTRING = 29
    SPARSE_COO = 30
    SPARSE_CSR = 31


Scalar = bool | int | float | complex
AttrValue = Scalar | str | list[int] | list[float] | list[bool] | list[str] | list[Scalar]
"""BLOCK and BLOCKS hold block indices, VAR and VARS variable names."""


@dataclass
class Attribute:
    """One attribute of an op: its type tag and value."""

    type: AttrType
    value: AttrValue
    extra: bytes = b""


@dataclass
class Op:
    """One op: slots map to variable names, in the file's order."""

    type: str
    inputs: dict[str, list[str]] = field(default_factory=dict)
    outputs: dict[str, list[str]] = field(default_factory=dict)
    attrs: dict[str, Attribute] = field(default_factory=dict)
    is_target: bool | None = None
    extra: bytes = b""

    def attr(self, name: str) -> AttrValue | None:
        """The value of an attribute, or None when the file has none of that name."""
        found = self.attrs.get(name)
        return None if found is None else found.value


@dataclass
class Var:
    """One variable.  `shape` and `dtype` are None for kinds that hold no tensor; -1 is an unknown size."""

    name: str
    kind: VarKind = VarKind.TENSOR
    dtype: DType | None = None
    shape: Shape | None = None
    lod_level: int | None = None
    persistable: bool | None = None
    need_check_feed: bool | None = None
    is_parameter: bool | None = None
    stop_gradient: bool | None = None
    extra: bytes = b""


@dataclass
class Block:
    """Variables and ops in order; `parent` is the index of the enclosing block, -1 for the first."""

    index: int
    parent: int = -1
    vars: dict[str, Var] = field(default_factory=dict)
    ops: list[Op] = field(default_factory=list)
    forward_block: int | None = None
    extra: bytes = b""


@dataclass
class Weight:
    """A parameter: a read-only array, memory-mapped where the file allows, and its LoD."""

    array: Array
    lod: Lod = NO_LOD


@dataclass
class Program:
    """A whole model: blocks (the first is the main one), weights by variable name, versions.

    `source` names the file for messages, `files` are the paths of all that were read, empty where nobody
    says so; neither is part of the model.
    """

    blocks: list[Block] = field(default_factory=list)
    weights: dict[str, Weight] = field(default_factory=dict)
    version: int | None = None
    op_versions: dict[str, int] | None = None
    extra: bytes = b""
    source: str = "program"
    files: list[str] = field(default_factory=list, compare=False, repr=False)

    def find_var(self, block: Block, name: str) -> Var | None:
        """The variable `name` as seen from `block`: its own, or of the nearest enclosing block."""
        seen: set[int] = set()
        while True:
            if name in block.vars:
                return block.vars[name]
            seen.add(block.index)
            if not 0 <= block.parent < len(self.blocks) or block.parent in seen:
                return None
            block = self.blocks[block.parent]
