"""The runtime of the SDK."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from lite.bridges.sim_npu import sdk
from tests.bridges.arrays import floats
from tests.bridges.sim_npu.sdk.program_run import graph_of


def loaded(npu: sdk.Npu) -> sdk.Model:
    return npu.load(sdk.compile(graph_of("ADD", floats(2, 3), floats(2, 3, seed=1), constants=[1])))


def result_of(npu: sdk.Npu, model: sdk.Model, seed: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    source, target = npu.memory.allocate(24), npu.memory.allocate(24)
    npu.memory.copy_in(source, floats(2, 3, seed=seed))
    model.execute([source], [target])
    result = np.empty((2, 3), np.float32)
    npu.memory.copy_out(target, result)
    npu.memory.free_all([source, target])
    return result


def test_unload_frees_the_constants() -> None:
    npu = sdk.Npu()
    model = loaded(npu)

    assert npu.memory.used == 24
    model.unload()
    assert npu.memory.used == 0


def test_a_model_runs_again_and_two_models_share_a_device() -> None:
    npu = sdk.Npu()
    models = [loaded(npu), loaded(npu)]

    for seed in (3, 4):
        for model in models:
            np.testing.assert_array_equal(
                result_of(npu, model, seed), floats(2, 3, seed=seed) + floats(2, 3, seed=1)
            )
    assert npu.memory.used == 48


def test_a_wrong_number_of_blocks_is_an_error() -> None:
    model = loaded(sdk.Npu())

    with pytest.raises(
        sdk.NpuError, match="NPU-102 INVALID_ARITY: the model has 1 inputs and 1 outputs, got 2 and 0"
    ):
        model.execute([1, 2], [])


def test_a_run_that_fails_at_a_block_frees_its_memory() -> None:
    npu = sdk.Npu()
    model = loaded(npu)
    source, target = npu.memory.allocate(24), npu.memory.allocate(20)

    with pytest.raises(sdk.NpuError, match="NPU-302 SIZE_MISMATCH"):
        model.execute([source], [target])
    assert npu.memory.used == 24 + 24 + 20


def test_a_run_that_fails_to_allocate_frees_its_memory() -> None:
    npu = sdk.Npu()
    model = loaded(npu)
    source, target = npu.memory.allocate(24), npu.memory.allocate(24)
    npu.memory.capacity = npu.memory.used + 23

    with pytest.raises(sdk.NpuError, match="NPU-303 OUT_OF_MEMORY: cannot allocate 24 bytes, 23 of"):
        model.execute([source], [target])
    assert npu.memory.used == 72


def test_a_core_runs_one_model_at_a_time() -> None:
    npu = sdk.Npu(cores=1)
    model = loaded(npu)
    thread = threading.Thread(target=result_of, args=(npu, model, 1))
    with npu.cores:
        thread.start()
        thread.join(0.05)
        assert thread.is_alive()
    thread.join(10)
    assert not thread.is_alive()


def test_threads_share_a_model() -> None:
    npu = sdk.Npu(cores=2)
    model = loaded(npu)
    results: dict[int, object] = {}
    threads = [
        threading.Thread(target=lambda seed=seed: results.update({seed: result_of(npu, model, seed)}))
        for seed in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    for seed in range(8):
        np.testing.assert_array_equal(results[seed], floats(2, 3, seed=seed) + floats(2, 3, seed=1))


@pytest.mark.parametrize("cores", [0, 9])
def test_cores_outside_of_one_to_eight_are_an_error(cores: int) -> None:
    with pytest.raises(sdk.NpuError, match=rf"NPU-107 LIMIT_EXCEEDED: {cores} cores \(supported: 1 to 8\)"):
        sdk.Npu(cores)
