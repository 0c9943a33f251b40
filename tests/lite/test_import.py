"""What is imported, and when."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_LATE = (
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
"""What only some ask of a predictor, and what only devices need."""

_PLUGINS = ("lite.bridges.", "lite.kernels.", "lite.model_parser.", "lite.tools")


def imported(root: Path) -> set[str]:
    command = [sys.executable, "-c", "import lite, sys; print(*sys.modules)"]
    return set(subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.split())


def test_the_package_imports_no_plugin_and_nothing_that_few_need(root: Path) -> None:
    found = imported(root)

    assert "lite.session.predictor" in found
    assert sorted(name for name in found if name.startswith(_PLUGINS)) == []
    assert sorted(found.intersection(_LATE)) == []
