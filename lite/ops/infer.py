"""Run an op's shape rule: check slots and attributes, then infer dtypes and shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lite.errors import GraphError, suggest
from lite.ir.program import AttrValue
from lite.ir.types import NO_LOD, DType
from lite.ops.schema import OpSchema
from lite.ops.view import Meta, OpView, UnknownRank


def check_slots(schema: OpSchema, inputs: Mapping[str, int], outputs: Mapping[str, int]) -> None:
    """Whether the slots of an op, given as number of values by slot, are those of its schema.

    Raises `GraphError` naming op and slot: unknown, missing, or several values in a single slot.
    """
    for what, given, known in (("input", inputs, schema.inputs), ("output", outputs, schema.outputs)):
        for slot, count in given.items():
            if slot not in known:
                raise GraphError(
                    f"{schema.name}: no {what} slot {slot!r}{suggest(slot, known)}; it has {list(known)}"
                )
            if count > 1 and not known[slot].repeated:
                raise GraphError(f"{schema.name}: {what} slot {slot} takes one value, got {count}")
        for slot, spec in known.items():
            if not spec.optional and not given.get(slot):
                raise GraphError(f"{schema.name}: {what} slot {slot} is missing")


def infer(
    schema: OpSchema,
    inputs: Mapping[str, Sequence[Meta]],
    attrs: Mapping[str, AttrValue],
    outputs: Mapping[str, int],
) -> dict[str, list[Meta]]:
    """Metas of the outputs that the op has (`outputs`: number of values by slot).

    `attrs` are the schema's (`OpSchema.attr_values`).  A rule that meets an unknown rank gives outputs
    of unknown shape.  The LoD is shared from the input that the schema names.

    Raises `GraphError` naming op and slot for dtypes and ranks that do not fit, or by the rule, and
    naming op and inputs where the rule cannot make sense of them or finds a negative size.
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
        raise GraphError(f"{_call(schema, inputs)} is no op that can be: {error}") from error
    by_slot = {next(iter(schema.outputs)): inferred} if isinstance(inferred, Meta) else inferred
    lod = _shared_lod(schema, inputs)
    dtype = next((m.dtype for metas in inputs.values() for m in metas), DType.FLOAT32)
    found = {slot: _metas(by_slot.get(slot), count, lod, dtype) for slot, count in outputs.items()}
    for slot, metas in found.items():
        for meta in metas:
            for dim in meta.shape or ():
                if isinstance(dim, int) and dim < 0:
                    raise GraphError(f"{_call(schema, inputs)}: its output {slot} would be {meta}")
    return found


def _call(schema: OpSchema, inputs: Mapping[str, Sequence[Meta]]) -> str:
    slots = (f"{slot}={', '.join(map(str, metas))}" for slot, metas in inputs.items())
    return f"{schema.name}({', '.join(slots)})"


def _metas(
    found: Meta | Sequence[Meta] | None, count: int, lod: tuple[tuple[int, ...], ...], dtype: DType
) -> list[Meta]:
    if found is None:
        return [Meta(dtype, None)] * count
    metas = [found] if isinstance(found, Meta) else list(found)
    if len(metas) != count:
        raise GraphError(f"the op has {count} outputs where its shape rule finds {len(metas)}")
    return [Meta(m.dtype, m.shape, m.value, lod, m.is_array) for m in metas] if lod else metas


def _shared_lod(schema: OpSchema, inputs: Mapping[str, Sequence[Meta]]) -> tuple[tuple[int, ...], ...]:
    metas = inputs.get(schema.lod or "")
    return metas[0].lod if metas else NO_LOD
