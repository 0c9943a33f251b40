"""The parts of a naive buffer: a header, the program, and the parameters.

| bytes | content                                                                                  |
|-------|------------------------------------------------------------------------------------------|
| 2     | the layout of the rest: 0 to 2                                                            |
| 16    | the version of Paddle-Lite, ended by a zero; the bytes after the zero mean nothing        |
| 8     | n, the size of the program                                                                |
| n     | the program: a FlatBuffer, in layout 0 a sequence of fields                               |
| rest  | the parameters                                                                            |

All numbers are little endian.  Source: ``model_parser.cc`` of Paddle-Lite 2.6 to 2.13.
"""

from __future__ import annotations

import struct

from lite.dataclass import dataclass
from lite.errors import ModelParseError

LAYOUTS = range(3)
HEADER = struct.Struct("<H16sQ")


@dataclass(frozen=True)
class Container:
    """The parts of a file; `engine` is the version of Paddle-Lite that wrote it."""

    layout: int
    engine: str
    program: memoryview
    parameters: memoryview


def engine_version(head: bytes) -> str | None:
    """The version of Paddle-Lite in the first `HEADER` bytes; None where they are not a naive buffer's."""
    if len(head) < HEADER.size:
        return None
    layout, padded, size = HEADER.unpack_from(head)
    text: bytes = padded.split(b"\0", 1)[0]
    if layout not in LAYOUTS or size == 0 or not text or not all(32 < byte < 127 for byte in text):
        return None
    return text.decode("ascii")


def open_container(content: memoryview) -> Container:
    """The parts of `content`; raises `ModelParseError` for a header that does not fit the file."""
    engine = engine_version(bytes(content[: HEADER.size]))
    if engine is None:
        raise ModelParseError(
            f"expected the header of a naive buffer: a layout from 0 to {LAYOUTS[-1]}, a version and the "
            "size of the program; the file is damaged or of another format"
        )
    layout, _, size = HEADER.unpack_from(content)
    available = len(content) - HEADER.size
    if size > available:
        raise ModelParseError(
            f"the program has {size} bytes, but only {available} follow the header; the file is cut short: "
            "copy it again"
        )
    return Container(layout, engine, content[HEADER.size : HEADER.size + size], content[HEADER.size + size :])
