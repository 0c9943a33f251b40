"""The values between the ops of a model, for runs in which no op is fused and all of them are results."""

from __future__ import annotations

from lite.config import Config
from lite.io.load import load_program
from lite.ir.program import VarKind


def inner_values(config: Config) -> tuple[str, ...]:
    """The variables of the main block that one op writes and another reads, for `Config.keep`.

    A region then has them as results: the device compiles it for this purpose, perhaps in several parts.
    """
    block = load_program(config).blocks[0]
    kinds = {name: var.kind for name, var in block.vars.items()}
    written: set[str] = set()
    found: dict[str, None] = {}
    for op in block.ops:
        for names in op.inputs.values():
            found.update((name, None) for name in names if name in written)
        if op.type != "feed":
            written.update(name for names in op.outputs.values() for name in names)
    return tuple(name for name in found if kinds.get(name) is VarKind.TENSOR)
