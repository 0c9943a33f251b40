"""The most memory so far."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lite.tools.peak_memory import peak_memory


@pytest.mark.skipif(sys.platform == "win32", reason="the system does not say")
def test_what_is_used_counts_in_bytes(root: Path) -> None:
    code = (
        "from lite.tools.peak_memory import peak_memory; data = bytes(range(256)) * (1 << 19); "
        "print(len(data), peak_memory())"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    used, peak = map(int, done.stdout.split())
    assert used <= peak <= 10 * used


def test_a_system_that_does_not_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    assert peak_memory() is None
