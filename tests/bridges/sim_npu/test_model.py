"""Compiled models of the device."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest

from lite.bridges.sim_npu.sdk import NpuError
from tests.bridges.arrays import floats
from tests.bridges.devices import SIM_NPU

TEXT = """graph main(%x: float32[2,3]) { %c = const float32[2,3] random(1)
    %y = elementwise_add(X=%x, Y=%c) %z = relu(X=%y) return %y, %z }"""


def test_a_run_writes_into_the_output_arrays() -> None:
    model = SIM_NPU.compile(TEXT)
    output = np.zeros((2, 3), np.float32)

    y, z = model.run([floats(2, 3)], [None, output])

    assert z is output
    assert y.flags.owndata
    np.testing.assert_array_equal(z, np.maximum(y, 0))


def test_inputs_may_be_read_only() -> None:
    model = SIM_NPU.compile(TEXT)
    x = floats(2, 3)
    x.flags.writeable = False

    model.run([x], [None, None])

    np.testing.assert_array_equal(x, floats(2, 3))


def test_a_region_may_return_an_input_and_a_constant() -> None:
    text = "graph main(%x: float32[3]) { %c = const float32[2] [1.0, 2.0] return %x, %c }"

    x, c = SIM_NPU.run(text, floats(3))

    np.testing.assert_array_equal(x, floats(3))
    np.testing.assert_array_equal(c, [1, 2])


def test_a_loaded_model_equals_the_compiled_one() -> None:
    device = SIM_NPU.open()
    model = SIM_NPU.compile(TEXT, device)
    again = device.load(model.serialize())

    for first, second in zip(
        model.run([floats(2, 3)], [None, None]), again.run([floats(2, 3)], [None, None]), strict=True
    ):
        np.testing.assert_array_equal(first, second)
    assert again.serialize() == model.serialize()


@pytest.mark.parametrize("damage", [lambda blob: blob[:-3], lambda blob: blob[:40] + b"?" + blob[41:]])
def test_damaged_bytes_are_an_error(damage: type[bytes]) -> None:
    device = SIM_NPU.open()
    blob = SIM_NPU.compile(TEXT, device).serialize()

    with pytest.raises(NpuError, match="NPU-201 BLOB_CORRUPT"):
        device.load(damage(blob))


def test_runs_and_models_free_their_memory() -> None:
    device = SIM_NPU.open()
    model = SIM_NPU.compile(TEXT, device)
    assert device._npu.memory.used == 24

    model.run([floats(2, 3)], [None, None])
    gc.collect()
    assert device._npu.memory.used == 24

    del model
    gc.collect()
    assert device._npu.memory.used == 0


def test_a_run_with_a_wrong_input_is_an_error_and_frees_its_memory() -> None:
    device = SIM_NPU.open()
    model = SIM_NPU.compile(TEXT, device)

    with pytest.raises(NpuError, match="NPU-302 SIZE_MISMATCH"):
        model.run([floats(2, 4)], [None, None])
    gc.collect()
    assert device._npu.memory.used == 24


def test_threads_share_a_model() -> None:
    model = SIM_NPU.compile(TEXT, SIM_NPU.open(cores=2))
    assert model.threads == "shared"
    constant = model.run([np.zeros((2, 3), np.float32)], [None, None])[0]
    wrong: list[int] = []

    def work(seed: int) -> None:
        for _ in range(20):
            y, _ = model.run([floats(2, 3, seed=seed)], [None, None])
            if not np.array_equal(y, floats(2, 3, seed=seed) + constant):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
