"""Run an op's shape rule: check slots and attributes, then infer dtypes and shapes."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

from lite.errors import GraphError, suggest
from lite.ir.program import AttrValue
from lite.ir.types import NO_LOD, UNKNOWN, Dim, Lod
from lite.ops.schema import OpSchema
from lite.ops.view import Inferred, Meta, OpView, UnknownRank

_MAX_RANK = 7
"""The highest rank that is tried for a tensor of unknown rank."""


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
    unknown shapes; a slot whose dtype is unknown, too, is missing from the result.  Outputs have the LoD
    of the input that the schema names.

    Raises `GraphError` naming op and slot for dtypes and ranks that do not fit, and for errors of the rule;
    and naming op and inputs where the rule fails for them or infers a negative size.
    """
    for name, metas in inputs.items():
        for meta in metas:
            reason = schema.inputs[name].why_not(meta)
            if reason is not None:
                raise GraphError(f"{schema.name}: slot {name}: {reason}")
    inferred: Inferred
    try:
        inferred = schema.infer(OpView(schema.name, inputs, attrs))
    except UnknownRank:
        inferred = _without_shapes(schema, inputs, attrs, outputs)
    except (LookupError, ArithmeticError, TypeError, ValueError) as error:
        raise GraphError(f"{_call(schema, inputs)} cannot be inferred: {error}") from error
    by_slot = {next(iter(schema.outputs)): inferred} if isinstance(inferred, Meta) else inferred
    lod = _shared_lod(schema, inputs)
    by_output = {
        slot: _metas(by_slot[slot], count, lod) for slot, count in outputs.items() if slot in by_slot
    }
    for slot, metas in by_output.items():
        for meta in metas:
            for dim in meta.shape or ():
                if isinstance(dim, int) and dim < 0:
                    raise GraphError(f"{_call(schema, inputs)}: its output {slot} would be {meta}")
    return by_output


def _call(schema: OpSchema, inputs: Mapping[str, Sequence[Meta]]) -> str:
    slots = (f"{slot}={', '.join(map(str, metas))}" for slot, metas in inputs.items())
    return f"{schema.name}({', '.join(slots)})"


def _without_shapes(
    schema: OpSchema,
    inputs: Mapping[str, Sequence[Meta]],
    attrs: Mapping[str, AttrValue],
    outputs: Mapping[str, int],
) -> Mapping[str, Sequence[Meta]]:
    """The dtypes of the outputs where a rank is unknown; empty where no rank fits.

    A dtype does not depend on a rank or size: the rule is run with some that it accepts.
    """
    sizes: Sequence[Dim] = (UNKNOWN, 1)
    for size, rank in itertools.product(sizes, range(_MAX_RANK + 1)):
        trial = {slot: [_with_rank(meta, rank, size) for meta in metas] for slot, metas in inputs.items()}
        try:
            inferred = schema.infer(OpView(schema.name, trial, attrs))
        except (GraphError, UnknownRank, LookupError, ArithmeticError, TypeError, ValueError):
            continue
        by_slot = {next(iter(schema.outputs)): inferred} if isinstance(inferred, Meta) else inferred
        return {slot: _shapeless(found, outputs.get(slot, 0)) for slot, found in by_slot.items()}
    return {}


def _shapeless(inferred: Meta | Sequence[Meta], count: int) -> list[Meta]:
    """The metas of a slot without shapes; all of one type where their number depends on a size."""
    metas = [replace(meta, shape=None, value=None) for meta in _listed(inferred)]
    return metas if len(metas) == count or not metas else metas[:1] * count


def _with_rank(meta: Meta, rank: int, size: Dim) -> Meta:
    """A tensor of `rank` where its own is unknown; `size` replaces unknown sizes."""
    if meta.is_array:
        return meta
    shape = (UNKNOWN,) * rank if meta.shape is None else meta.shape
    return replace(meta, shape=tuple(dim if isinstance(dim, int) else size for dim in shape))


def _listed(inferred: Meta | Sequence[Meta]) -> list[Meta]:
    return [inferred] if isinstance(inferred, Meta) else list(inferred)


def _metas(inferred: Meta | Sequence[Meta], count: int, lod: Lod) -> list[Meta]:
    metas = _listed(inferred)
    if len(metas) != count:
        raise GraphError(f"expected {len(metas)} outputs by the shape rule, got {count}")
    return [Meta(m.dtype, m.shape, m.value, lod, m.is_array) for m in metas] if lod else metas


def _shared_lod(schema: OpSchema, inputs: Mapping[str, Sequence[Meta]]) -> Lod:
    metas = inputs.get(schema.lod or "")
    return metas[0].lod if metas else NO_LOD
