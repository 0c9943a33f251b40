"""Modules that importing the package imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_IMPORTED_LATE = (
    "lite.ir.lower",
    "lite.ir.verify",
    "lite.session.region_settings",
    "lite.cache",
    "lite.runtime.observe.memory_use",
    "lite.runtime.observe.profile",
    "lite.runtime.observe.profiler",
    "lite.runtime.regions.engine",
    "lite.runtime.observe.value_statistics",
    "lite.runtime.observe.watch",
)
"""Modules for rarely used methods of a predictor, and for devices."""

_PLUGINS = ("lite.bridges.", "lite.kernels.", "lite.model_parser.", "lite.tools")


def imported(root: Path) -> set[str]:
    command = [sys.executable, "-c", "import lite, sys; print(*sys.modules)"]
    return set(subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.split())


def test_the_package_imports_no_plug_in_and_no_rarely_used_module(root: Path) -> None:
    modules = imported(root)

    assert "lite.session.predictor" in modules
    assert sorted(name for name in modules if name.startswith(_PLUGINS)) == []
    assert sorted(modules.intersection(_IMPORTED_LATE)) == []
