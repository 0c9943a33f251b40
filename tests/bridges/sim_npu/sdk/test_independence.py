"""The SDK represents the code of a vendor, and must not depend on litebridge."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np

from lite.bridges.sim_npu import sdk


def test_the_sdk_imports_only_numpy_and_itself() -> None:
    standard = {
        "collections",
        "dataclasses",
        "enum",
        "itertools",
        "json",
        "math",
        "os",
        "struct",
        "types",
        "threading",
    }
    allowed = {"__future__", "numpy", "typing", "weakref", "zlib", *standard}
    modules: set[str] = set()
    for path in Path(sdk.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                modules.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                modules.add(str(node.module))

    outside = {name for name in modules if not name.startswith("lite.bridges.sim_npu.sdk")}
    assert {name.split(".")[0] for name in outside} - allowed == set()


def test_the_example_in_the_docstring_runs() -> None:
    example = str(sdk.__doc__).split("::\n")[1].split("\nShapes are static")[0]
    code = "\n".join(line[4:] for line in example.splitlines())
    result = np.empty((1, 8, 4, 4), np.float32)
    names = {
        "sdk": sdk,
        "weights": np.ones((8, 3, 3, 3), np.float32),
        "image": np.ones((1, 3, 8, 8), np.float32),
        "result": result,
    }

    exec(code, names)

    assert result[0, 0, 1, 1] == 27
