"""Answers of the host in threads and after interrupts, with a compiler that ends when the test says so."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.types import Array
from lite.plugin.kernel.compilation import COMPILERS, KernelTask
from lite.plugin.kernel.run_context import current_run
from lite.plugin.loader import load_compilers
from lite.session import compile_process, early_answers, missing_kernels
from lite.session.compile_process import CompileProcess
from tests.lite.session.test_early_answers import softmax_of_rows
from tests.support.interrupts import Line, interrupted, lines_of

pytest.importorskip("numba")


class Compiler:
    """A compiler whose kernels are all missing until `is_done`, and the process that would compile them."""

    is_done = False
    starts = 0

    def why_not(self) -> str:
        return ""

    def folder(self) -> str:
        return "nowhere"

    def is_kept(self, task: KernelTask) -> bool:
        return self.is_done

    def compile(self, tasks: object, is_wanted: object) -> None:
        raise AssertionError(tasks)

    def poll(self) -> int | None:
        return 0 if self.is_done else None


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch) -> Iterator[Compiler]:
    from lite.kernels.cpu.native.code_store import Code
    from lite.kernels.cpu.native.function import Function

    load_compilers()
    fake, load = Compiler(), Function.load

    def start(*arguments: object, **options: object) -> Compiler:
        fake.starts += 1
        return fake

    def load_if_done(function: Function) -> tuple[Code, int]:
        missing = current_run().missing
        if missing is not None and not fake.is_done:
            missing.refuse("cpu", function.name)
        return load(function)

    monkeypatch.setattr(Function, "load", load_if_done)
    monkeypatch.setattr(COMPILERS, "get", lambda _: lambda: fake)
    monkeypatch.setattr(compile_process, "_Process", start)
    monkeypatch.setattr(compile_process, "COMPILE_PROCESS", CompileProcess())
    yield fake
    fake.is_done = True
    compile_process.COMPILE_PROCESS.is_at_work([])


@pytest.fixture
def config(tmp_path: Path) -> lite.Config:
    lite.save_program(softmax_of_rows(), tmp_path / "model")
    return lite.Config(tmp_path / "model", valid_places=["cpu", "host"], compilation="background")


@pytest.fixture
def x() -> Array:
    return np.random.default_rng(0).standard_normal((32, 64)).astype(np.float32)


def by(place: str, config: lite.Config, x: Array) -> Array:
    """The result by the kernels of a place."""
    places = ["host"] if place == "host" else ["cpu", "host"]
    [result] = (
        lite.create_predictor(lite.Config(config.model_dir, valid_places=places, compilation="wait"))
        .run([x])
        .values()
    )
    return result


def test_clones_in_threads_switch_to_compiled_kernels(
    compiler: Compiler, config: lite.Config, x: Array
) -> None:
    expected = [by(place, config, x) for place in ("host", "cpu")]
    first = lite.create_predictor(config)
    wrong: list[str] = []
    rounds = threading.Barrier(5)

    def work() -> None:
        clone = first.clone()
        for is_done in (False, False, True, True):
            rounds.wait()
            [result] = clone.run([x]).values()
            if clone.compilation.on_host is is_done or not np.array_equal(result, expected[is_done]):
                wrong.append(str(clone.compilation))
            rounds.wait()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for is_done in (False, False, True, True):
        compiler.is_done = is_done
        rounds.wait()
        rounds.wait()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert compiler.starts == 1


def test_a_first_run_that_is_interrupted_at_any_line_is_followed_by_right_ones(
    compiler: Compiler, config: lite.Config, x: Array, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_host, by_cpu = (by(place, config, x) for place in ("host", "cpu"))
    files = {module.__file__ for module in (compile_process, early_answers, missing_kernels)}

    def new() -> lite.Predictor:
        monkeypatch.setattr(compile_process, "COMPILE_PROCESS", CompileProcess())
        compiler.is_done = False
        return lite.create_predictor(config)

    predictor = new()
    lines: list[Line] = [line for line in lines_of(lambda: predictor.run([x])) if line[0] in files]
    assert len(lines) > 50
    for line in lines:
        predictor = new()
        assert interrupted(functools.partial(predictor.run, [x]), line), line
        assert current_run().missing is None
        for result in predictor.run([x]).values():
            np.testing.assert_array_equal(result, by_host, str(line))
        assert predictor.compilation.on_host
        compiler.is_done = True
        for result in predictor.run([x]).values():
            np.testing.assert_array_equal(result, by_cpu, str(line))
        state = predictor.compilation
        assert (state.on_host, state.left, state.problem) == (False, 0, ""), line
