"""ProgramDesc → Program, without the weights."""

from __future__ import annotations

from google.protobuf.message import DecodeError

from lite.errors import ModelParseError
from lite.ir.program import AttrType, Block, Program
from lite.model_parser.paddle.content import Content, tell
from lite.model_parser.paddle.framework_pb2 import BlockDesc, OpVersionMap, ProgramDesc
from lite.model_parser.paddle.leftover import is_empty
from lite.model_parser.paddle.missing_fields import check_required
from lite.model_parser.paddle.read_op import read_op
from lite.model_parser.paddle.read_var import read_var


def read_program(data: bytes, source: str) -> Program:
    """The program that `data` says; `source` names it in messages, which all are `ModelParseError`."""
    check_content(tell(data), source)
    message = ProgramDesc()
    try:
        message.ParseFromString(data)
    except (DecodeError, UnicodeDecodeError) as error:
        raise ModelParseError(
            f"{source}: not a readable Paddle program ({len(data)} bytes): {error}; the file may be cut "
            "short or damaged: copy or export it again"
        ) from error
    check_required(message, source)
    unknown = _has_unknown(message)
    program = Program(source=source)
    program.blocks = [_read_block(block, unknown, source) for block in message.blocks]
    _check_blocks(program)
    if message.version.HasField("version"):
        program.version = message.version.version
    if message.HasField("op_version_map"):
        program.op_versions = _read_versions(message.op_version_map, source)
    if unknown or (message.HasField("version") and program.version is None):
        program.extra = _program_rest(message)
    return program


def check_content(content: Content, source: str) -> None:
    """Raise `ModelParseError` for what is plainly no program, before all of it is read."""
    if content is Content.PROGRAM or content is Content.OTHER:
        return  # protobuf may be able to say more about OTHER
    advice = {
        Content.EMPTY: "copy or export the model again",
        Content.PARAMS: "were the model and params files swapped?",
        Content.PIR: "PIR programs are not read; export the classic form (*.pdmodel) by setting the "
        "environment variable FLAGS_enable_pir_api=0 before saving the model",
    }
    raise ModelParseError(f"{source}: {content.value}, expected a Paddle program; {advice[content]}")


def _has_unknown(message: ProgramDesc) -> bool:
    """Whether there are unknown fields at any level; nearly all files have none."""
    if not message.IsInitialized():
        return True  # type numbers that we do not know, as `check_required` let it pass
    known = ProgramDesc()
    known.CopyFrom(message)
    known.DiscardUnknownFields()
    return known.ByteSize() != message.ByteSize()


def _read_block(message: BlockDesc, unknown: bool, source: str) -> Block:
    block = Block(message.idx, message.parent_idx)
    if message.HasField("forward_block_idx"):
        block.forward_block = message.forward_block_idx
    for desc in message.vars:
        try:
            var = read_var(desc, unknown)
            if var.name in block.vars:
                raise ModelParseError("the block has two variables of this name; names must be unique")
        except ModelParseError as error:
            raise ModelParseError(
                f"{source}: block {block.index}, variable {desc.name!r}: {error}"
            ) from error
        block.vars[var.name] = var
    for number, op in enumerate(message.ops):
        try:
            block.ops.append(read_op(op, unknown))
        except ModelParseError as error:
            raise ModelParseError(
                f"{source}: block {block.index}, op {number} ({op.type}): {error}"
            ) from error
    if unknown:
        rest = BlockDesc()
        rest.CopyFrom(message)
        for field in ("idx", "parent_idx", "forward_block_idx", "vars", "ops"):
            rest.ClearField(field)
        block.extra = rest.SerializePartialToString()
    return block


def _check_blocks(program: Program) -> None:
    blocks = program.blocks
    if not blocks:
        raise ModelParseError(f"{program.source}: the program has no block; export the model again")
    for position, block in enumerate(blocks):
        if block.index != position:
            raise ModelParseError(
                f"{program.source}: the block at position {position} says its index is {block.index}"
            )
        if not -1 <= block.parent < len(blocks):
            raise ModelParseError(
                f"{program.source}: block {position} has the parent {block.parent}, expected -1 to "
                f"{len(blocks) - 1}"
            )
    _check_parents(program)
    for block in blocks:
        for number, op in enumerate(block.ops):
            for name, attr in op.attrs.items():
                if attr.type is not AttrType.BLOCK and attr.type is not AttrType.BLOCKS:
                    continue
                for index in attr.value if isinstance(attr.value, list) else [attr.value]:
                    if not (isinstance(index, int) and 0 <= index < len(blocks)):
                        raise ModelParseError(
                            f"{program.source}: block {block.index}, op {number} ({op.type}): the attribute "
                            f"{name!r} names block {index}, expected 0 to {len(blocks) - 1}"
                        )


def _check_parents(program: Program) -> None:
    """Every chain of parents must end; a block is walked once, so long chains cost no more."""
    ended = {-1}
    for block in program.blocks:
        chain: dict[int, None] = {}
        index = block.index
        while index not in ended:
            if index in chain:
                raise ModelParseError(
                    f"{program.source}: the blocks {[*chain, index]} are parents of one another in a circle"
                )
            chain[index] = None
            index = program.blocks[index].parent
        ended.update(chain)


def _read_versions(message: OpVersionMap, source: str) -> dict[str, int]:
    versions: dict[str, int] = {}
    for pair in message.pair:
        if isinstance(pair.op_name, bytes) or pair.op_name in versions:
            raise ModelParseError(
                f"{source}: the op versions name {pair.op_name!r} twice, or not in UTF-8 text"
            )
        versions[pair.op_name] = pair.op_version.version
    return versions


def _program_rest(message: ProgramDesc) -> bytes:
    """Unknown fields of the program, its version and version map; a pair's stay with the op's name."""
    rest = ProgramDesc()
    rest.CopyFrom(message)
    rest.ClearField("blocks")
    if message.version.HasField("version"):
        rest.version.ClearField("version")
        if is_empty(rest.version):
            rest.ClearField("version")
    if message.HasField("op_version_map"):
        rest.op_version_map.ClearField("pair")
        for pair in message.op_version_map.pair:
            left = OpVersionMap.OpVersionPair()
            left.CopyFrom(pair)
            left.ClearField("op_name")
            left.op_version.ClearField("version")
            if is_empty(left.op_version):
                left.ClearField("op_version")
            if not is_empty(left):
                left.op_name = pair.op_name
                rest.op_version_map.pair.append(left)
        if is_empty(rest.op_version_map):
            rest.ClearField("op_version_map")
    return rest.SerializePartialToString()
