"""Cancelled tasks, garbage collection in runs, and interpreters that end while threads and workers live."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import textwrap
import threading
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.bridges.sim_npu.device import SimNpu
from lite.plugin.device import CompiledModel
from tests.support.small_convnet import convnet

X = np.random.default_rng(0).standard_normal((1, 3, 16, 16)).astype(np.float32)

DEVICES: dict[str, dict[str, Any]] = {
    "host": {"valid_places": ["host"]},
    "cpu": {"threads": 2},
    "sim_npu": {"devices": ["sim_npu"]},
}


def make(name: str) -> lite.Predictor:
    return lite.Predictor.of_program(convnet(), lite.Config(model_buffer=b"in memory", **DEVICES[name]))


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Objects that refer to each other stay."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("uncollected")
def test_a_device_model_is_freed_with_its_predictor(monkeypatch: pytest.MonkeyPatch) -> None:
    models: list[weakref.ref[CompiledModel]] = []
    compile_model = SimNpu.compile

    def compile_and_note(self: SimNpu, *arguments: Any) -> CompiledModel:
        model = compile_model(self, *arguments)
        models.append(weakref.ref(model))
        return model

    monkeypatch.setattr(SimNpu, "compile", compile_and_note)
    predictor = make("sim_npu")
    predictor.run({"x": X})
    predictor.clone().run({"x": X})
    assert [model() is not None for model in models] == [True]
    del predictor
    assert [model() for model in models] == [None]


@pytest.mark.usefixtures("uncollected")
def test_an_onnx_program_is_freed_with_its_last_reference() -> None:
    pytest.importorskip("onnx")
    from tests.model_parser.onnx.small_onnx import small_models

    content = small_models()["layers"].SerializeToString()
    program = weakref.ref(lite.load_program(lite.Config(model_buffer=content)))
    assert program() is None


@pytest.mark.parametrize("name", DEVICES)
def test_a_cancelled_task_leaves_the_predictor_right(name: str) -> None:
    predictor = make(name)
    expected = predictor.run({"x": X})["y"].copy()

    async def cancel_many() -> int:
        cancelled = 0
        for number in range(30):
            task = asyncio.create_task(asyncio.to_thread(predictor.run, {"x": X}))
            await asyncio.sleep(0.0002 * (number % 5))
            cancelled += task.cancel()
            try:
                await task
            except asyncio.CancelledError:
                # The thread still runs: another run has to wait for its end.
                while True:
                    try:
                        predictor.run({"x": X})
                        break
                    except lite.ExecutionError:
                        await asyncio.sleep(0.001)
        return cancelled

    assert asyncio.run(cancel_many()) > 0
    np.testing.assert_array_equal(predictor.run({"x": X})["y"], expected)


@pytest.mark.parametrize("name", DEVICES)
def test_predictors_that_are_dropped_in_a_run_of_another_do_not_disturb_it(name: str) -> None:
    predictor = make(name)
    expected = predictor.run({"x": X})["y"].copy()
    stop = threading.Event()

    def churn() -> None:
        while not stop.is_set():
            dropped = make(name)
            dropped.run({"x": X})
            del dropped
            gc.collect()

    thread = threading.Thread(target=churn)
    before = gc.get_threshold()
    gc.set_threshold(1, 1, 1)
    thread.start()
    try:
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            np.testing.assert_array_equal(predictor.run({"x": X})["y"], expected)
    finally:
        stop.set()
        thread.join()
        gc.set_threshold(*before)


def test_a_predictor_that_only_a_cycle_references_is_freed_while_it_runs() -> None:
    predictor = make("cpu")
    results: list[object] = []

    def work(own: lite.Predictor) -> None:
        for _ in range(20):
            results.append(own.run({"x": X})["y"].shape)

    thread = threading.Thread(target=work, args=[predictor.clone()])
    del predictor
    thread.start()
    while thread.is_alive():
        gc.collect()
    assert results == [(1, 5)] * 20


@pytest.mark.parametrize(
    "fields",
    ["valid_places=['host']", "threads=2", "devices=['sim_npu']", "devices=['sim_npu'], isolate=True"],
)
@pytest.mark.parametrize("how", ["return", "raise SystemExit(0)", "daemon"])
def test_an_interpreter_ends_while_threads_run(root: Path, fields: str, how: str) -> None:
    code = f"""
        import logging, threading, time
        logging.disable()
        import numpy as np, lite
        from tests.support.small_convnet import convnet
        config = lite.Config(model_buffer=b"in memory", {fields})
        predictor = lite.Predictor.of_program(convnet(), config)
        x = np.ones((1, 3, 32, 32), np.float32)
        predictor.run({{"x": x}})
        end = time.monotonic() + 0.4

        def work(twin):
            while {how == "daemon"} or time.monotonic() < end:
                twin.run({{"x": x}})

        for _ in range(2):
            threading.Thread(target=work, args=[predictor.clone()], daemon={how == "daemon"}).start()
        time.sleep(0.2)
        print("ends", flush=True)
        {how if how.startswith("raise") else "pass"}
    """
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)]
    ended = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=120)
    assert ended.stdout == "ends\n"
    assert (ended.returncode, ended.stderr) == (0, "")
