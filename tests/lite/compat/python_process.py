"""Runs code in a new process, which has imported nothing yet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def python(root: Path, code: str, *path: Path, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """Run code with `path` and then the checkout `root` at the front of the import path."""
    start = f"import sys; sys.path[:0] = {[str(folder) for folder in (*path, root)]!r}\n"
    return subprocess.run(
        [sys.executable, "-c", start + code], capture_output=True, text=True, timeout=timeout
    )
