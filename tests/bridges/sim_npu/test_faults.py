"""The faults that options of the device plant."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lite.bridges.sim_npu.faults import SimulatedFault
from lite.bridges.sim_npu.model import NpuModel
from lite.bridges.sim_npu.sdk import NpuError
from lite.errors import CompileError
from lite.ir.types import DType
from tests.bridges.arrays import floats
from tests.bridges.devices import SIM_NPU

TEXT = "graph main(%x: float32[2,3]) { %y = relu(X=%x) %z = tanh(X=%y) return %z }"


def compiled(**options: Any) -> NpuModel:
    return SIM_NPU.compile(TEXT, SIM_NPU.open(**options))


def run(model: NpuModel) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    (result,) = model.run([floats(2, 3)], [None])
    return result


def test_no_call_fails_by_default() -> None:
    model = compiled()
    for _ in range(3):
        np.testing.assert_allclose(run(model), np.tanh(np.maximum(floats(2, 3), 0)), rtol=1e-6)


def test_fail_at_available_is_a_reason() -> None:
    device = SIM_NPU.open(fail_at="available")
    assert device.available() == "no SimNPU is plugged in (asked for by fail_at=available)"


@pytest.mark.parametrize("step", ["convert", "compile"])
def test_fail_at_convert_or_compile_is_a_compile_error(step: str) -> None:
    with pytest.raises(SimulatedFault, match=f"asked for by fail_at={step}"):
        compiled(fail_at=step)


def test_fail_at_load_fails_only_there() -> None:
    device = SIM_NPU.open(fail_at="load")
    model = SIM_NPU.compile(TEXT, device)
    run(model)

    with pytest.raises(SimulatedFault, match="asked for by fail_at=load"):
        device.load(model.serialize())


def test_fail_at_run_fails_every_run() -> None:
    model = compiled(fail_at="run")
    for _ in range(2):
        with pytest.raises(SimulatedFault, match="asked for by fail_at=run"):
            run(model)


def test_fail_run_counts_the_runs_of_all_models_of_a_device() -> None:
    device = SIM_NPU.open(fail_run=3)
    first, second = SIM_NPU.compile(TEXT, device), SIM_NPU.compile(TEXT, device)
    run(first)
    run(second)

    with pytest.raises(SimulatedFault, match="asked for by fail_run=3"):
        run(first)
    run(first)
    run(compiled(fail_run=3))


@pytest.mark.parametrize(("named", "op"), [(True, "z"), (False, None)])
def test_fail_op_names_the_op_if_asked(named: bool, op: str | None) -> None:
    with pytest.raises(CompileError, match="asked for by fail_op=tanh") as caught:
        compiled(fail_op="tanh", name_fail_op=named)
    assert caught.value.op == op


def test_fail_op_without_such_an_op_changes_nothing() -> None:
    run(compiled(fail_op="softmax"))


@pytest.mark.parametrize("output", [None, np.zeros((2, 3), np.float32)])
def test_wrong_shape_and_wrong_dtype_change_the_results(
    output: np.ndarray[tuple[int, ...], np.dtype[np.float32]] | None,
) -> None:
    (wide,) = compiled(wrong_dtype=True).run([floats(2, 3)], [output])
    (long,) = compiled(wrong_shape=True).run([floats(2, 3)], [output])

    assert (wide.dtype.name, wide.shape) == ("float64", (2, 3))
    assert (long.dtype.name, long.shape) == ("float32", (3, 3))


@pytest.mark.parametrize("fault", ["wrong_shape", "wrong_dtype"])
def test_wrong_shape_and_wrong_dtype_change_results_in_device_memory(fault: str) -> None:
    device = SIM_NPU.open(memory=True, **{fault: True})
    memory = device.memory()
    assert memory is not None
    block = memory.allocate((2, 3), DType.FLOAT32)
    (result,) = SIM_NPU.compile(TEXT, device).run([block], [block])

    with pytest.raises(NpuError, match="NPU-302 SIZE_MISMATCH"):
        memory.copy_out(result, floats(2, 3))


@pytest.mark.parametrize("option", ["slow_build", "slow_run"])
def test_slow_build_and_slow_run_take_the_given_time(option: str) -> None:
    started = time.monotonic()
    run(compiled(**{option: 0.05}))
    assert time.monotonic() - started >= 0.05


def test_sdk_version_is_part_of_the_version() -> None:
    assert SIM_NPU.open(sdk_version="9.9").version() == "SimNPU SDK 9.9"


@pytest.mark.parametrize("option", ["kill", "fail_run"])
def test_kill_ends_the_process_and_fail_run_does_not(root: Path, option: str) -> None:
    code = (
        "import sys, numpy as np\n"
        "from tests.bridges.sim_npu.test_faults import compiled, run\n"
        "model = compiled(**{sys.argv[1]: 2})\n"
        "run(model); print('once', flush=True); run(model); print('twice')"
    )
    done = subprocess.run([sys.executable, "-c", code, option], cwd=root, capture_output=True, text=True)

    assert done.stdout == "once\n"
    assert done.returncode == (-signal.SIGKILL if option == "kill" else 1)
