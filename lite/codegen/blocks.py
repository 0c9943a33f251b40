"""C of loops and branches: a function that calls the function of the block, as often as it runs.

The block is written like a model: it has inputs, outputs, and an arena, which is scratch memory of the step.
"""

from __future__ import annotations

from collections.abc import Sequence

from lite.ir.graph import Node, Value
from lite.ir.types import DType
from lite.plugin.emitter import Emission, EmitValue

BLOCK_OPS = ("while", "conditional_block", "conditional_block_infer")
"""The ops that run a block."""

BLOCK = "@block"
"""Stands for the name of the block's function in the code of a step."""

_RUN = f"status = {BLOCK}(inputs, outputs, arena, weights); if (status) return status;"


def emit_block(node: Node, arena: int, out: Emission) -> str | None:
    """Write the step of a loop or branch whose block needs an arena of that many bytes.

    Raises `GraphError` for values of unknown shape.
    """
    out.fails = True
    return _while(node, arena, out) if node.op == "while" else _conditional(node, arena, out)


def _while(node: Node, arena: int, out: Emission) -> str | None:
    """The carried values are the outputs: the block reads them there, and its results are copied to them."""
    values = [*node.inputs["Condition"], *node.inputs.get("X", ())]
    carried = _carried(node)
    [block] = node.blocks
    results = node.outputs["Out"]
    if not carried or len(results) != carried:
        return f"it carries {carried} of its {len(results)} outputs"
    for given, result, inner in zip(values, results, block.results, strict=False):
        if not _is_like(given, result) or not _is_like(given, inner):
            return f"{given.label} changes from {EmitValue(given)} to {EmitValue(inner)} in the loop"
    if EmitValue(values[0]).size != 1:
        return f"its condition is {EmitValue(values[0])}, not one element"
    sizes = [EmitValue(each).bytes for each in results]
    _read(values, out)
    _write(results, out)
    for number, size in enumerate(sizes):
        out.scratch(size, f"next{number}", DType.UINT8)
    _memory(arena, out)
    arguments = [f"{'y' if n < carried else 'x'}{n}" for n in range(len(values))]
    out.code(
        *(f"memcpy(y{n}, x{n}, {size});" for n, size in enumerate(sizes)),
        _pointers("const void *const inputs", arguments),
        _pointers("void *const outputs", [f"next{n}" for n in range(carried)]),
        "int status;",
        "while (*y0) {",
        _RUN,
        *(f"memcpy(y{n}, next{n}, {size});" for n, size in enumerate(sizes)),
        "}",
    )
    return None


def _conditional(node: Node, arena: int, out: Emission) -> str | None:
    """Without the condition, carried values are copied, and other outputs are left as they are."""
    [condition, *more] = node.inputs["Cond"]
    values, results = node.inputs.get("Input", ()), node.outputs.get("Out", ())
    carried = _carried(node)
    [block] = node.blocks
    if more or not node.attrs.get("is_scalar_condition") or EmitValue(condition).size != 1:
        return "its condition is not one element"
    for result, inner in zip(results, block.results, strict=True):
        if not _is_like(result, inner):
            return f"{result.label} is {EmitValue(result)}, but the block computes {EmitValue(inner)}"
    for given, result in zip(values[:carried], results, strict=False):
        if not _is_like(given, result):
            return f"{result.label} is {EmitValue(result)} with the condition and {EmitValue(given)} without"
    for result in results[carried:]:
        reader = next((user.op for user in result.users if user.op != "select_input"), None)
        if reader is not None or result.is_result:
            return f"{result.label} may not exist, but {reader or 'the program'} reads it"
    out.read(EmitValue(condition), "condition")
    _read(values, out)
    _write(results, out)
    _memory(arena, out)
    out.code(
        _pointers("const void *const inputs", [f"x{n}" for n in range(len(values))]),
        _pointers("void *const outputs", [f"y{n}" for n in range(len(results))]),
        "int status;",
        "if (*condition) {",
        _RUN,
        "} else {",
        *(f"memcpy(y{n}, x{n}, {EmitValue(value).bytes});" for n, value in enumerate(values[:carried])),
        "}",
    )
    return None


def _carried(node: Node) -> int:
    count = node.attrs.get("carried", 0)
    return count if isinstance(count, int) else 0


def _is_like(first: Value, second: Value) -> bool:
    one, other = EmitValue(first), EmitValue(second)
    return (one.dtype, one.shape) == (other.dtype, other.shape)


def _read(values: Sequence[Value], out: Emission) -> None:
    for number, value in enumerate(values):
        out.read(EmitValue(value), f"x{number}")


def _write(values: Sequence[Value], out: Emission) -> None:
    for number, value in enumerate(values):
        out.write(EmitValue(value), f"y{number}")


def _memory(arena: int, out: Emission) -> None:
    out.scratch(arena, "arena", DType.UINT8)
    out.all_weights("weights")


def _pointers(declared: str, names: Sequence[str]) -> str:
    return f"{declared}[] = {{{', '.join([*names, '0'])}}};"
