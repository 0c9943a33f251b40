"""Program: a model as its file states it, without loss.

The dataclasses mirror the messages ProgramDesc, BlockDesc, OpDesc and VarDesc of Paddle's
``framework.proto``.  A field that the file does not contain is None.  Fields that these classes lack are
kept as protobuf wire bytes in `extra`, so that loading and saving gives the same file.  Parsers of other
formats translate their models into the same classes.
"""

from __future__ import annotations

import enum
from dataclasses import field

from lite.dataclass import dataclass
from lite.ir.types import NO_LOD, Array, DType, Lod, Shape


class AttrType(enum.IntEnum):
    """The type of an attribute, with the numbers of Paddle's ``AttrType``."""

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
    """The kind of a variable, with the numbers of Paddle's ``VarType.Type``."""

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
"""The value of an attribute; BLOCK and BLOCKS hold block indices, VAR and VARS variable names."""


@dataclass
class Attribute:
    """One attribute of an op."""

    type: AttrType
    value: AttrValue
    extra: bytes = b""


@dataclass
class Op:
    """One op: `inputs` and `outputs` map slots to variable names, in the order of the file."""

    type: str
    inputs: dict[str, list[str]] = field(default_factory=dict)
    outputs: dict[str, list[str]] = field(default_factory=dict)
    attrs: dict[str, Attribute] = field(default_factory=dict)
    is_target: bool | None = None
    extra: bytes = b""

    def attr(self, name: str) -> AttrValue | None:
        """The value of an attribute; None if the op has no attribute of that name."""
        attribute = self.attrs.get(name)
        return None if attribute is None else attribute.value


@dataclass
class Var:
    """One variable; -1 in `shape` is an unknown size.

    `shape` and `dtype` are None for kinds that hold no tensor.
    """

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
    """Ops in running order with their variables; `parent` is the enclosing block, -1 for the main block."""

    index: int
    parent: int = -1
    vars: dict[str, Var] = field(default_factory=dict)
    ops: list[Op] = field(default_factory=list)
    forward_block: int | None = None
    extra: bytes = b""


@dataclass
class Weight:
    """A parameter: a read-only array, memory-mapped from the file if possible, and its LoD."""

    array: Array
    lod: Lod = NO_LOD


@dataclass
class Program:
    """A whole model: its blocks, of which the first is the main block, and its weights by variable name.

    `source` names the model in messages; `files` are the paths of all files that the parser read, empty
    if it does not record them; `origin` is what the file states about its origin, such as its producer.
    None of these three is part of the model.
    """

    blocks: list[Block] = field(default_factory=list)
    weights: dict[str, Weight] = field(default_factory=dict)
    version: int | None = None
    op_versions: dict[str, int] | None = None
    extra: bytes = b""
    source: str = "program"
    files: list[str] = field(default_factory=list, compare=False, repr=False)
    origin: dict[str, str] = field(default_factory=dict, compare=False, repr=False)

    def find_var(self, block: Block, name: str) -> Var | None:
        """The variable that `name` means in `block`: its own, or that of the nearest enclosing block."""
        seen: set[int] = set()
        while True:
            if name in block.vars:
                return block.vars[name]
            seen.add(block.index)
            if not 0 <= block.parent < len(self.blocks) or block.parent in seen:
                return None
            block = self.blocks[block.parent]
