"""How much of a mapped file is in the memory of this process."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

_SMAPS = Path("/proc/self/smaps")
_HEADER = re.compile(r"[0-9a-f]+-[0-9a-f]+ \S+ [0-9a-f]+ \S+ \d+\s*(.*)")


def resident_bytes(path: Path) -> int:
    """The bytes of a mapped file that are in memory; skips the test where the system does not tell."""
    if not _SMAPS.exists():
        pytest.skip("only Linux tells what is in memory")
    size, is_of_file = 0, False
    for line in _SMAPS.read_text().splitlines():
        header = _HEADER.fullmatch(line)
        if header is not None:
            is_of_file = header[1] == str(path)
        elif is_of_file and line.startswith("Rss:"):
            size += 1024 * int(line.split()[1])
    return size
