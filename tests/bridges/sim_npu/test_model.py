from __future__ import annotations

import gc
import threading

import numpy as np
import pytest

from lite.bridges.sim_npu.device import SimNpu
from lite.bridges.sim_npu.model import NpuModel
from lite.bridges.sim_npu.sdk import NpuError
from lite.plugin.device import meta_of
from tests.bridges.region import region
from tests.bridges.sim_npu.opened import opened
from tests.bridges.sim_npu.sdk.program_run import floats

TEXT = """graph main(%x: float32[2,3]) { %c = const float32[2,3] random(1)
    %y = elementwise_add(X=%x, Y=%c) %z = relu(X=%y) return %y, %z }"""


def compiled(device: SimNpu) -> NpuModel:
    graph = region(TEXT)
    return device.compile(graph, tuple(meta_of(arg) for arg in graph.args))


def test_outputs_that_are_given_are_written() -> None:
    model = compiled(opened())
    given = np.zeros((2, 3), np.float32)

    y, z = model.run([floats(2, 3)], [None, given])

    assert z is given
    assert y.flags.owndata
    np.testing.assert_array_equal(z, np.maximum(y, 0))


def test_inputs_are_not_written_and_may_be_read_only() -> None:
    model = compiled(opened())
    x = floats(2, 3)
    x.flags.writeable = False

    model.run([x], [None, None])

    np.testing.assert_array_equal(x, floats(2, 3))


def test_a_region_may_return_what_it_was_given() -> None:
    graph = region("graph main(%x: float32[3]) { %c = const float32[2] [1.0, 2.0] return %x, %c }")
    model = opened().compile(graph, tuple(meta_of(arg) for arg in graph.args))

    x, c = model.run([floats(3)], [None, None])

    np.testing.assert_array_equal(x, floats(3))
    np.testing.assert_array_equal(c, [1, 2])


def test_bytes_make_the_same_model() -> None:
    device = opened()
    model = compiled(device)
    again = device.load(model.serialize())

    for first, second in zip(
        model.run([floats(2, 3)], [None, None]), again.run([floats(2, 3)], [None, None]), strict=True
    ):
        np.testing.assert_array_equal(first, second)
    assert again.serialize() == model.serialize()


@pytest.mark.parametrize("damage", [lambda blob: blob[:-3], lambda blob: blob[:40] + b"?" + blob[41:]])
def test_damaged_bytes_are_refused(damage: type[bytes]) -> None:
    device = opened()
    blob = compiled(device).serialize()

    with pytest.raises(NpuError, match="NPU-201 BLOB_CORRUPT"):
        device.load(damage(blob))


def test_nothing_stays_in_the_devices_memory() -> None:
    device = opened()
    model = compiled(device)
    assert device._npu.memory.used == 24

    model.run([floats(2, 3)], [None, None])
    gc.collect()
    assert device._npu.memory.used == 24

    del model
    gc.collect()
    assert device._npu.memory.used == 0


def test_a_wrong_input_is_the_sdks_error_and_leaves_nothing_behind() -> None:
    device = opened()
    model = compiled(device)

    with pytest.raises(NpuError, match="NPU-302 SIZE_MISMATCH"):
        model.run([floats(2, 4)], [None, None])
    gc.collect()
    assert device._npu.memory.used == 24


def test_threads_share_a_model() -> None:
    model = compiled(opened(cores=2))
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
