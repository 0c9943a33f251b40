"""The axes of reductions."""

from __future__ import annotations

from lite.ir.program import AttrValue
from lite.model_parser.pnnx.call import Call


def reduction_attrs(call: Call) -> dict[str, AttrValue]:
    """The attributes of a reduction, which without ``dim`` spans all axes."""
    if not call.has("dim"):
        return {"dim": [0], "reduce_all": True, "keep_dim": call.flag("keepdim", False)}
    return {"dim": list(call.axes("dim", call.x)), "keep_dim": call.flag("keepdim", False)}
