"""Machine code that compilers made for this user and this processor, kept for the next process.

It lies in a folder of this user that no other user may write to, under a digest of all that it was made
from, signed with the user's secret.  What another user or a file brings is never read from there.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import platform
from pathlib import Path

from lite.plugin.code_signature import content_of, signed
from lite.trusted_folder import TrustedFolder, private_folder


def digest_of(*fields: bytes) -> str:
    """A name for machine code of this processor that depends on these fields only."""
    digest = hashlib.sha256()
    for field in (processor().encode(), *fields):
        digest.update(len(field).to_bytes(8, "little") + field)
    return digest.hexdigest()


@functools.cache
def processor() -> str:
    """What machine code for this very processor depends on."""
    with contextlib.suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
        facts = {line for line in lines if line.startswith(("model name", "flags", "Features", "CPU part"))}
        if facts:
            return "\n".join([platform.machine(), *sorted(facts)])
    return " ".join(platform.uname()[:1] + platform.uname()[4:])


def kept(folder: str, name: str) -> bytes | None:
    """The machine code that this user kept; None if it is missing, damaged or not trusted."""
    base = private_folder()
    if base is None:
        return None
    with contextlib.suppress(OSError), TrustedFolder(base / folder) as opened:
        content, owner = opened.read(name)
        return content_of(name, content, owner) if owner == os.geteuid() else None
    return None


def keep(folder: str, name: str, machine_code: bytes) -> None:
    """Keep machine code under a name; without success, the next process compiles again."""
    base = private_folder()
    if base is None:
        return
    with contextlib.suppress(OSError), TrustedFolder(base / folder, create=True) as opened:
        opened.write(name, [signed(name, machine_code)])
