"""docs/operators.md lists the schemas, and every op has a kernel."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from lite.ops import SCHEMAS
from lite.plugin.kernel import kernels_of
from lite.plugin.loader import load_all_kernels


def test_the_page_is_what_the_command_prints(root: Path) -> None:
    # In another process: other tests register kernels for their own targets.
    command = [sys.executable, "-m", "lite.tools.cli", "ops", "--markdown"]
    printed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    assert (root / "docs" / "operators.md").read_text(encoding="utf-8") == printed, (
        "docs/operators.md is outdated; write it with: litebridge ops --markdown > docs/operators.md"
    )


def test_every_op_has_a_host_kernel_or_becomes_one_that_has() -> None:
    load_all_kernels()
    without = [
        name
        for name, schema in SCHEMAS.items()
        if not schema.control_flow
        and schema.canonical is None
        and all(kernel.place.target != "host" for kernel in kernels_of(name))
    ]
    assert without == []
    assert [s.name for s in SCHEMAS.values() if s.canonical and s.canonical.op not in SCHEMAS] == []
