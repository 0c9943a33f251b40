"""An optimised program of Paddle-Lite as a program of Paddle's ops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lite.errors import ModelParseError
from lite.ir.fresh_names import FreshNames
from lite.ir.program import Attribute, AttrType, Block, Op, Program, Var, VarKind
from lite.ir.types import DType
from lite.model_parser.paddlelite_nb.fused import expand_fused
from lite.model_parser.paddlelite_nb.moves import expand_move
from lite.model_parser.paddlelite_nb.quantised import on_real_numbers, quantise, restore_stored_weights
from lite.model_parser.paddlelite_nb.recorded_kernel import ATTRIBUTE, recorded_kernel
from lite.model_parser.paddlelite_nb.rewriter import Rewriter
from lite.plugin.format.blocks import check_blocks


def refuse_device_ops(program: Program) -> None:
    """Raise `ModelParseError` for an op that only one device has: its file lacks what the host would need."""
    for block in program.blocks:
        for number, op in enumerate(block.ops):
            if op.type.startswith("__xpu__"):
                raise ModelParseError(
                    f"block {block.index}, op {number} ({op.type}): this op runs on Kunlun chips (XPU) only; "
                    "load the Paddle model that the file was made from, or convert that one for ARM or x86"
                )


def translate(program: Program) -> None:
    """Replace the ops of the program by Paddle's; raises `ModelParseError`."""
    _number_blocks(program)
    check_blocks(program)
    _share_variables(program)
    _declare_weights(program)
    # New variables are declared in the first block.
    inner = {name for block in program.blocks[1:] for name in block.vars}
    first, weights = program.blocks[0].vars, program.weights
    names = FreshNames(lambda name: name in first or name in inner or name in weights, "_")
    for block in program.blocks:
        rewriter = Rewriter(program, names)
        for number, op in enumerate(block.ops):
            try:
                _add(op, rewriter)
            except ModelParseError as error:
                raise ModelParseError(f"block {block.index}, op {number} ({op.type}): {error}") from error
        block.ops = rewriter.ops
    check_blocks(program)


def _declare_weights(program: Program) -> None:
    """Give parameters the type that the file stores, which may be quantised; raises if one is missing."""
    main = program.blocks[0]
    for name, var in main.vars.items():
        weight = program.weights.get(name)
        if weight is not None:
            array = weight.array
            main.vars[name] = replace(var, dtype=DType.from_numpy(array.dtype), shape=array.shape)
        elif var.persistable and var.kind is VarKind.TENSOR:
            raise ModelParseError(
                f"the parameter {name!r} is missing; the file is cut short or damaged: copy it again"
            )


def _number_blocks(program: Program) -> None:
    """Number the blocks by their position, as ops name them: ``opt`` leaves other numbers in regions."""
    for position, block in enumerate(program.blocks):
        block.index = position
        if position and block.parent == -1:
            block.parent = 0


def _share_variables(program: Program) -> None:
    """Keep the declarations that are true of all values of a variable.

    ``opt`` gives the memory of dead values to others by using their names, so the declared type of a variable
    is that of one of its values.  And all blocks share one scope: a name that an outer block declares, too,
    is the same variable.
    """
    fed = {name for op in program.blocks[0].ops if op.type == "feed" for name in op.outputs.get("Out", ())}
    for block in program.blocks:
        outer = {name for parent in _parents(program, block) for name in parent.vars}
        block.vars = {
            name: var if _is_true(var, fed) else replace(var, dtype=None, shape=None, lod_level=None)
            for name, var in block.vars.items()
            if name not in outer
        }


def _is_true(var: Var, fed: set[str]) -> bool:
    return var.kind is not VarKind.TENSOR or bool(var.persistable) or var.name in fed


def _parents(program: Program, block: Block) -> Iterator[Block]:
    seen = {block.index}
    while 0 <= block.parent < len(program.blocks) and block.parent not in seen:
        block = program.blocks[block.parent]
        seen.add(block.index)
        yield block


def _add(op: Op, rewriter: Rewriter) -> None:
    """Write one op, or those that it stands for."""
    kernel = recorded_kernel(op)
    op.attrs.pop(ATTRIBUTE, None)
    block = op.attrs.get("sub_block")
    if block is not None:
        op.attrs["sub_block"] = Attribute(AttrType.BLOCK, block.value)  # the file has an INT
    restore_stored_weights(op, rewriter)
    if expand_move(op, kernel.alias, rewriter):
        return
    roundings = on_real_numbers(op, kernel, rewriter) if kernel.is_int8 else []
    moves_integers = roundings is None and any(map(rewriter.quantised.__contains__, _names(op.inputs)))
    expand_fused(op, rewriter)
    for name in _names(op.outputs):
        (rewriter.quantised.add if moves_integers else rewriter.quantised.discard)(name)
    for rounding in roundings or ():
        quantise(rounding.real, rounding.name, rounding.scale, rewriter)


def _names(slots: dict[str, list[str]]) -> list[str]:
    return [name for names in slots.values() for name in names]
