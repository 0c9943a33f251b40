"""ProgramDesc of framework.proto to `Program`, without the weights."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from google.protobuf.message import DecodeError

from lite.errors import ModelParseError
from lite.ir.program import Block, Op, Program
from lite.model_parser.paddle.attributes import read_attributes
from lite.model_parser.paddle.files import check_is_program
from lite.model_parser.paddle.framework_pb2 import BlockDesc, OpDesc, OpVersionMap, ProgramDesc
from lite.model_parser.paddle.required_fields import check_required
from lite.model_parser.paddle.unknown_fields import has_unknown_fields, is_empty, without
from lite.model_parser.paddle.variables import read_var
from lite.plugin.format.blocks import check_blocks


def read_program(data: bytes, source: str) -> Program:
    """The program in `data`, a serialised ProgramDesc; `source` names it in messages.

    Raises `ModelParseError` that names the block, the op or variable, and the slot or attribute.
    """
    check_is_program(data, source)
    message = ProgramDesc()
    try:
        message.ParseFromString(data)
    except (DecodeError, UnicodeDecodeError) as error:
        raise ModelParseError(
            f"{source}: not a readable Paddle program ({len(data)} bytes): {error}; the file may be cut "
            "short or damaged: copy or export it again"
        ) from error
    check_required(message, source)
    has_unknown = has_unknown_fields(message)
    program = Program(source=source)
    program.blocks = [_read_block(block, has_unknown, source) for block in message.blocks]
    check_blocks(program)
    if message.version.HasField("version"):
        program.version = message.version.version
    if message.HasField("op_version_map"):
        program.op_versions = _read_versions(message.op_version_map, source)
    if has_unknown or (message.HasField("version") and program.version is None):
        program.extra = _program_extra(message)
    return program


def _read_block(message: BlockDesc, has_unknown: bool, source: str) -> Block:
    block = Block(message.idx, message.parent_idx)
    if message.HasField("forward_block_idx"):
        block.forward_block = message.forward_block_idx
    for desc in message.vars:
        try:
            var = read_var(desc, has_unknown)
            if var.name in block.vars:
                raise ModelParseError("the block has two variables of this name; names must be unique")
        except ModelParseError as error:
            raise ModelParseError(
                f"{source}: block {block.index}, variable {desc.name!r}: {error}"
            ) from error
        block.vars[var.name] = var
    for number, op in enumerate(message.ops):
        try:
            block.ops.append(_read_op(op, has_unknown))
        except ModelParseError as error:
            raise ModelParseError(
                f"{source}: block {block.index}, op {number} ({op.type}): {error}"
            ) from error
    if has_unknown:
        rest = without(message, "idx", "parent_idx", "forward_block_idx", "vars", "ops")
        block.extra = rest.SerializePartialToString()
    return block


def _read_op(message: OpDesc, has_unknown: bool) -> Op:
    op_type = message.type
    if isinstance(op_type, bytes):
        raise ModelParseError("the op's type is not UTF-8 text")
    op = Op(
        op_type,
        _read_slots(message.inputs, "input"),
        _read_slots(message.outputs, "output"),
        read_attributes(message.attrs, has_unknown),
    )
    if message.HasField("is_target"):
        op.is_target = message.is_target
    if has_unknown:
        op.extra = _op_extra(message)
    return op


def _read_slots(messages: Sequence[OpDesc.Var], side: str) -> dict[str, list[str]]:
    slots: dict[str, list[str]] = {}
    for message in messages:
        slot = message.parameter
        if slot in slots:
            raise ModelParseError(f"the {side} slot {slot!r} is given twice")
        names = message.arguments[:]
        # protobuf returns a string that is not UTF-8 as bytes.
        if isinstance(slot, bytes) or bytes in map(type, names):
            raise ModelParseError(f"the {side} slot {slot!r} holds text that is not UTF-8")
        slots[slot] = names
    return slots


def _op_extra(message: OpDesc) -> bytes:
    """Unknown fields of the op and its slots, and attributes of unknown type.

    The unknown fields of a slot are kept in another slot of the same name, without arguments.
    """
    rest = without(message, "type", "is_target", "inputs", "outputs", "attrs")
    rest.inputs.extend(_slot_extras(message.inputs))
    rest.outputs.extend(_slot_extras(message.outputs))
    rest.attrs.extend(attr for attr in message.attrs if not attr.HasField("type"))
    return rest.SerializePartialToString()


def _slot_extras(slots: Iterable[OpDesc.Var]) -> Iterable[OpDesc.Var]:
    for slot in slots:
        unknown = without(slot, "arguments", "parameter")
        if not is_empty(unknown):
            unknown.parameter = slot.parameter
            yield unknown


def _read_versions(message: OpVersionMap, source: str) -> dict[str, int]:
    versions: dict[str, int] = {}
    for pair in message.pair:
        if isinstance(pair.op_name, bytes) or pair.op_name in versions:
            raise ModelParseError(
                f"{source}: the op versions name {pair.op_name!r} twice, or not in UTF-8 text"
            )
        versions[pair.op_name] = pair.op_version.version
    return versions


def _program_extra(message: ProgramDesc) -> bytes:
    """Unknown fields of the program, its version and version map; those of a pair stay with the op's name."""
    rest = without(message, "blocks")
    if message.version.HasField("version"):
        rest.version.ClearField("version")
        if is_empty(rest.version):
            rest.ClearField("version")
    if message.HasField("op_version_map"):
        rest.op_version_map.ClearField("pair")
        for pair in message.op_version_map.pair:
            unknown = without(pair, "op_name")
            unknown.op_version.ClearField("version")
            if is_empty(unknown.op_version):
                unknown.ClearField("op_version")
            if not is_empty(unknown):
                unknown.op_name = pair.op_name
                rest.op_version_map.pair.append(unknown)
        if is_empty(rest.op_version_map):
            rest.ClearField("op_version_map")
    return rest.SerializePartialToString()
