"""`import lite` loads no plug-in and no slow module, and its classes cost little."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

PLUG_INS = ("lite.bridges", "lite.emitters", "lite.kernels", "lite.model_parser", "lite.tools")
HEAVY = ("click", "graphviz", "jinja2", "ml_dtypes", "numba", "onnx", "onnxruntime", "rich", "scipy")


def test_import_lite_brings_in_no_plug_in_and_nothing_heavy(root: Path) -> None:
    code = "import json, sys, lite; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    modules = json.loads(done.stdout)

    assert "lite" in modules
    banned = PLUG_INS + HEAVY
    assert [m for m in modules if m in banned or m.startswith(tuple(f"{name}." for name in banned))] == []


def test_the_checks_start_before_anything_is_installed(root: Path) -> None:
    start = [sys.executable, "-I", "-S", str(root / "tools" / "dev.py"), "--help"]
    done = subprocess.run(start, capture_output=True, text=True, check=False)

    assert done.stderr == ""
    assert done.returncode == 0


def test_dataclasses_are_those_of_lite_unless_they_have_slots(root: Path) -> None:
    standard = re.compile(
        r"^from dataclasses import .*\bdataclass\b|^import dataclasses as|@dataclasses\.", re.M
    )
    folders = ("lite", "bridges", "emitters", "kernels", "model_parser", "tools")
    files = (
        file
        for folder in folders
        for file in (root / folder).rglob("*.py")
        if "__pycache__" not in file.parts
    )

    wrong = [
        str(file.relative_to(root))
        for file in files
        if standard.search(text := file.read_text())
        and "slots=True" not in text
        and file not in (root / "lite" / "dataclass.py", root / "tools" / "dev.py")
        # It stands for a vendor's package, which knows nothing of this one.
        and root / "bridges" / "sim_npu" / "sdk" not in file.parents
    ]

    assert wrong == []
