"""A reader of FlexBuffers: the scalars of a map.

All positions are checked against the buffer.  The layout follows "FlexBuffers" of the FlatBuffers project,
little endian: the last byte is the width of the root, the one before its type; the root comes before them.
Keys and values are vectors, whose number of elements is before their first one.  The map of the values has
the distance to its keys, and the width of these, before that.  References are distances backward.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

from lite.errors import ModelParseError

Scalar = bool | int | float

_INT, _UINT, _FLOAT, _MAP, _BOOL = 1, 2, 3, 9, 26
_INDIRECT = {6: _INT, 7: _UINT, 8: _FLOAT}
_MOST_KEY = 256
"""The most bytes of a key: references may lead to one place many times."""

_CODES = {_INT: "bhiq", _UINT: "BHIQ", _BOOL: "BHIQ", _FLOAT: " efd"}


def read_map(data: bytes) -> Mapping[str, Scalar]:
    """The booleans and numbers of the map that is the root; other values are left out.

    Raises `ModelParseError` for a buffer that is no map or is damaged.
    """
    try:
        return _Reader(data).root()
    except (struct.error, LookupError, ValueError) as error:
        raise ModelParseError(f"expected a map of FlexBuffers, got {len(data)} bytes: {error}") from error


class _Reader:
    """Reads the parts of a buffer."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def root(self) -> dict[str, Scalar]:
        if len(self._data) < 3:
            raise ValueError("at least 3 are needed")
        width, kind = self._data[-1], self._data[-2]
        if kind >> 2 != _MAP:
            raise ValueError(f"the root has type {kind >> 2}, not {_MAP}")
        position = len(self._data) - 2 - width
        return self._map(position - self._integer(position, width), 1 << (kind & 3))

    def _map(self, start: int, width: int) -> dict[str, Scalar]:
        count = self._integer(start - width, width)
        if count > len(self._data):
            raise ValueError(f"a map has {count} elements")
        key_width = self._integer(start - 2 * width, width)
        keys = start - 3 * width - self._integer(start - 3 * width, width)
        found = {}
        for number in range(count):
            position, kind = start + number * width, self._integer(start + count * width + number, 1)
            value = self._scalar(position, width, kind)
            if value is not None:
                key = keys + number * key_width
                found[self._text(key - self._integer(key, key_width))] = value
        return found

    def _scalar(self, position: int, width: int, packed: int) -> Scalar | None:
        kind = packed >> 2
        if kind in _INDIRECT:
            position -= self._integer(position, width)
            kind, width = _INDIRECT[kind], 1 << (packed & 3)
        if kind not in _CODES:
            return None
        value: Scalar = self._unpack(_CODES[kind][_LOG[width]], position, width)
        return bool(value) if kind == _BOOL else value

    def _text(self, start: int) -> str:
        if start < 0:
            raise ValueError(f"a key is at byte {start}")
        return self._data[start : self._data.index(b"\0", start, start + _MOST_KEY)].decode("utf-8")

    def _integer(self, position: int, width: int) -> int:
        return int(self._unpack(_CODES[_UINT][_LOG[width]], position, width))

    def _unpack(self, code: str, position: int, width: int) -> Scalar:
        if not 0 <= position <= len(self._data) - width:
            raise ValueError(f"a reference leads to byte {position}")
        value: Scalar = struct.unpack_from(f"<{code}", self._data, position)[0]
        return value


_LOG = {1: 0, 2: 1, 4: 2, 8: 3}
