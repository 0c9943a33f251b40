"""A fresh process that loads artifacts where no parser can be imported, and compares their results.

``python -m tests.soak.artifacts.loaded FOLDER...`` prints one JSON document for each folder.
"""

from __future__ import annotations

import importlib.abc
import json
import logging
import sys
import time
import traceback
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

FORBIDDEN = ("lite.model_parser", "onnx", "numba", "llvmlite")


class _Refuse(importlib.abc.Loader):
    """Raises where a module is imported; to ask whether it is installed is no import."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Raise."""
        raise ImportError(f"{spec.name} must not be imported")

    def exec_module(self, module: ModuleType) -> None:
        """Never called."""


class _Block(importlib.abc.MetaPathFinder):
    """Refuses to import packages that an artifact must not need."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not name.startswith(tuple(f"{each}." for each in FORBIDDEN)) and name not in FORBIDDEN:
            return None
        return ModuleSpec(name, _Refuse(), is_package=True)


def main(folders: Sequence[str]) -> None:
    """Check each folder that `saved.save` wrote."""
    sys.meta_path.insert(0, _Block())
    logging.basicConfig(level=logging.WARNING)
    for folder in folders:
        try:
            found = check(Path(folder))
        except Exception as error:  # noqa: BLE001 - reported with its place
            found = {"problem": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()}
        print(json.dumps(found), flush=True)  # noqa: T201


def check(folder: Path) -> dict[str, Any]:
    """Load an artifact and run its cases: the first problem, warnings, and the states of regions.

    `needs_plan` says whether stored runs did not suffice.
    """
    import numpy as np

    import lite

    start = time.perf_counter()
    predictor = lite.create_predictor(lite.Config(folder / "model.lbm"))
    seconds = time.perf_counter() - start
    problem = ""
    for path in sorted(folder.glob("case*.npz")):
        with np.load(path) as stored:
            inputs = {name[3:]: stored[name] for name in stored if name.startswith("in:")}
            expected = {name[4:]: stored[name] for name in stored if name.startswith("out:")}
        results = predictor.run(inputs)
        for name, array in expected.items():
            result = results[name]
            if (result.dtype, result.shape) != (array.dtype, array.shape):
                problem = problem or f"{path.name} {name}: {result.dtype}{result.shape}"
            elif not np.array_equal(result, array, equal_nan=array.dtype.kind in "fc"):
                distance = np.abs(result.astype(float) - array.astype(float)).max()
                problem = (
                    problem or f"{path.name} {name}: differs by {distance:.2e} of {np.abs(array).max():.2e}"
                )
    needs_plan = not predictor._model.is_deferred
    report = predictor.report()
    return {
        "needs_plan": needs_plan,
        "problem": problem,
        "warnings": report.warnings,
        "states": [each.state for region in report.regions for each in region.signatures],
        "caches": [each.cache for region in report.regions for each in region.signatures],
        "seconds": round(seconds, 4),
    }


if __name__ == "__main__":
    main(sys.argv[1:])
