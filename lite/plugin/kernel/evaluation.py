"""Run one op on arrays, outside any plan: constant folding and tests use it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lite.dataclass import dataclass
from lite.errors import ExecutionError, LiteError
from lite.ir.program import AttrValue
from lite.ir.types import NO_LOD, DType, Lod
from lite.ops import Meta, OpSchema, check_slots, get_schema, infer
from lite.plugin.kernel.fallback import host_kernel
from lite.plugin.kernel.kernels import KERNEL_ERRORS
from lite.plugin.kernel.tensor_array import is_tensor_array


@dataclass(frozen=True)
class Result:
    """One output of an op: an array (a list for a tensor array, None when absent) and its LoD."""

    array: Any
    lod: Lod = NO_LOD


def evaluate(
    op: str,
    inputs: Mapping[str, Sequence[Any]],
    attrs: Mapping[str, AttrValue],
    outputs: Mapping[str, int],
    lods: Mapping[str, Sequence[Lod]] | None = None,
) -> dict[str, list[Result]]:
    """The outputs of a canonical op by slot; `outputs` are the numbers of values by slot.

    `inputs` are arrays or, for tensor arrays, lists of arrays.

    Raises `GraphError` for an invalid op and `ExecutionError` when its kernel fails.
    """
    schema = get_schema(op)
    check_slots(schema, {s: len(v) for s, v in inputs.items()}, outputs)
    values = schema.attr_values(attrs)
    metas = {
        slot: [
            _meta(array, lods[slot][n] if lods and slot in lods else NO_LOD) for n, array in enumerate(arrays)
        ]
        for slot, arrays in inputs.items()
    }
    inferred = infer(schema, metas, values, outputs)
    kernel = host_kernel(op)
    keywords = kernel.keywords(values)
    if kernel.takes_lods:
        keywords["lods"] = {slot: [meta.lod for meta in found] for slot, found in metas.items()}
    if kernel.takes_metas:
        keywords["metas"] = inferred
    arguments = [slot_argument(schema, slot, inputs.get(slot, ())) for slot in kernel.slots]
    try:
        returned = kernel.run(*arguments, **keywords)
    except LiteError:
        raise
    except KERNEL_ERRORS as error:
        described = ", ".join(f"{slot}={[str(m) for m in found]}" for slot, found in metas.items())
        raise ExecutionError(f"{op}: its host kernel failed on {described}: {error}") from error
    found_lods: Mapping[str, Sequence[Lod]] = {}
    if kernel.takes_lods:
        returned, found_lods = returned
    arrays = outputs_by_slot(schema, returned, outputs)
    return {
        slot: [
            Result(array, found_lods[slot][n] if slot in found_lods else inferred[slot][n].lod)
            for n, array in enumerate(arrays[slot])
        ]
        for slot in outputs
    }


def _meta(value: Any, lod: Lod) -> Meta:
    if not is_tensor_array(value):
        return Meta.of(value, lod)
    dtype = DType.from_numpy(value[0].dtype) if value else DType.FLOAT32
    return Meta(dtype, None, lod=lod, is_array=True)


def slot_argument(schema: OpSchema, slot: str, values: Sequence[Any]) -> Any:
    """The argument of a kernel for a slot: the value, a list for a repeated slot, None for an absent one."""
    if schema.inputs[slot].repeated:
        return list(values) if values else None
    return values[0] if values else None


def outputs_by_slot(schema: OpSchema, returned: Any, outputs: Mapping[str, int]) -> dict[str, list[Any]]:
    """A kernel's results by slot, for the slots that the op has; raises `ExecutionError` on a mismatch."""
    parts = [returned] if len(schema.outputs) == 1 else list(returned)
    by_slot: dict[str, list[Any]] = {}
    for slot, part in zip(schema.outputs, parts, strict=False):
        if slot in outputs:
            by_slot[slot] = list(part) if schema.outputs[slot].repeated else [part]
    for slot, count in outputs.items():
        found = len(by_slot.get(slot, ()))
        if found != count:
            raise ExecutionError(
                f"{schema.name}: output {slot} has {count} values, its kernel returned {found}"
            )
    return by_slot
