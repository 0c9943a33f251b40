from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from lite.bridges.sim_npu.device import SimNpu
from lite.bridges.sim_npu.faults import SimulatedFault
from lite.bridges.sim_npu.model import NpuModel
from lite.bridges.sim_npu.sdk import NpuError
from lite.errors import CompileError
from lite.ir.types import DType
from lite.plugin.device import meta_of
from tests.bridges.region import region
from tests.bridges.sim_npu.opened import opened
from tests.bridges.sim_npu.sdk.program_run import floats

TEXT = "graph main(%x: float32[2,3]) { %y = relu(X=%x) %z = tanh(X=%y) return %z }"


def compiled(device: SimNpu) -> NpuModel:
    graph = region(TEXT)
    return device.compile(graph, tuple(meta_of(arg) for arg in graph.args))


def run(model: NpuModel) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    (result,) = model.run([floats(2, 3)], [None])
    return result


def test_nothing_fails_by_default() -> None:
    model = compiled(opened())
    for _ in range(3):
        np.testing.assert_allclose(run(model), np.tanh(np.maximum(floats(2, 3), 0)), rtol=1e-6)


def test_available() -> None:
    device = opened(fail_at="available")
    assert device.available() == "no SimNPU is plugged in (asked for by fail_at=available)"


@pytest.mark.parametrize("step", ["convert", "compile"])
def test_building(step: str) -> None:
    with pytest.raises(SimulatedFault, match=f"asked for by fail_at={step}"):
        compiled(opened(fail_at=step))


def test_loading_alone() -> None:
    device = opened(fail_at="load")
    model = compiled(device)
    run(model)

    with pytest.raises(SimulatedFault, match="asked for by fail_at=load"):
        device.load(model.serialize())


def test_every_run() -> None:
    model = compiled(opened(fail_at="run"))
    for _ in range(2):
        with pytest.raises(SimulatedFault, match="asked for by fail_at=run"):
            run(model)


def test_one_run_counted_over_all_models_of_a_device() -> None:
    device = opened(fail_run=3)
    first, second = compiled(device), compiled(device)
    run(first)
    run(second)

    with pytest.raises(SimulatedFault, match="asked for by fail_run=3"):
        run(first)
    run(first)
    run(compiled(opened(fail_run=3)))


@pytest.mark.parametrize(("named", "op"), [(True, "z"), (False, None)])
def test_an_op_that_the_compiler_refuses(named: bool, op: str | None) -> None:
    with pytest.raises(CompileError, match="asked for by fail_op=tanh") as caught:
        compiled(opened(fail_op="tanh", name_fail_op=named))
    assert caught.value.op == op


def test_an_op_that_is_not_there_refuses_nothing() -> None:
    run(compiled(opened(fail_op="softmax")))


@pytest.mark.parametrize("given", [None, np.zeros((2, 3), np.float32)])
def test_a_wrong_shape_or_dtype(given: np.ndarray[tuple[int, ...], np.dtype[np.float32]] | None) -> None:
    (wide,) = compiled(opened(wrong_dtype=True)).run([floats(2, 3)], [given])
    (long,) = compiled(opened(wrong_shape=True)).run([floats(2, 3)], [given])

    assert (wide.dtype.name, wide.shape) == ("float64", (2, 3))
    assert (long.dtype.name, long.shape) == ("float32", (3, 3))


@pytest.mark.parametrize("fault", ["wrong_shape", "wrong_dtype"])
def test_a_wrong_block(fault: str) -> None:
    device = opened(memory=True, **{fault: True})
    memory = device.memory()
    assert memory is not None
    block = memory.allocate((2, 3), DType.FLOAT32)
    (result,) = compiled(device).run([block], [block])

    with pytest.raises(NpuError, match="NPU-302 SIZE_MISMATCH"):
        memory.copy_out(result, floats(2, 3))


@pytest.mark.parametrize("option", ["slow_build", "slow_run"])
def test_it_takes_its_time(option: str) -> None:
    started = time.monotonic()
    run(compiled(opened(**{option: 0.05})))
    assert time.monotonic() - started >= 0.05


def test_another_version() -> None:
    assert opened(sdk_version="9.9").version() == "SimNPU SDK 9.9"


@pytest.mark.parametrize("option", ["kill", "fail_run"])
def test_the_second_run_ends_the_process_or_fails(root: Path, option: str) -> None:
    code = (
        "import sys, numpy as np\n"
        "from tests.bridges.sim_npu.test_faults import compiled, opened, run\n"
        "model = compiled(opened(**{sys.argv[1]: 2}))\n"
        "run(model); print('once', flush=True); run(model); print('twice')"
    )
    done = subprocess.run([sys.executable, "-c", code, option], cwd=root, capture_output=True, text=True)

    assert done.stdout == "once\n"
    assert done.returncode == (-signal.SIGKILL if option == "kill" else 1)
