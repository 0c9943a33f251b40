"""Modules that importing the package imports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import lite

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


_ENGINE = (
    "lite.ops",
    "lite.passes",
    "lite.plan",
    "lite.runtime",
    "lite.session",
    "lite.io",
    "lite.quantization",
)
"""Packages that `import lite` leaves to the first use of a public name."""


def imported(root: Path, code: str) -> set[str]:
    command = [sys.executable, "-c", f"import sys, lite; {code}; print(*sys.modules)"]
    return set(subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.split())


def test_a_bare_import_leaves_the_engine_to_the_first_use(root: Path) -> None:
    modules = imported(root, "lite.Config, lite.LiteError, lite.Place")

    assert "lite.config" in modules
    assert sorted(name for name in modules if name.startswith((*_PLUGINS, *_ENGINE))) == []


def test_creating_predictors_imports_no_plug_in_and_no_rarely_used_module(root: Path) -> None:
    modules = imported(root, "lite.create_predictor")

    assert "lite.session.predictor" in modules
    assert sorted(name for name in modules if name.startswith(_PLUGINS)) == []
    assert sorted(modules.intersection(_IMPORTED_LATE)) == []


def test_every_public_name_resolves_and_a_wrong_one_is_an_attribute_error() -> None:
    assert [name for name in lite.__all__ if getattr(lite, name).__name__ != name] == []
    assert set(lite.__all__) <= set(dir(lite))
    with pytest.raises(AttributeError, match="module 'lite' has no attribute 'create_predicter'"):
        _ = lite.create_predicter  # type: ignore[attr-defined]
