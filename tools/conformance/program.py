"""A case as a model of one op."""

from __future__ import annotations

from lite.ir.program import Attribute, AttrType, Block, Op, Program, Var, VarKind, Weight
from lite.ir.types import DType
from lite.ops import get_schema
from lite.tools.conformance.cases import Case


def program_of(
    case: Case, *, weights: bool = False, open_sizes: bool = False, outputs: int | None = None
) -> Program:
    """Every input is fed and every output fetched, in the order of the slots.

    With `weights`, every input but the first is a weight; with `open_sizes`, the sizes of fed inputs are
    left open.  Only the outputs of the first `outputs` slots are fetched.
    """
    block = Block(0)
    block.vars["feed"] = Var("feed", VarKind.FEED, persistable=True)
    block.vars["fetch"] = Var("fetch", VarKind.FETCH, persistable=True)
    read = {slot: [f"{slot}_{n}" for n in range(len(items))] for slot, items in case.inputs.items()}
    written = {slot: [f"{slot}_{n}_out" for n in range(len(items))] for slot, items in case.outputs.items()}
    items = {
        name: item
        for slot, names in read.items()
        for name, item in zip(names, case.inputs[slot], strict=True)
    }
    fed = list(items)[:1] if weights else list(items)
    stored = {name: Weight(items[name].array) for name in items if name not in fed}
    for name, item in items.items():
        shape = (-1,) * item.array.ndim if open_sizes and name in fed else item.array.shape
        dtype = DType.from_numpy(item.array.dtype)
        block.vars[name] = Var(name, VarKind.TENSOR, dtype, shape, len(item.lod), persistable=name in stored)
    for slot, names in written.items():
        for name, item in zip(names, case.outputs[slot], strict=True):
            shape = (-1,) * item.array.ndim if open_sizes else item.array.shape
            dtype = DType.from_numpy(item.array.dtype)
            block.vars[name] = Var(name, VarKind.TENSOR, dtype, shape, len(item.lod))
    for column, name in enumerate(fed):
        block.ops.append(Op("feed", {"X": ["feed"]}, {"Out": [name]}, _column(column)))
    schema = get_schema(case.op)
    attrs = {name: Attribute(schema.attrs[name].type, value) for name, value in case.attrs.items()}
    block.ops.append(Op(case.op, read, written, attrs))
    wanted = list(written.values())[:outputs]
    for column, name in enumerate(name for names in wanted for name in names):
        block.ops.append(Op("fetch", {"X": [name]}, {"Out": ["fetch"]}, _column(column)))
    return Program([block], stored, source=case.name)


def _column(column: int) -> dict[str, Attribute]:
    return {"col": Attribute(AttrType.INT, column)}
