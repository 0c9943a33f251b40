"""A case as a model of one op."""

from __future__ import annotations

from lite.ir.program import Attribute, AttrType, Block, Op, Program, Var, VarKind
from lite.ir.types import DType
from lite.ops import get_schema
from lite.tools.conformance.cases import Case


def program_of(case: Case) -> Program:
    """Every input is fed and every output fetched, in the order of the slots."""
    block = Block(0)
    block.vars["feed"] = Var("feed", VarKind.FEED, persistable=True)
    block.vars["fetch"] = Var("fetch", VarKind.FETCH, persistable=True)
    inputs, outputs = (
        {slot: [f"{slot}_{n}" for n in range(len(items))] for slot, items in side.items()}
        for side in (case.inputs, case.outputs)
    )
    outputs = {slot: [f"{name}_out" for name in names] for slot, names in outputs.items()}
    for side, names in ((case.inputs, inputs), (case.outputs, outputs)):
        for slot, items in side.items():
            for name, item in zip(names[slot], items, strict=True):
                dtype = DType.from_numpy(item.array.dtype)
                block.vars[name] = Var(name, VarKind.TENSOR, dtype, item.array.shape, len(item.lod))
    for column, name in enumerate(name for names in inputs.values() for name in names):
        block.ops.append(Op("feed", {"X": ["feed"]}, {"Out": [name]}, _column(column)))
    schema = get_schema(case.op)
    attrs = {name: Attribute(schema.attrs[name].type, value) for name, value in case.attrs.items()}
    block.ops.append(Op(case.op, inputs, outputs, attrs))
    for column, name in enumerate(name for names in outputs.values() for name in names):
        block.ops.append(Op("fetch", {"X": [name]}, {"Out": ["fetch"]}, _column(column)))
    return Program([block], source=case.name)


def _column(column: int) -> dict[str, Attribute]:
    return {"col": Attribute(AttrType.INT, column)}
