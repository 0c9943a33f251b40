"""Signatures of machine code on disk, by a secret that only this user can read (HMAC, RFC 2104)."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import hmac
import os
import stat

from lite.trusted_folder import TrustedFolder, private_folder

_SECRET_FILE = "kernel-secret"
_SECRET_BYTES = 32
_HEX = 64


def signed(name: str, content: bytes) -> bytes:
    """The content of a file that is kept under `name`, with its checksum and signature in the first line."""
    message = _message(name, content)
    mac = hmac.new(_secret(), message, hashlib.sha256).hexdigest()
    return f"{hashlib.sha256(message).hexdigest()} {mac}\n".encode() + content


def content_of(name: str, file: bytes, owner: int) -> bytes | None:
    """The content of a file that `signed` returned; None if it is damaged or has another signature.

    The files of root, who can replace the program as well, need a checksum only, so that code that an
    administrator compiled serves all users.  The code of root itself needs a signature.
    """
    line, content = file[: 2 * _HEX + 2], file[2 * _HEX + 2 :]
    if len(line) < 2 * _HEX + 2 or line[_HEX : _HEX + 1] != b" " or line[-1:] != b"\n":
        return None
    message = _message(name, content)
    if not hmac.compare_digest(line[:_HEX], hashlib.sha256(message).hexdigest().encode()):
        return None
    mac = hmac.new(_secret(), message, hashlib.sha256).hexdigest().encode()
    is_administrators = owner == 0 != os.geteuid()
    return content if is_administrators or hmac.compare_digest(line[_HEX + 1 : -1], mac) else None


def _message(name: str, content: bytes) -> bytes:
    """All that is authenticated: the length of the name, the name and the content."""
    encoded = os.fsencode(name)
    return len(encoded).to_bytes(8, "little") + encoded + content


@functools.cache
def _secret() -> bytes:
    """The user's secret; where none can be kept, one for this process alone."""
    base = private_folder()
    if base is not None:
        with contextlib.suppress(OSError), TrustedFolder(base) as folder:
            secret = _read(folder)
            if secret is None:
                # Another process may have written one in the meantime.
                folder.write_new(_SECRET_FILE, os.urandom(_SECRET_BYTES))
                secret = _read(folder)
            if secret is not None:
                return secret
    return os.urandom(_SECRET_BYTES)


def _read(folder: TrustedFolder) -> bytes | None:
    try:
        with folder.open(_SECRET_FILE) as file:
            status, secret = os.fstat(file.fileno()), file.read()
    except FileNotFoundError:
        return None
    is_private = status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & 0o077
    return secret if is_private and len(secret) == _SECRET_BYTES else None
