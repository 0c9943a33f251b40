"""Status codes, and the exception that carries one."""

from __future__ import annotations

import enum


class Status(enum.IntEnum):
    """The kind of an error.  1xx: the graph; 2xx: the blob; 3xx: the device."""

    UNKNOWN_OPERATOR = 101
    INVALID_ARITY = 102
    INVALID_ATTRIBUTE = 103
    INVALID_SHAPE = 104
    INVALID_DTYPE = 105
    NOT_CONSTANT = 106
    LIMIT_EXCEEDED = 107
    FOREIGN_TENSOR = 108
    BLOB_CORRUPT = 201
    BLOB_VERSION = 202
    INVALID_HANDLE = 301
    SIZE_MISMATCH = 302
    OUT_OF_MEMORY = 303
    DEVICE_LOST = 304


class NpuError(Exception):
    """An error of the SDK; its text begins with the status, as in ``NPU-107 LIMIT_EXCEEDED: …``."""

    def __init__(self, status: Status, detail: str) -> None:
        super().__init__(f"NPU-{status.value} {status.name}: {detail}")
        self.status = status
        self.detail = detail
