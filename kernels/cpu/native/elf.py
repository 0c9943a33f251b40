"""Links an object file for Linux on x86-64 into memory.

ELF-64 and its relocations as in the "System V Application Binary Interface, AMD64 Architecture Processor
Supplement", sections 4.3 and 4.4.
"""

from __future__ import annotations

import ctypes
import mmap
import struct
import sys
from collections.abc import Callable

from lite.dataclass import dataclass

_ELF64_LITTLE = b"\x7fELF\x02\x01"
_X86_64 = 62
_SYMBOLS, _RELOCATIONS, _NO_BITS, _SHORT_RELOCATIONS = 2, 4, 8, 9
_WRITE, _ALLOC = 1, 2
_UNDEFINED, _RESERVED = 0, 0xFF00
_ABS64, _PC64 = 1, 24


@dataclass(frozen=True)
class _Section:
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int


@dataclass(frozen=True)
class _Symbol:
    name: str
    section: int
    value: int


def load_elf(content: bytes, symbol: str) -> int | None:
    """The address of a function after loading; None for another system, or a file with unsupported parts."""
    if sys.platform != "linux" or not content.startswith(_ELF64_LITTLE):
        return None
    if struct.unpack_from("<H", content, 18)[0] != _X86_64:
        return None
    return _Image(content).load(symbol)


class _Image:
    """The sections of a file that are loaded, their places in memory, and the symbols they need from libc."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        (table,) = struct.unpack_from("<Q", content, 40)
        size, count = struct.unpack_from("<HH", content, 58)
        self.sections = [
            _Section(*struct.unpack_from("<IIQQQQIIQQ", content, table + n * size)) for n in range(count)
        ]
        self.places: dict[int, int] = {}
        self.size = 0
        for n, section in enumerate(self.sections):
            if section.flags & _ALLOC:
                alignment = max(section.alignment, 1)
                self.places[n] = -(-self.size // alignment) * alignment
                self.size = self.places[n] + section.size
        self.symbols = [
            symbol
            for section in self.sections
            if section.kind == _SYMBOLS
            for symbol in self._symbols(section)
        ]
        self.imports: dict[str, int] = {}

    def load(self, name: str) -> int | None:
        if any(self._is_variable(each) for each in self.sections):
            return None
        libc = ctypes.CDLL(None)
        for each in self.symbols:
            if each.section == _UNDEFINED and each.name:
                if not hasattr(libc, each.name):
                    return None
                self.imports[each.name] = ctypes.cast(getattr(libc, each.name), ctypes.c_void_p).value or 0
        image = bytearray(self.size)
        for n, place in self.places.items():
            section = self.sections[n]
            if section.kind != _NO_BITS:
                image[place : place + section.size] = self._bytes(section)
        start = _allocate(libc, len(image))
        if start is None or not all(self._relocate(image, start, each) for each in self.sections):
            return None
        ctypes.memmove(start, bytes(image), len(image))
        if libc.mprotect(
            ctypes.c_void_p(start), ctypes.c_size_t(len(image)), mmap.PROT_READ | mmap.PROT_EXEC
        ):
            return None
        addresses = [self._address(start, each) for each in self.symbols if each.name == name]
        return addresses[0] if addresses else None

    def _is_variable(self, section: _Section) -> bool:
        """Whether code may write to a section."""
        (names,) = struct.unpack_from("<H", self.content, 62)
        start = self.sections[names].offset + section.name
        is_constant = self.content.startswith(b".data.rel.ro", start)
        return bool(section.flags & _WRITE and section.flags & _ALLOC and section.size) and not is_constant

    def _bytes(self, section: _Section) -> bytes:
        return self.content[section.offset : section.offset + section.size]

    def _symbols(self, section: _Section) -> list[_Symbol]:
        names = self._bytes(self.sections[section.link])
        return [
            _Symbol(names[name : names.index(b"\0", name)].decode(), index, value)
            for name, _, _, index, value, _ in struct.iter_unpack("<IBBHQQ", self._bytes(section))
        ]

    def _address(self, start: int, symbol: _Symbol) -> int | None:
        if symbol.section == _UNDEFINED:
            return self.imports.get(symbol.name)
        if symbol.section >= _RESERVED or symbol.section not in self.places:
            return None
        return start + self.places[symbol.section] + symbol.value

    def _relocate(self, image: bytearray, start: int, section: _Section) -> bool:
        """Apply a section of relocations; False if one of them is unsupported or has no address."""
        if section.kind not in (_RELOCATIONS, _SHORT_RELOCATIONS) or section.info not in self.places:
            return True
        if section.kind == _SHORT_RELOCATIONS:
            return False
        for offset, info, addend in struct.iter_unpack("<QQq", self._bytes(section)):
            target = self._address(start, self.symbols[info >> 32])
            write = _WRITERS.get(info & 0xFFFFFFFF)
            if target is None or write is None:
                return False
            place = self.places[section.info] + offset
            write(image, place, target + addend, start + place)
        return True


def _allocate(libc: ctypes.CDLL, size: int) -> int | None:
    """Writable memory that is never freed: workers may run in it until the process ends."""
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long)
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    address: int | None = libc.mmap(None, max(size, 1), mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
    return None if address == ctypes.c_void_p(-1).value else address


_WRITERS: dict[int, Callable[[bytearray, int, int, int], None]] = {
    _ABS64: lambda image, place, value, _: struct.pack_into("<Q", image, place, value),
    _PC64: lambda image, place, value, here: struct.pack_into("<q", image, place, value - here),
}
"""Writers of a relocation: ``(image, offset, address of the symbol, address of the offset)``."""
