"""Random programs that Paddle's format can hold, for property tests."""

from hypothesis import strategies as st

from lite.ir.program import Attribute, AttrType, AttrValue, Block, Op, Program, Var, VarKind
from lite.ir.types import DType
from lite.model_parser.paddle.variables import LOD_KINDS, TENSOR_FIELDS

NAMES = st.text(st.characters(codec="utf-8"), max_size=6)
INT32 = st.integers(-(2**31), 2**31 - 1)
INT64 = st.integers(-(2**63), 2**63 - 1)
FLOAT32 = st.floats(width=32, allow_nan=False)
FLOAT64 = st.floats(allow_nan=False)
SCALAR = st.booleans() | INT64 | FLOAT64 | st.complex_numbers(allow_nan=False)
FLAG = st.none() | st.booleans()


def few(items: st.SearchStrategy[object]) -> st.SearchStrategy[list[object]]:
    return st.lists(items, max_size=3)


def values(blocks: int) -> dict[AttrType, st.SearchStrategy[object]]:
    """Random values of each attribute type, in a program with this number of blocks."""
    index = st.integers(0, blocks - 1)
    one: dict[AttrType, st.SearchStrategy[object]] = {
        AttrType.INT: INT32,
        AttrType.FLOAT: FLOAT32,
        AttrType.STRING: NAMES,
        AttrType.BOOLEAN: st.booleans(),
        AttrType.BLOCK: index,
        AttrType.LONG: INT64,
        AttrType.VAR: NAMES,
        AttrType.FLOAT64: FLOAT64,
        AttrType.SCALAR: SCALAR,
    }
    many: dict[AttrType, st.SearchStrategy[object]] = {
        AttrType.INTS: few(INT32),
        AttrType.FLOATS: few(FLOAT32),
        AttrType.STRINGS: few(NAMES),
        AttrType.BOOLEANS: few(st.booleans()),
        AttrType.BLOCKS: few(index),
        AttrType.LONGS: few(INT64),
        AttrType.FLOAT64S: few(FLOAT64),
        AttrType.VARS: few(NAMES),
        AttrType.SCALARS: few(SCALAR),
    }
    return one | many


@st.composite
def attributes(draw: st.DrawFn, blocks: int) -> Attribute:
    kind = draw(st.sampled_from(AttrType))
    value: AttrValue = draw(values(blocks)[kind])  # type: ignore[assignment]
    return Attribute(kind, value)


@st.composite
def variables(draw: st.DrawFn, name: str) -> Var:
    var = Var(name, draw(st.sampled_from(VarKind)))
    var.persistable, var.need_check_feed = draw(FLAG), draw(FLAG)
    var.is_parameter, var.stop_gradient = draw(FLAG), draw(FLAG)
    if var.kind in TENSOR_FIELDS and draw(st.booleans()):
        var.dtype = draw(st.sampled_from([dtype for dtype in DType if dtype.in_paddle]))
        var.shape = tuple(draw(st.lists(st.integers(-1, 2**40), max_size=4)))
        if var.kind in LOD_KINDS:
            var.lod_level = draw(st.none() | INT32)
    return var


@st.composite
def programs(draw: st.DrawFn) -> Program:
    count = draw(st.integers(1, 3))
    slots = st.dictionaries(NAMES, st.lists(NAMES, max_size=3), max_size=3)
    ops = st.builds(Op, NAMES, slots, slots, st.dictionaries(NAMES, attributes(count), max_size=4), FLAG)
    blocks = [
        Block(
            index,
            draw(st.integers(-1, index - 1)),
            {name: draw(variables(name)) for name in draw(st.lists(NAMES, max_size=4, unique=True))},
            draw(st.lists(ops, max_size=3)),
            draw(st.none() | INT32),
        )
        for index in range(count)
    ]
    versions = draw(st.none() | st.dictionaries(NAMES, INT32, max_size=3))
    return Program(blocks, version=draw(st.none() | INT64), op_versions=versions, source="random")
