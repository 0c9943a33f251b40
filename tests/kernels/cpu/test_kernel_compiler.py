"""The lock by which one process of the machine compiles at a time."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("numba", reason="compiled kernels need the extra jit")

from lite.kernels.cpu import kernel_compiler
from lite.plugin.kernel.compilation import KernelTask

TASK = KernelTask("cpu", "a_kernel")


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []
    monkeypatch.setattr(kernel_compiler, "_INTERVAL", 0.01)
    monkeypatch.setattr(kernel_compiler, "writable_folder", lambda: tmp_path)
    monkeypatch.setattr(kernel_compiler, "is_compiled", lambda name: name in names)
    monkeypatch.setattr(kernel_compiler, "compile_code", lambda name, _: names.append(name))
    return names


@pytest.fixture
def other(tmp_path: Path) -> Iterator[int]:
    """The lock, held as another process holds it."""
    descriptor = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    yield descriptor
    os.close(descriptor)


def test_missing_kernels_are_compiled_once(compiled: list[str]) -> None:
    for _ in range(2):
        kernel_compiler.CpuCompiler().compile([TASK], lambda: False)
    assert compiled == [TASK.name]


def test_a_process_whose_program_ended_waits_for_no_other(compiled: list[str], other: int) -> None:
    wanted = iter([True, True, False])
    kernel_compiler.CpuCompiler().compile([TASK], lambda: next(wanted))
    assert compiled == []


def test_a_process_that_waits_compiles_when_the_other_ends(compiled: list[str], other: int) -> None:
    def is_wanted() -> bool:
        fcntl.flock(other, fcntl.LOCK_UN)
        return True

    kernel_compiler.CpuCompiler().compile([TASK], is_wanted)
    assert compiled == [TASK.name]


def test_kernels_that_the_other_compiled_end_the_wait(compiled: list[str], other: int) -> None:
    def is_wanted() -> bool:
        compiled.append(TASK.name)
        return True

    kernel_compiler.CpuCompiler().compile([TASK], is_wanted)
    assert compiled == [TASK.name]
