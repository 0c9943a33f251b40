"""Run an op's shape rule: check slots and attributes, then infer dtypes and shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.errors import GraphError, suggest
from lite.ir.program import AttrValue
from lite.ir.types import NO_LOD, DType, Lod
from lite.ops.schema import OpSchema
from lite.ops.view import Meta, OpView, UnknownRank


def check_slots(schema: OpSchema, inputs: Mapping[str, int], outputs: Mapping[str, int]) -> None:
    """Check the slots of an op, as numbers of values by slot, against its schema.

    Raises `GraphError` naming op and slot: unknown, missing, or several values in a single slot.
    """
    for what, counts, specs in (("input", inputs, schema.inputs), ("output", outputs, schema.outputs)):
        for slot, count in counts.items():
            if slot not in specs:
                raise GraphError(
                    f"{schema.name}: no {what} slot {slot!r}{suggest(slot, specs)}; it has {list(specs)}"
                )
            if count > 1 and not specs[slot].repeated:
                raise GraphError(f"{schema.name}: {what} slot {slot} takes one value, got {count}")
        for slot, spec in specs.items():
            if not spec.optional and not counts.get(slot):
                raise GraphError(f"{schema.name}: {what} slot {slot} is missing")


def infer(
    schema: OpSchema,
    inputs: Mapping[str, Sequence[Meta]],
    attrs: Mapping[str, AttrValue],
    outputs: Mapping[str, int],
) -> dict[str, list[Meta]]:
    """The metas of an op's outputs, whose numbers of values by slot are `outputs`.

    `attrs` are complete (`OpSchema.attr_values`).  Where a rule needs an unknown rank, the outputs have
    unknown shapes.  Outputs have the LoD of the input that the schema names.

    Raises `GraphError` naming op and slot for dtypes and ranks that do not fit, and for errors of the rule;
    and naming op and inputs where the rule fails for them or infers a negative size.
    """
    for name, metas in inputs.items():
        for meta in metas:
            reason = schema.inputs[name].why_not(meta)
            if reason is not None:
                raise GraphError(f"{schema.name}: slot {name}: {reason}")
    view = OpView(schema.name, inputs, attrs)
    try:
        inferred = schema.infer(view)
    except UnknownRank:
        inferred = {}
    except (LookupError, ArithmeticError, TypeError, ValueError) as error:
        raise GraphError(f"{_call(schema, inputs)} cannot be inferred: {error}") from error
    by_slot = {next(iter(schema.outputs)): inferred} if isinstance(inferred, Meta) else inferred
    lod = _shared_lod(schema, inputs)
    dtype = next((m.dtype for metas in inputs.values() for m in metas), DType.FLOAT32)
    by_output = {slot: _metas(by_slot.get(slot), count, lod, dtype) for slot, count in outputs.items()}
    for slot, metas in by_output.items():
        for meta in metas:
            for dim in meta.shape or ():
                if isinstance(dim, int) and dim < 0:
                    raise GraphError(f"{_call(schema, inputs)}: its output {slot} would be {meta}")
    return by_output


def _call(schema: OpSchema, inputs: Mapping[str, Sequence[Meta]]) -> str:
    slots = (f"{slot}={', '.join(map(str, metas))}" for slot, metas in inputs.items())
    return f"{schema.name}({', '.join(slots)})"


def _metas(inferred: Meta | Sequence[Meta] | None, count: int, lod: Lod, dtype: DType) -> list[Meta]:
    if inferred is None:
        return [Meta(dtype, None)] * count
    metas = [inferred] if isinstance(inferred, Meta) else list(inferred)
    if len(metas) != count:
        raise GraphError(f"expected {len(metas)} outputs by the shape rule, got {count}")
    return [Meta(m.dtype, m.shape, m.value, lod, m.is_array) for m in metas] if lod else metas


def _shared_lod(schema: OpSchema, inputs: Mapping[str, Sequence[Meta]]) -> Lod:
    metas = inputs.get(schema.lod or "")
    return metas[0].lod if metas else NO_LOD
