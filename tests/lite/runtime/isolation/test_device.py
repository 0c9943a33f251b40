"""An isolated device behaves like the device itself."""

from __future__ import annotations

import gc
import os
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from lite.cache import WeightHashes
from lite.cache.region_key import region_key
from lite.errors import CompileError, ExecutionError
from lite.ir.types import DType
from lite.plugin.device import Device, Settings
from lite.plugin.device.opening import open_device
from lite.runtime.isolation import isolated
from tests.bridges.region import check as check_on_host
from tests.bridges.region import region
from tests.lite.runtime.isolation.processes import children, comes_true, descriptors, linux_only
from tests.lite.runtime.isolation.regions import TWO, B, X, check, compiled, expected
from tests.support.fake_worker_device import FaultyDevice, Options, faulty


@pytest.fixture(scope="module")
def device() -> Iterator[Device[Any]]:
    """One worker for all tests that do not end it."""
    yield faulty(settings=Settings(threads=3, precision="strict"))
    gc.collect()


def sim_npu(spec: str = "sim_npu") -> Device[Any]:
    return isolated(open_device(spec), spec)


def test_the_class_derives_from_the_devices_class(device: Device[Any]) -> None:
    assert isinstance(device, FaultyDevice)
    assert (device.name, device.settings, device.options) == ("faulty", Settings(3, "strict"), Options())
    assert type(device).__name__ == "IsolatedFaultyDevice"


def test_availability_version_and_memory_are_read_in_the_worker(device: Device[Any]) -> None:
    assert device.available() is None
    name, threads, precision, pid = device.version().split()
    assert (name, threads, precision) == ("faulty", "3", "strict")
    assert int(pid) != os.getpid()
    assert device.version().split()[-1] == pid
    assert device.memory() is None


def test_no_worker_is_started_before_the_first_request() -> None:
    before = children()
    lazy = faulty()
    assert (lazy.limits.ops, list(lazy.patterns()), list(lazy.region_passes())) == (None, [], [])
    assert lazy.why_not_region(region(TWO)) is None
    assert children() == before


def test_an_unavailable_device_gives_its_reason() -> None:
    assert faulty("unavailable:").available() == "no chip"


def test_a_region_is_compiled_and_run_in_the_worker(device: Device[Any]) -> None:
    model = compiled(device)
    check(model)
    check(model, X * 2, B + 1)
    check(model, X.T.copy().T, np.broadcast_to(np.float32(3), (2, 3)))


def test_results_are_not_changed_by_later_runs(device: Device[Any]) -> None:
    model = compiled(device)
    first = model.run([X, B], [None, None])
    second = model.run([X + 1, B], [None, None])
    for result, array in zip([*first, *second], [*expected(), *expected(X + 1)], strict=True):
        np.testing.assert_array_equal(result, array)
        result[...] = 0
    check(model)


@pytest.mark.parametrize("spec", ["", "results:in place", "results:swapped"])
def test_results_are_written_to_output_arrays(spec: str) -> None:
    model = compiled(faulty(spec))
    outputs = [np.empty((2, 3), np.float32), np.empty((2, 3), np.float32)]
    results = model.run([X, B], outputs)
    assert [result is output for result, output in zip(results, outputs, strict=True)] == [True, True]
    for output, array in zip(outputs, expected(), strict=True):
        np.testing.assert_array_equal(output, array)


def test_some_results_are_written_to_output_arrays(device: Device[Any]) -> None:
    output = np.empty((2, 3), np.float32)
    results = compiled(device).run([X, B], [None, output])
    assert results[1] is output
    for result, array in zip(results, expected(), strict=True):
        np.testing.assert_array_equal(result, array)


def test_inputs_may_be_returned_as_results() -> None:
    model = compiled(faulty("results:inputs"))
    for result, array in zip(model.run([X, B], [None, None]), [X, B], strict=True):
        np.testing.assert_array_equal(result, array)


def test_a_device_cannot_write_its_inputs() -> None:
    with pytest.raises(
        ExecutionError, match="faulty: running failed: ValueError: assignment destination is read-only"
    ):
        compiled(faulty("results:write inputs")).run([X, B], [None, None])


def test_wrong_results_are_returned_unchecked() -> None:
    """The engine checks shapes; the isolated model returns what the device returned."""
    output = np.zeros((2, 3), np.float32)
    results = compiled(faulty("results:longer")).run([X, B], [output, None])
    assert [result.shape for result in results] == [(4, 3), (4, 3)]
    assert not output.any()
    assert compiled(faulty("results:nothing")).run([X, B], [None, None]) == []
    with pytest.raises(ExecutionError, match="faulty: running failed: GraphError"):
        compiled(faulty("results:objects")).run([X, B], [None, None])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "int64", "bool", "uint8"])
def test_tensors_of_any_dtype_are_transferred(device: Device[Any], dtype: str) -> None:
    model = compiled(
        device, f"graph r(%x: {dtype}[2,0,3], %y: {dtype}[], %z: {dtype}[5]) {{ return %z, %y, %x }}"
    )
    arrays = [np.ones(shape, DType.from_name(dtype).numpy) for shape in ((2, 0, 3), (), (5,))]
    results = model.run(arrays, [None] * 3)
    assert [(result.dtype, result.shape) for result in results] == [
        (array.dtype, array.shape) for array in arrays[::-1]
    ]
    assert all((result == 1).all() for result in results)


def test_a_model_may_have_no_inputs_or_no_results(device: Device[Any]) -> None:
    constant = "graph r() { %w = const int64[2] [3, 4] return %w }"
    assert [list(result) for result in compiled(device, constant).run([], [None])] == [[3, 4]]
    assert compiled(device, "graph r(%x: float32[1]) { return }").run([np.ones(1, np.float32)], []) == []


def test_inputs_of_changing_size_are_transferred(device: Device[Any]) -> None:
    model = compiled(device, "graph r(%x: float32[n]) { %y = relu(X=%x) return %y }")
    for size in (1, 0, 5, 100_000, 7, 3_000_000, 3_000_001, 2):
        array = np.linspace(-1, 1, size, dtype=np.float32)
        np.testing.assert_array_equal(model.run([array], [None])[0], np.maximum(array, 0))


def test_large_constants_are_transferred(device: Device[Any]) -> None:
    text = """
    graph r(%x: float32[1]) {
      %w = const float32[700,1000] random(3)
      %y = elementwise_add(X=%w, Y=%x) {axis=-1}
      return %y
    }
    """
    weight = region(text).constants["w"].data
    assert weight is not None
    np.testing.assert_array_equal(compiled(device, text).run([np.ones(1, np.float32)], [None])[0], weight + 1)


def test_a_model_is_serialised_and_loaded(device: Device[Any]) -> None:
    model = compiled(device)
    blob = model.serialize()
    assert blob is not None
    check(model)
    check(device.load(blob))
    assert compiled(faulty("not stored:")).serialize() is None


def test_the_vendors_files_are_those_of_the_worker(device: Device[Any]) -> None:
    model = compiled(device)
    assert model.files() == {"graph.txt": model.serialize(), "weights/": b"", "weights/none.bin": b""}
    check(model)
    assert compiled(faulty("not stored:")).files() == {}
    with pytest.raises(CompileError, match="the vendor's message"):
        compiled(faulty("files:raise")).files()


def test_a_worker_keeps_several_models(device: Device[Any]) -> None:
    models = [compiled(device, TWO.replace("100.0", f"{number}.0")) for number in range(5)]
    for _ in range(2):
        for number, model in enumerate(models):
            y = np.maximum(X + np.array([1, 10, number], np.float32), 0)
            np.testing.assert_array_equal(model.run([X, B], [None, None])[0], y)
    del models[::2]
    gc.collect()
    np.testing.assert_array_equal(models[0].run([X, B], [None, None])[0][0], np.maximum(X[0] + [1, 10, 1], 0))


def test_threads_share_models(device: Device[Any]) -> None:
    models = [compiled(device), compiled(device)]
    failures: list[BaseException] = []

    def work(seed: int) -> None:
        generator = np.random.default_rng(seed)
        try:
            for _ in range(25):
                x, b = generator.standard_normal((2, 2, 3)).astype(np.float32)
                check(models[seed % 2], x, b)
        except AssertionError as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_errors_of_the_device_are_raised_with_the_workers_traceback() -> None:
    for when, activity in (
        ("compile", "compiling"),
        ("load", "loading a cached model"),
        ("version", "reading its version"),
    ):
        device = faulty(f"{when}:raise")
        with pytest.raises(
            CompileError, match=f"^faulty: {activity} failed: ValueError: the vendor's message$"
        ) as caught:
            device.load(b"") if when == "load" else device.version() if when == "version" else compiled(
                device
            )
        assert 'raise ValueError("the vendor\'s message")' in str(caught.value.__cause__)
    with pytest.raises(ExecutionError, match="faulty: running failed: too wide"):
        compiled(faulty("run:name")).run([X, B], [None, None])
    model = compiled(faulty("run:raise"))
    for _ in range(2):
        with pytest.raises(
            ExecutionError, match=r"^faulty: running failed: ValueError: the vendor's message$"
        ):
            model.run([X, B], [None, None])


def test_the_op_that_the_compiler_names_is_in_the_error() -> None:
    with pytest.raises(CompileError, match=r"^faulty: compiling failed: too wide$") as caught:
        compiled(faulty("compile:name"))
    assert caught.value.op == "y"


def test_sys_exit_in_the_vendors_code_does_not_end_the_worker() -> None:
    device = faulty("compile:leave")
    with pytest.raises(CompileError, match="faulty: compiling failed: SystemExit: 3"):
        compiled(device)
    assert device.available() is None


def test_a_device_that_cannot_be_opened_is_unavailable() -> None:
    device = faulty("open:raise")
    assert device.available() == "faulty: opening the device failed: ValueError: the vendor's message"
    with pytest.raises(CompileError, match="opening the device failed"):
        compiled(device)


def test_a_missing_opener_makes_the_device_unavailable() -> None:
    device = isolated(FaultyDevice(Options(), Settings()), "", opener="tests.no_such_module:open")
    assert device.available() == (
        "faulty: opening the device failed: ModuleNotFoundError: No module named 'tests.no_such_module'"
    )


def test_an_isolated_device_has_the_same_cache_key() -> None:
    graph = region(TWO)
    for plain in (open_device("sim_npu"), FaultyDevice(Options(), Settings())):
        keys = [
            region_key(graph, (), device, "spec", WeightHashes())
            for device in (plain, isolated(plain, "sim_npu"))
        ]
        assert [
            part for part, _ in keys[0].difference(keys[1]) if part and part.name != "device version"
        ] == []


def test_the_simulated_npu_runs_in_a_worker() -> None:
    check_on_host(sim_npu(), "graph r(%x: float32[2,3]) { %y = relu(X=%x) %z = tanh(X=%y) return %z }", X)


def test_handles_of_the_devices_memory_pass_between_models() -> None:
    device = sim_npu("sim_npu{memory=true}")
    text = "graph r(%x: float32[2,3]) { %y = relu(X=%x) return %y }"
    first, second = compiled(device, text), compiled(device, text.replace("relu", "tanh"))
    memory = device.memory()
    assert memory is not None
    assert device.memory() is memory
    for scale in (1, 2):
        handle = memory.allocate((2, 3), DType.FLOAT32)
        memory.copy_in(handle, X * np.float32(scale))
        (middle,) = first.run([handle], [None])
        (last,) = second.run([middle], [None])
        for tensor, result in ((middle, np.maximum(X * scale, 0)), (last, np.tanh(np.maximum(X * scale, 0)))):
            array = np.empty((2, 3), np.float32)
            memory.copy_out(tensor, array)
            np.testing.assert_allclose(array, result, rtol=1e-5)


@linux_only
def test_no_process_file_or_descriptor_remains() -> None:
    gc.collect()
    names, before, running = os.listdir("/dev/shm"), descriptors(), children()
    device = faulty()
    model = compiled(device)
    check(model)
    model.run([np.zeros((2, 3), np.float32), B], [None, None])
    assert len(children()) == len(running) + 1
    assert os.listdir("/dev/shm") == names
    del device, model
    gc.collect()
    assert comes_true(lambda: children() == running)
    assert descriptors() == before
