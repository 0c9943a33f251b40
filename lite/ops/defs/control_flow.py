"""Ops with sub-blocks.  The executor runs them; `lite/ir/build.py` tells how their values pair up."""

from __future__ import annotations

from lite.ops.schema import op
from lite.ops.view import Inferred, OpView


def _by_blocks(_: OpView) -> Inferred:
    """Only running the sub-block tells."""
    return {}


op("while", "Condition:bool X?*", "Out*", _by_blocks, attrs={"carried": 0}, control_flow=True)
for _name in ("conditional_block", "conditional_block_infer"):
    op(
        _name,
        "Cond?* Input?*",
        "Out?*",
        _by_blocks,
        attrs={"carried": 0, "is_scalar_condition": False},
        control_flow=True,
    )
op(
    "subgraph",
    "Inputs?*",
    "Outputs*",
    _by_blocks,
    attrs={"device": "", "region": 0},
    control_flow=True,
)
