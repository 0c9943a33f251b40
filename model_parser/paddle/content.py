"""What bytes are, told by their beginning: a program, a parameter stream, a PIR program."""

from __future__ import annotations

import enum

from lite.errors import ModelParseError
from lite.model_parser.paddle.tensor_stream import Buffer, read_header

PREFIX = 4096
"""This many bytes from the beginning are enough to tell."""

_BLOCK = 0x0A  # ProgramDesc.blocks
_IDX, _PARENT_IDX = 0x08, 0x10  # BlockDesc.idx, BlockDesc.parent_idx


class Content(enum.Enum):
    """What the beginning of a file or buffer looks like."""

    EMPTY = "is empty"
    PROGRAM = "is a Paddle program"
    PARAMS = "is a Paddle parameter stream"
    PIR = "is a PIR program in JSON"
    OTHER = "is neither a Paddle program nor a parameter stream"


def tell(prefix: Buffer) -> Content:
    """The kind of the content that begins with `prefix` (all of it, or its first `PREFIX` bytes)."""
    if len(prefix) == 0:
        return Content.EMPTY
    if _is_pir(prefix):
        return Content.PIR
    if _is_program(prefix):
        return Content.PROGRAM
    return Content.PARAMS if _is_stream(prefix) else Content.OTHER


def _is_pir(prefix: Buffer) -> bool:
    text = prefix[:PREFIX].lstrip(b"\xef\xbb\xbf \t\r\n")
    return text.startswith(b"{") and b'"base_code"' in text


def _is_program(prefix: Buffer) -> bool:
    """Every serialiser writes the first block first, and its index and parent before all else."""
    if prefix[0] != _BLOCK:
        return False
    position = _skip_varint(prefix, 1)
    for tag in (_IDX, _PARENT_IDX):
        if position >= len(prefix):
            return position > 1 and len(prefix) < PREFIX
        if prefix[position] != tag:
            return False
        position = _skip_varint(prefix, position + 1)
    return True


def _skip_varint(prefix: Buffer, position: int) -> int:
    while position < len(prefix) and prefix[position] & 0x80:
        position += 1
    return position + 1


def _is_stream(prefix: Buffer) -> bool:
    try:
        read_header(prefix, 0)
    except ModelParseError:
        return False
    return True
