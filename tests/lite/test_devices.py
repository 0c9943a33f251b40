"""Models whose regions run on a device, and what happens when it fails."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.ir.types import Array
from lite.plugin.device import Limits
from tests.fake_device import FakeMemory, Faults, fake_device
from tests.lite.small_convnet import convnet
from tests.lite.small_models import affine, affine_reference

AFFINE = ("elementwise_mul", "elementwise_add", "relu", "scale")
CONVNET = ("conv2d", "relu", "reduce_mean", "matmul_v2")
X = np.array([[1, 2, 3, 4], [-1, -2, -3, -4]], np.float32)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    lite.save_program(affine(), tmp_path / "affine")
    return tmp_path / "affine"


@pytest.fixture
def net(tmp_path: Path) -> Path:
    lite.save_program(convnet(), tmp_path / "net")
    return tmp_path / "net"


def predictor(model: Path, **options: Any) -> lite.Predictor:
    return lite.create_predictor(lite.Config(model, devices=["fake"], **options))


def warnings_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def image(size: int = 6, batch: int = 1) -> Array:
    return np.random.default_rng(size).standard_normal((batch, 3, size, size)).astype(np.float32)


def host_result(net: Path, x: Array) -> Array:
    return lite.create_predictor(lite.Config(net)).run([x])["y"]


def test_a_model_that_the_device_takes_whole_is_one_region(model: Path) -> None:
    with fake_device(*AFFINE) as faults:
        made = predictor(model, fallback="error")
        for _ in range(2):
            outputs = made.run([X])
            np.testing.assert_array_equal(outputs["y"], affine_reference(X))
            np.testing.assert_array_equal(outputs["twice"], 2 * affine_reference(X))
        report = made.report()
    assert (faults.compiled, faults.runs) == (1, 2)
    [region] = report.regions
    assert (region.device, region.inputs, region.outputs) == ("fake", ["x"], ["y", "twice"])
    assert region.ops == ["xw", "sum", "y", "twice"]
    assert (region.state, region.signatures[0].runs, region.signatures[0].host_runs) == ("built", 2, 0)
    assert report.coverage["fake"] == {"ops": 1.0, "macs": 0.0, "bytes": 0.0}
    assert [op.placed_on for op in report.ops] == ["fake"] * 4


def test_without_devices_nothing_is_a_region(model: Path) -> None:
    report = lite.create_predictor(lite.Config(model)).report()
    assert report.regions == []
    assert {op.placed_on for op in report.ops} == {"host"}


def test_ops_that_the_device_lacks_stay_on_the_host_with_a_reason(net: Path) -> None:
    with fake_device("conv2d", "reduce_mean") as faults:
        made = predictor(net, min_subgraph_ops=1)
        x = image()
        np.testing.assert_allclose(made.run([x])["y"], host_result(net, x), rtol=1e-4, atol=1e-5)
        report = made.report()
    assert [region.ops for region in report.regions] == [["a"], ["c", "d"]]
    assert faults.compiled == 2
    declined = {op.name: op.why_not for op in report.ops if op.placed_on == "host"}
    assert declined == {
        "b": {"fake": "fake has no bridge for relu"},
        "y": {"fake": "fake has no bridge for matmul_v2"},
    }


def test_small_regions_are_given_back(net: Path) -> None:
    with fake_device("conv2d") as faults:
        made = predictor(net)
        x = image()
        np.testing.assert_array_equal(made.run([x])["y"], host_result(net, x))
        report = made.report()
    assert (faults.compiled, report.regions) == (0, [])
    assert [(device, count) for device, count, _ in report.pruned] == [("fake", 1), ("fake", 1)]


def test_each_shape_is_built_once_and_then_one_for_all(net: Path) -> None:
    with fake_device(*CONVNET, dynamic=True) as faults:
        made = predictor(net, max_signatures=2, fallback="error")
        for size in (4, 5, 6, 7, 4, 6):
            x = image(size)
            np.testing.assert_allclose(made.run([x])["y"], host_result(net, x), rtol=1e-4, atol=1e-5)
        states = [each.state for each in made.report().regions[0].signatures]
    assert faults.compiled == 3
    assert states == ["built", "built", "dynamic", "dynamic"]


def test_a_device_without_dynamic_shapes_leaves_the_rest_to_the_host(
    net: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with fake_device(*CONVNET) as faults:
        made = predictor(net, max_signatures=1)
        for size in (4, 5, 5):
            x = image(size)
            np.testing.assert_allclose(made.run([x])["y"], host_result(net, x), rtol=1e-4, atol=1e-5)
    assert (faults.compiled, faults.runs) == (1, 1)
    [warning] = warnings_in(caplog)
    assert "max_signatures" in warning


def test_clones_share_models(net: Path) -> None:
    with fake_device(*CONVNET) as faults:
        first = predictor(net, fallback="error")
        clones = [first.clone() for _ in range(4)]
        x = image()
        want = host_result(net, x)
        results: list[Array] = []
        threads = [
            threading.Thread(target=lambda each=each: results.append(each.run([x])["y"])) for each in clones
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert faults.compiled == 1
    for result in results:
        np.testing.assert_allclose(result, want, rtol=1e-4, atol=1e-5)
    assert len(results) == 4


def test_outputs_are_written_to_the_callers_arrays(model: Path) -> None:
    with fake_device(*AFFINE):
        mine = np.zeros((2, 4), np.float32)
        outputs = predictor(model).run([X], outputs={"twice": mine})
    assert outputs["twice"] is mine
    np.testing.assert_array_equal(mine, 2 * affine_reference(X))


def _missing(faults: Faults) -> None:
    faults.missing = "the driver is not installed"


def _convert(faults: Faults) -> None:
    faults.convert = frozenset({"reduce_mean"})


def _compile(faults: Faults) -> None:
    faults.compile = frozenset({"reduce_mean"})


def _compile_unnamed(faults: Faults) -> None:
    faults.compile, faults.names_op = frozenset({"reduce_mean"}), False


def _first_run(faults: Faults) -> None:
    faults.run = 1


def _wrong_shape(faults: Faults) -> None:
    faults.result = lambda array: array[:0]


def _wrong_dtype(faults: Faults) -> None:
    faults.result = lambda array: array.astype(np.float64)


def _nothing(faults: Faults) -> None:
    faults.result = lambda _: None


FAULTS = [_missing, _convert, _compile, _compile_unnamed, _first_run, _wrong_shape, _wrong_dtype, _nothing]


@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_fails_the_host_answers_and_says_so_once(
    net: Path, caplog: pytest.LogCaptureFixture, fault: Any
) -> None:
    x = image()
    want = host_result(net, x)
    with fake_device(*CONVNET) as faults:
        fault(faults)
        made = predictor(net)
        for _ in range(3):
            np.testing.assert_allclose(made.run([x])["y"], want, rtol=1e-4, atol=1e-5)
        compiled = faults.compiled
        made.clone().run([x])
        assert faults.compiled == compiled
        report = made.report()
    assert len(warnings_in(caplog)) == 1
    if fault is _missing:
        assert report.warnings == ["device fake cannot be used: the driver is not installed"]
    else:
        assert report.regions[0].state in ("host", "split")
        assert report.regions[0].reason


@pytest.mark.parametrize("fault", FAULTS)
def test_strictly_each_failure_is_an_error(net: Path, fault: Any) -> None:
    runs = fault in (_first_run, _wrong_shape, _wrong_dtype, _nothing)
    with fake_device(*CONVNET) as faults:
        fault(faults)
        for _ in range(2):
            with pytest.raises(lite.ExecutionError if runs else lite.CompileError, match="fake"):
                predictor(net, fallback="error").run([image()])


@pytest.mark.parametrize("names_op", [True, False])
def test_a_region_is_split_around_the_op_that_does_not_compile(net: Path, names_op: bool) -> None:
    x = image()
    want = host_result(net, x)
    with fake_device(*CONVNET) as faults:
        faults.compile, faults.names_op = frozenset({"reduce_mean"}), names_op
        made = predictor(net)
        np.testing.assert_allclose(made.run([x])["y"], want, rtol=1e-4, atol=1e-5)
        assert faults.runs == 1
        assert made.report().regions[0].state == "split"


def test_a_device_that_fails_later_is_left_for_good(net: Path, caplog: pytest.LogCaptureFixture) -> None:
    x = image()
    want = host_result(net, x)
    with fake_device(*CONVNET) as faults:
        faults.run = 3
        made = predictor(net)
        for _ in range(5):
            np.testing.assert_allclose(made.run([x])["y"], want, rtol=1e-4, atol=1e-5)
        [region] = made.report().regions
    assert faults.runs == 3
    assert (region.state, region.signatures[0].runs, region.signatures[0].host_runs) == ("host", 2, 3)
    [warning] = warnings_in(caplog)
    assert "the chip is on fire" in warning


def test_a_saved_program_with_regions_loads_as_its_ops(model: Path, tmp_path: Path) -> None:
    with fake_device("elementwise_mul", "elementwise_add"):
        program = predictor(model).optimized_program()
    assert "subgraph" in [op.type for op in program.blocks[0].ops]
    lite.save_program(program, tmp_path / "again")
    outputs = lite.create_predictor(lite.Config(tmp_path / "again")).run([X])
    np.testing.assert_array_equal(outputs["y"], affine_reference(X))


def test_prepare_builds_ahead_and_says_what(net: Path) -> None:
    heard: list[str] = []
    with fake_device(*CONVNET) as faults:
        made = predictor(net)
        made.prepare({"x": (1, 3, 6, 6)}, heard.append)
        assert (faults.compiled, faults.runs) == (1, 0)
        made.run([image()])
        assert (faults.compiled, faults.runs) == (1, 1)
    assert heard == ["building region 0 on fake: 5 ops"]


def test_models_are_kept_for_the_next_process(net: Path, tmp_path: Path) -> None:
    with fake_device(*CONVNET) as faults:
        for _ in range(2):
            made = predictor(net, cache_dir=tmp_path / "cache", fallback="error")
            made.run([image()])
        [notes] = made.explain_cache().values()
    assert (faults.compiled, faults.loaded) == (1, 1)
    assert list(notes.values()) == ["hit"]
    assert made.report().regions[0].state == "loaded"


def test_a_kept_model_that_does_not_load_is_built_anew(
    net: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    x = image()
    want = host_result(net, x)
    with fake_device(*CONVNET) as faults:
        predictor(net, cache_dir=tmp_path / "cache").run([x])
        faults.load = True
        made = predictor(net, cache_dir=tmp_path / "cache", fallback="error")
        np.testing.assert_allclose(made.run([x])["y"], want, rtol=1e-4, atol=1e-5)
    assert faults.compiled == 2
    [warning] = warnings_in(caplog)
    assert "bad magic" in warning


@pytest.mark.parametrize("fault", [_first_run, _wrong_shape])
def test_a_kept_model_that_fails_falls_back_too(net: Path, tmp_path: Path, fault: Any) -> None:
    x = image()
    want = host_result(net, x)
    with fake_device(*CONVNET) as faults:
        predictor(net, cache_dir=tmp_path / "cache").prepare({"x": x.shape})
        fault(faults)
        made = predictor(net, cache_dir=tmp_path / "cache")
        for _ in range(2):
            np.testing.assert_allclose(made.run([x])["y"], want, rtol=1e-4, atol=1e-5)
        assert faults.loaded == 1
        [region] = made.report().regions
    assert (region.state, region.signatures[0].host_runs) == ("host", 2)


def test_values_between_regions_of_one_device_stay_there(model: Path) -> None:
    with fake_device(*AFFINE, limits=Limits(ops=1)) as faults:
        faults.memory = FakeMemory()
        made = predictor(model, min_subgraph_ops=1, fallback="error")
        for _ in range(2):
            np.testing.assert_array_equal(made.run([X])["twice"], 2 * affine_reference(X))
        assert len(made.report().regions) == 4
    # In each run: x in, y and twice out, and y, which is the caller's, in again for the last region.
    assert (len(faults.memory.copied_in), len(faults.memory.copied_out)) == (4, 4)


def test_a_region_on_the_host_reads_what_lies_on_the_device(model: Path) -> None:
    with fake_device(*AFFINE, limits=Limits(ops=1)) as faults:
        faults.memory = FakeMemory()
        faults.run = 3
        made = predictor(model, min_subgraph_ops=1)
        for _ in range(2):
            np.testing.assert_array_equal(made.run([X])["twice"], 2 * affine_reference(X))
        assert made.observe(lambda _: None, [X])["y"].tolist() == affine_reference(X).tolist()


def test_arrays_are_aligned_as_the_device_wants(model: Path) -> None:
    odd = np.zeros(4 * X.size + 4, np.uint8)[4:].view(np.float32).reshape(X.shape)
    odd[...] = X
    with fake_device(*AFFINE, limits=Limits(alignment=64)) as faults:
        made = predictor(model, fallback="error")
        for x in (odd, np.asfortranarray(X), X):
            np.testing.assert_array_equal(made.run([x])["y"], affine_reference(X))
            [given] = faults.inputs
            assert given.flags.c_contiguous
            assert given.ctypes.data % 64 == 0


def test_part_of_a_model_uses_the_same_models(net: Path) -> None:
    with fake_device("conv2d", "relu") as faults:
        made = predictor(net)
        x = image()
        made.run([x])
        compiled = faults.compiled
        [inner] = made.run_part({"x": x}, [made.report().regions[0].outputs[0]]).values()
        assert faults.compiled == compiled
    assert inner.shape == (1, 32, 6, 6)


def test_rules_that_match_nothing_are_a_warning(net: Path, caplog: pytest.LogCaptureFixture) -> None:
    with fake_device(*CONVNET):
        report = predictor(net, partition_rules="softmax\nrelu -> fake").report()
    [warning] = warnings_in(caplog)
    assert report.warnings == [warning]
    assert "'softmax' matches no op" in warning


def test_rules_name_devices_of_the_config(net: Path) -> None:
    with fake_device(*CONVNET), pytest.raises(lite.ConfigError, match="did you mean 'fake'"):
        predictor(net, partition_rules="relu -> fade")


def test_a_device_that_hangs_in_its_own_process_is_ended(net: Path) -> None:
    x = image()
    config = lite.Config(net, devices=["sim_npu{slow_run=60}"], isolate=True, time_limit=2)
    made = lite.create_predictor(config)
    np.testing.assert_allclose(made.run([x])["y"], host_result(net, x), rtol=1e-3, atol=1e-4)
    [region] = made.report().regions
    assert region.state == "host"
