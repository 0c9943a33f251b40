"""Code in a process of its own, where nothing is imported yet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def python(root: Path, code: str, *path: Path) -> subprocess.CompletedProcess[str]:
    """Run code, `path` and then the checkout `root` first on the import path."""
    start = f"import sys; sys.path[:0] = {[str(folder) for folder in (*path, root)]!r}\n"
    return subprocess.run([sys.executable, "-c", start + code], capture_output=True, text=True, timeout=60)
