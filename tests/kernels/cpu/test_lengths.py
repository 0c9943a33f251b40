"""Compiled functions stay within the lengths that they declare, and refuse shorter arrays."""

from __future__ import annotations

import importlib
import inspect
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lite.kernels.cpu.native.function import FREE, Function
from tests.kernels.cpu.guard_pages import COVERED

pytest.importorskip("numba", reason="compiled kernels need the extra jit")

KERNEL_TESTS = (
    "activation", "attention", "control", "convolution", "detection", "elementwise", "index", "matmul",
    "norm", "placement", "pooling", "quantize", "recurrent", "reduce", "resize", "shape", "sort",
)  # fmt: skip


def compiled_names() -> set[str]:
    """All functions that kernels bind; the others run these."""
    from lite.kernels.cpu.aot import function_names

    return {name for name in function_names() if not name.startswith(("worker_pool.", "launch_list."))}


def test_every_compiled_function_declares_lengths_for_its_own_parameters() -> None:
    from lite.kernels.cpu.lengths.table import LENGTHS

    assert set(LENGTHS) == compiled_names()
    for name, lengths in LENGTHS.items():
        file, _, function = name.rpartition(".")
        module = importlib.import_module(f"lite.kernels.cpu.compiled.{file}")
        *compiled, begin, end = inspect.signature(getattr(module, function).function).parameters
        assert (begin, end) == ("begin", "end")
        assert [*inspect.signature(lengths).parameters] == [*compiled, "count"], name


@pytest.mark.slow
def test_all_kernels_run_between_guard_pages_and_refuse_short_arrays(root: Path, tmp_path: Path) -> None:
    covered = tmp_path / "covered"
    folders = [f"tests/kernels/cpu/{folder}" for folder in KERNEL_TESTS]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.kernels.cpu.guard_pages"]
    ended = subprocess.run(
        [*command, "-p", "no:cacheprovider", *folders],
        cwd=root,
        env={**os.environ, COVERED: str(covered)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr[-3000:]
    names = set(covered.read_text().split())
    assert compiled_names() <= names
    assert any(name.startswith("fusion_group_") for name in names)


def test_constant_array_that_is_too_short_is_refused_when_bound() -> None:
    scale_rows = Function("norm.scale_rows")
    with pytest.raises(ValueError, match=r"argument 1 of norm.scale_rows needs 4 elements, got 3"):
        scale_rows.bind(FREE, np.ones(3, np.float32), np.ones(4, np.float32), FREE, 4, count=2)


def test_array_of_a_run_that_is_too_short_is_refused() -> None:
    ones = np.ones(4, np.float32)
    job = Function("norm.scale_rows").bind(FREE, ones, ones, FREE, 4, count=2)
    x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    job(x, y)
    with pytest.raises(ValueError, match=r"argument 3 of norm.scale_rows needs 8 elements, got 7"):
        job(x, y[:7])
    np.testing.assert_array_equal(y, x + 1)


def test_missing_array_that_is_read_is_refused() -> None:
    with pytest.raises(ValueError, match=r"argument 2 of norm.scale_rows needs 4 elements, got 0"):
        Function("norm.scale_rows").bind(FREE, np.ones(4, np.float32), None, FREE, 4, count=2)
