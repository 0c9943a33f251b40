"""The targets of generated source code: how weights are stored, and the files of the folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from lite.dataclass import dataclass


@dataclass(frozen=True)
class Board:
    """A board that QEMU has: the compiler's flags for its processor, and addresses and sizes of its memory.

    `table` is the address of the vector table.
    """

    name: str
    cpu: str
    table: str
    rom: str
    rom_bytes: str
    ram: str
    ram_bytes: str


_M3 = "-mcpu=cortex-m3 -mfloat-abi=soft"
_M4 = "-mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard"
_M55 = "-mcpu=cortex-m55 -mfloat-abi=hard"

BOARDS = (
    Board("mps2-an385", _M3, "0x0", "0x40", "4M-64", "0x20000000", "4M"),
    Board("mps2-an386", _M4, "0x0", "0x40", "4M-64", "0x20000000", "4M"),
    Board("mps3-an547", _M55, "0x0", "0x01000000", "2M", "0x21000000", "4M"),
    Board("lm3s6965evb", _M3, "0x0", "0x40", "256K-64", "0x20000000", "64K"),
    Board("netduinoplus2", _M4, "0x08000000", "0x08000040", "1M-64", "0x20000000", "128K"),
)


@dataclass(frozen=True)
class Target:
    """A target: weights are padded to multiples of `vector` floats and aligned to `alignment` bytes.

    `files` maps the names of the folder's files to their templates; a file that is not a template is copied.
    `vector` is a multiple of the widest vectors that the generated code uses there.  With `library`, the
    export compiles ``libNAME.so``; with `stripes`, layers that need much memory run in stripes.
    """

    vector: int
    alignment: int
    files: Mapping[str, str] = field(default_factory=dict)
    library: bool = False
    stripes: bool = False


_MODEL = {name: f"{name}.j2" for name in ("model.c", "model.h", "weights.c")}
_EXAMPLE = {name: f"{name}.j2" for name in ("main.c", "Makefile", "CMakeLists.txt", "README.md")}
_BOARD = {
    **{name: f"cortex_m/{name}.j2" for name in ("main.c", "Makefile", "README.md")},
    **{name: f"cortex_m/{name}" for name in ("start.c", "semihosting.h", "board.ld.in")},
}

_LIBRARY = {
    **{
        name: f"shared/{name}.j2"
        for name in ("library.c", "example.c", "example.py", "Makefile", "README.md")
    },
    "litebridge.h": "shared/litebridge.h",
}

TARGETS = {
    "c": Target(16, 64, {**_MODEL, **_EXAMPLE}),
    "shared": Target(16, 64, {**_MODEL, **_LIBRARY}, library=True),
    "cortex-m": Target(4, 16, {**_MODEL, **_BOARD}, stripes=True),
}
"""The targets by the name that users give."""
