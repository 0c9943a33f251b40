"""Lookups by computed indices."""

from __future__ import annotations

import math

from lite.emitters.c.loops import loops
from lite.emitters.c.movement import moved
from lite.plugin.emitter import Emission, EmitOp, emitter
from lite.plugin.emitter.emission import C_TYPES

_SLOTS = {"gather": ("X", "Index"), "take": ("X", "Index"), "lookup_table_v2": ("W", "Ids")}


@emitter("c", *_SLOTS)
def gather(op: EmitOp, out: Emission) -> str | None:
    """Slices of a tensor by index; an index out of range stops the run with LB_BAD_INDEX."""
    slot, index_slot = _SLOTS[op.op]
    x, ids, y = op[slot], op[index_slot], op.out()
    if x.dtype not in C_TYPES or ids.dtype not in C_TYPES:
        return f"elements of type {x.dtype} and {ids.dtype} are not supported"
    if ids.data is not None and x.data is None:
        return moved(op, out)
    if op.op == "lookup_table_v2" and op.integer("padding_idx") >= 0:
        return "a padding index is not supported"
    axis = op.integer("axis", 0) % max(x.rank, 1)
    outer, count, inner = math.prod(x.shape[:axis]), x.shape[axis], math.prod(x.shape[axis + 1 :])
    out.read(x, "x")
    out.read(ids, "ids")
    out.write(y, "y")
    out.fails = True
    out.code(
        *loops(
            [outer, ids.size],
            [
                f"const int64_t n = ids[i1] < 0 ? (int64_t)ids[i1] + {count} : (int64_t)ids[i1];",
                f"if (n < 0 || n >= {count}) return LB_BAD_INDEX;",
                f"const ptrdiff_t to = (i0 * {ids.size} + i1) * {inner};",
                f"memcpy(y + to, x + (i0 * {count} + n) * {inner}, {inner} * sizeof *y);",
            ],
        )
    )
    return None


@emitter("c", "gather_nd")
def gather_nd(op: EmitOp, out: Emission) -> str | None:
    """Slices by vectors of indices; see `gather`."""
    x, ids, y = op["X"], op["Index"], op.out()
    if x.dtype not in C_TYPES or ids.dtype not in C_TYPES or op.integer("batch_dims"):
        return f"elements of type {x.dtype} and {ids.dtype}, or batches, are not supported"
    if ids.data is not None and x.data is None:
        return moved(op, out)
    depth = ids.shape[-1]
    count, inner = ids.size // max(depth, 1), math.prod(x.shape[depth:])
    out.read(x, "x")
    out.read(ids, "ids")
    out.write(y, "y")
    out.fails = True
    body = ["int64_t at = 0;"]
    for n in range(depth):
        size = x.shape[n]
        body += [
            f"{{ int64_t k = ids[i0 * {depth} + {n}];",
            f"if (k < 0) k += {size};",
            f"if (k < 0 || k >= {size}) return LB_BAD_INDEX;",
            f"at = at * {size} + k; }}",
        ]
    body.append(f"memcpy(y + i0 * {inner}, x + at * {inner}, {inner} * sizeof *y);")
    out.code(*loops([count], body))
    return None
