"""Program → ProgramDesc, without the weights: the inverse of `read_program`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from google.protobuf.internal.containers import RepeatedCompositeFieldContainer
from google.protobuf.message import DecodeError, EncodeError, Message

from lite.errors import ModelParseError
from lite.ir.program import Block, Op, Program
from lite.model_parser.paddle.framework_pb2 import BlockDesc, OpDesc, ProgramDesc
from lite.model_parser.paddle.write_attribute import write_attribute
from lite.model_parser.paddle.write_var import write_var

M = TypeVar("M", bound=Message)


def write_program(program: Program) -> bytes:
    """The bytes of the program; raises `ModelParseError` naming the op or variable that has no wire form."""
    message = ProgramDesc()
    for block in program.blocks:
        _write_block(message.blocks.add(), block, program.source)
    try:
        if program.version is not None:
            message.version.version = program.version
        if program.op_versions is not None:
            message.op_version_map.SetInParent()
            for name, version in program.op_versions.items():
                pair = message.op_version_map.pair.add(op_name=name)
                pair.op_version.version = version
        if program.extra:
            message.MergeFromString(program.extra)
            count = len(program.op_versions or ())
            _join(message.op_version_map.pair, count, lambda pair: pair.op_name)
        # Partial: attributes whose type number is newer than ours read as if they had none.
        return message.SerializePartialToString()
    except (TypeError, ValueError, DecodeError, EncodeError) as error:
        raise ModelParseError(f"{program.source}: the program cannot be written: {error}") from error


def _write_block(message: BlockDesc, block: Block, source: str) -> None:
    where = f"{source}: block {block.index}"
    try:
        message.idx = block.index
        message.parent_idx = block.parent
        if block.forward_block is not None:
            message.forward_block_idx = block.forward_block
        for name, var in block.vars.items():
            where = f"{source}: block {block.index}, variable {name!r}"
            if name != var.name:
                raise ModelParseError(f"it is filed under another name than its own, {var.name!r}")
            write_var(message.vars.add(), var)
        for number, op in enumerate(block.ops):
            where = f"{source}: block {block.index}, op {number} ({op.type})"
            _write_op(message.ops.add(), op)
        where = f"{source}: block {block.index}"
        if block.extra:
            message.MergeFromString(block.extra)
    except (ModelParseError, TypeError, ValueError, DecodeError) as error:
        raise ModelParseError(f"{where}: {error}") from error


def _write_op(message: OpDesc, op: Op) -> None:
    message.type = op.type
    if op.is_target is not None:
        message.is_target = op.is_target
    _write_slots(message.inputs, op.inputs)
    _write_slots(message.outputs, op.outputs)
    for name, attr in op.attrs.items():
        write_attribute(message.attrs.add(), name, attr)
    if op.extra:
        message.MergeFromString(op.extra)
        _join(message.inputs, len(op.inputs), lambda slot: slot.parameter)
        _join(message.outputs, len(op.outputs), lambda slot: slot.parameter)


def _write_slots(
    message: RepeatedCompositeFieldContainer[OpDesc.Var], slots: Mapping[str, Sequence[str]]
) -> None:
    for slot, names in slots.items():
        if isinstance(names, str):
            raise ModelParseError(f"the slot {slot!r} holds the text {names!r}, expected a list of names")
        message.add(parameter=slot, arguments=names)


def _join(items: RepeatedCompositeFieldContainer[M], count: int, key: Callable[[M], str]) -> None:
    """Merge what `extra` appended behind the first `count` items into those of the same key.

    What belongs to an item that a pass took away goes with it.
    """
    if len(items) == count:
        return
    rest = list(items)[count:]
    del items[count:]
    home = {key(item): item for item in items}
    for left in rest:
        if key(left) in home:
            home[key(left)].MergeFrom(left)
