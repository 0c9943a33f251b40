"""numba's undocumented interfaces are used in one file, for the versions that were tested."""

from __future__ import annotations

import ast
import configparser
from pathlib import Path

import numba
import pytest

from lite.kernels.cpu.compiled.jit.numba_internals import FIRST_VERSION, NEXT_VERSION

PUBLIC = {"numba", "numba.extending", "numba.types"}


def numba_imports(path: Path) -> set[str]:
    """The modules of numba that a file imports."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            modules.update(name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            modules.add(node.module)
    return {module for module in modules if module.partition(".")[0] == "numba"}


def test_one_file_imports_private_modules_of_numba(root: Path) -> None:
    files = sorted((root / "kernels" / "cpu").rglob("*.py"))
    private = [path.name for path in files if numba_imports(path) - PUBLIC]
    assert private == ["numba_internals.py"]


def test_setup_cfg_allows_the_tested_versions(root: Path) -> None:
    parser = configparser.ConfigParser()
    parser.read(root / "setup.cfg")
    first, following = (".".join(map(str, version)) for version in (FIRST_VERSION, NEXT_VERSION))
    requirement = parser["options.extras_require"]["jit"].strip()
    assert requirement == f"numba>={first},<{following}"


def test_the_installed_version_was_tested() -> None:
    major, minor, *_ = numba.__version__.split(".")
    if not FIRST_VERSION <= (int(major), int(minor)) < NEXT_VERSION:
        pytest.fail(f"numba {numba.__version__} is outside the range that setup.cfg allows")
