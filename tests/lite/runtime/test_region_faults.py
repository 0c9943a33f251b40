"""Regions whose devices fail in unusual ways, and what is remembered of it.

Longer than 400 lines: one fault a test, all with the same fixtures.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lite
from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.ir.types import Array, DType
from lite.plugin.device import DEVICES, CompiledModel, Limits
from tests.fake_device import FakeMemory, FakeModel, Faults, fake_device
from tests.lite.small_convnet import convnet
from tests.lite.small_models import affine, affine_reference, make_program

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


@pytest.fixture
def selecting(tmp_path: Path) -> Path:
    """The elements above zero, and x in another shape."""
    program = make_program(
        {"x": (DType.FLOAT32, (-1, 4))},
        {"zero": np.zeros(1, np.float32)},
        [
            ("greater_than", {"X": ["x"], "Y": ["zero"]}, {"Out": ["mask"]}, {"axis": -1}),
            ("where_index", {"Condition": ["mask"]}, {"Out": ["where"]}, {}),
            ("reshape2", {"X": ["x"]}, {"Out": ["flat"]}, {"shape": [-1]}),
        ],
        ["where", "flat"],
    )
    lite.save_program(program, tmp_path / "selecting")
    return tmp_path / "selecting"


SELECTING = ("greater_than", "where_index", "reshape2")


def predictor(model: Path, **options: Any) -> lite.Predictor:
    return lite.create_predictor(lite.Config(model, devices=["fake"], **options))


def warnings_in(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def image(size: int) -> Array:
    return np.random.default_rng(size).standard_normal((1, 3, size, size)).astype(np.float32)


def device_class() -> type[Any]:
    return DEVICES.get("fake")


def check_affine(made: lite.Predictor, x: Array = X) -> None:
    np.testing.assert_array_equal(made.run([x])["y"], affine_reference(x))


def test_the_elements_of_a_shape_are_part_of_the_signature(tmp_path: Path) -> None:
    program = make_program(
        {"x": (DType.FLOAT32, (-1, 2))},
        {},
        [
            ("shape", {"Input": ["x"]}, {"Out": ["size"]}, {}),
            ("fill_constant", {"ShapeTensor": ["size"]}, {"Out": ["y"]}, {"dtype": 5, "value": 1.5}),
        ],
        ["y"],
    )
    lite.save_program(program, tmp_path / "filled")
    with fake_device("fill_constant") as faults:
        made = predictor(tmp_path / "filled", min_subgraph_ops=1, fallback="error")
        for rows in (3, 1, 3):
            y = made.run([np.zeros((rows, 2), np.float32)])["y"]
            np.testing.assert_array_equal(y, np.full((rows, 2), 1.5, np.float32))
        signatures = [each.signature for each in made.report().regions[0].signatures]
    assert faults.compiled == 2
    assert signatures == ["int32[2] = [3, 2]", "int32[2] = [1, 2]"]


@pytest.mark.parametrize("fallback", ["warn", "error"])
def test_sizes_that_depend_on_data_cannot_lie_in_the_devices_memory(
    selecting: Path, caplog: pytest.LogCaptureFixture, fallback: str
) -> None:
    with fake_device(*SELECTING) as faults:
        faults.memory = FakeMemory()
        made = predictor(selecting, fallback=fallback)
        if fallback == "error":
            for _ in range(2):
                with pytest.raises(CompileError, match=r"'where'.*depends on data"):
                    made.run([X])
            return
        for _ in range(2):
            np.testing.assert_array_equal(made.run([X])["where"], np.argwhere(X > 0))
    assert faults.compiled == 0
    assert len(warnings_in(caplog)) == 1


def test_a_device_that_returns_its_input_does_not_hand_it_out(selecting: Path) -> None:
    x = X.copy()
    with fake_device(*SELECTING):
        flat = predictor(selecting, fallback="error").run([x])["flat"]
    assert not np.may_share_memory(flat, x)
    np.testing.assert_array_equal(flat, X.reshape(-1))


def test_nothing_in_place_of_a_result_is_a_failure(selecting: Path, caplog: pytest.LogCaptureFixture) -> None:
    with fake_device(*SELECTING) as faults:
        faults.result = lambda _: None
        made = predictor(selecting)
        np.testing.assert_array_equal(made.run([X])["where"], np.argwhere(X > 0))
    [warning] = warnings_in(caplog)
    assert "came back as None" in warning


def test_what_is_lost_in_a_devices_memory_is_made_on_the_host(
    model: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Losing(FakeMemory):
        def copy_out(self, handle: Any, array: Array) -> None:
            raise ConnectionError("the card was pulled out")

    with fake_device(*AFFINE, limits=Limits(ops=1)) as faults:
        faults.memory = Losing()
        made = predictor(model, min_subgraph_ops=1)
        for _ in range(2):
            check_affine(made)
        report = made.report()
    assert {region.state for region in report.regions} == {"host"}
    assert any("the card was pulled out" in text for text in warnings_in(caplog))
    assert len(warnings_in(caplog)) == 4


def test_an_interrupt_while_building_is_not_remembered(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with fake_device(*AFFINE) as faults:
        made = predictor(model, fallback="error")
        compile_it = device_class().compile

        def interrupted(*_: Any) -> CompiledModel:
            raise KeyboardInterrupt

        monkeypatch.setattr(device_class(), "compile", interrupted)
        with pytest.raises(KeyboardInterrupt):
            made.run([X])
        monkeypatch.setattr(device_class(), "compile", compile_it)
        check_affine(made)
        assert made.report().regions[0].state == "built"
    assert faults.compiled == 1


def test_an_error_is_the_same_each_time_and_does_not_grow(net: Path) -> None:
    with fake_device(*CONVNET) as faults:
        faults.compile = frozenset({"relu"})
        made = predictor(net, fallback="error")
        depths = []
        for _ in range(4):
            with pytest.raises(CompileError, match="no circuit for relu") as caught:
                made.run([image(6)])
            depths.append(len(caught.traceback))
    assert faults.compiled == 1
    assert depths[1] == depths[3]


def test_a_model_for_any_shape_that_fails_is_tried_once(net: Path, caplog: pytest.LogCaptureFixture) -> None:
    with fake_device(*CONVNET, dynamic=True) as faults:
        made = predictor(net, max_signatures=1)
        made.run([image(4)])
        faults.compile, faults.names_op = frozenset({"relu"}), False
        for size in (5, 6, 7, 8, 5):
            want = lite.create_predictor(lite.Config(net)).run([image(size)])["y"]
            np.testing.assert_allclose(made.run([image(size)])["y"], want, rtol=1e-4, atol=1e-5)
    assert faults.compiled == 2
    assert all("no circuit for relu" in text for text in warnings_in(caplog))


def test_too_many_signatures_are_one_warning_and_one_plan(
    net: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with fake_device(*CONVNET):
        made = predictor(net, max_signatures=1)
        for size in (4, 5, 6, 7):
            made.run([image(size)])
    [warning] = warnings_in(caplog)
    assert warning.endswith("device takes no dynamic shapes; Config(max_signatures=…) allows more")
    [engine] = [engine for engine in made._shared.engines if engine is not None]
    assert len({id(bound.host()) for bound in engine.bound[1:]}) == 1


def test_one_model_for_any_shape_runs_for_one_thread_at_a_time(
    net: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running: list[int] = []
    most: list[int] = []

    def watched(self: FakeModel, inputs: Sequence[Any], outputs: Sequence[Any]) -> Sequence[Any]:
        running.append(1)
        most.append(len(running))
        time.sleep(0.005)
        results = run(self, inputs, outputs)
        running.pop()
        return results

    run = FakeModel.run
    with fake_device(*CONVNET, dynamic=True):
        made = predictor(net, max_signatures=1, fallback="error")
        for size in (4, 5, 6):
            made.run([image(size)])
        monkeypatch.setattr(FakeModel, "run", watched)
        threads = [
            threading.Thread(target=lambda clone, size: clone.run([image(size)]), args=(made.clone(), size))
            for size in (5, 6, 5, 6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert most == [1, 1, 1, 1]


def test_threads_that_meet_at_a_region_share_its_failure(
    net: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    want = lite.create_predictor(lite.Config(net)).run([image(6)])["y"]
    found: list[Array] = []
    with fake_device(*CONVNET) as faults:
        compile_it = device_class().compile

        def slow(self: Any, graph: Graph, signature: Any) -> CompiledModel:
            time.sleep(0.02)
            made: CompiledModel = compile_it(self, graph, signature)
            return made

        monkeypatch.setattr(device_class(), "compile", slow)
        faults.compile = frozenset(CONVNET)
        first = predictor(net)
        threads = [
            threading.Thread(target=lambda clone: found.append(clone.run([image(6)])["y"]), args=(clone,))
            for clone in [first.clone() for _ in range(4)]
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        alone = faults.compiled
        predictor(net).run([image(6)])
    assert faults.compiled == 2 * alone
    assert len(found) == 4
    for each in found:
        np.testing.assert_allclose(each, want, rtol=1e-4, atol=1e-5)
    assert len(warnings_in(caplog)) == 2


def _no_such_pass(_: Any) -> list[str]:
    return ["no_such_pass"]


def _no_model(*_: Any) -> None:
    return None


@pytest.mark.parametrize(
    ("method", "fault", "says"),
    [
        ("region_passes", _no_such_pass, "no pass is called 'no_such_pass'"),
        ("compile", _no_model, "compiling gave None, expected a CompiledModel"),
    ],
)
def test_what_is_no_ops_fault_leaves_the_region_to_the_host(
    model: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    method: str,
    fault: Callable[..., Any],
    says: str,
) -> None:
    with fake_device(*AFFINE):
        monkeypatch.setattr(device_class(), method, fault)
        made = predictor(model)
        for _ in range(2):
            check_affine(made)
        [warning] = warnings_in(caplog)
        assert says in warning
        with pytest.raises(CompileError, match=says):
            predictor(model, fallback="error").run([X])


def test_a_device_that_cannot_tell_its_version_runs_without_the_cache(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def version(_: Any) -> str:
        raise OSError("no such register")

    with fake_device(*AFFINE) as faults:
        monkeypatch.setattr(device_class(), "version", version)
        made = predictor(model, cache_dir=tmp_path / "cache", fallback="error")
        for _ in range(2):
            check_affine(made)
    assert (faults.compiled, faults.runs) == (1, 2)
    [warning] = warnings_in(caplog)
    assert "region 0 on fake: the model cannot be kept" in warning


@pytest.mark.parametrize("method", ["memory", "patterns"])
def test_a_device_that_fails_before_it_is_asked_anything_is_not_there(
    model: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, method: str
) -> None:
    def fails(_: Any) -> None:
        raise OSError("the driver is of another version")

    with fake_device(*AFFINE):
        monkeypatch.setattr(device_class(), method, fails)
        check_affine(predictor(model))
        [warning] = warnings_in(caplog)
        assert "device fake cannot be used" in warning
        with pytest.raises(CompileError, match="the driver is of another version"):
            predictor(model, fallback="error")


def test_a_device_that_cannot_be_opened_is_said_to_be_so(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(*_: Any) -> None:
        raise OSError("no such bus")

    with fake_device(*AFFINE):
        monkeypatch.setattr(device_class(), "__init__", opened)
        with pytest.raises(CompileError, match="fake: opening the device failed: OSError: no such bus"):
            predictor(model)
        [reason] = [found.why_not for found in lite.list_devices() if found.name == "fake"]
    assert reason is not None
    assert "no such bus" in reason


def test_a_compiler_may_call_an_op_by_any_of_its_outputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    program = make_program(
        {"x": (DType.FLOAT32, (-1, 4))},
        {},
        [
            ("relu", {"X": ["x"]}, {"Out": ["r"]}, {}),
            ("split", {"X": ["r"]}, {"Out": ["a", "b"]}, {"axis": 1, "num": 2}),
            ("tanh", {"X": ["b"]}, {"Out": ["c"]}, {}),
        ],
        ["a", "c"],
    )
    lite.save_program(program, tmp_path / "split")
    with fake_device("relu", "split", "tanh") as faults:
        compile_it = device_class().compile

        def no_split(self: Any, graph: Graph, signature: Any) -> CompiledModel:
            if any(node.op == "split" for node in graph):
                raise CompileError("no circuit for split", "b")
            made: CompiledModel = compile_it(self, graph, signature)
            return made

        monkeypatch.setattr(device_class(), "compile", no_split)
        outputs = predictor(tmp_path / "split", min_subgraph_ops=1).run([X])
    np.testing.assert_array_equal(outputs["a"], np.maximum(X, 0)[:, :2])
    np.testing.assert_allclose(outputs["c"], np.tanh(np.maximum(X, 0)[:, 2:]), rtol=1e-6)
    assert (faults.compiled, faults.runs) == (2, 2)
    [warning] = warnings_in(caplog)
    assert warning.startswith("region 0 on fake runs without op 'a' for float32[2,4]: ")


def test_profiles_and_errors_say_on_which_device_a_region_runs(model: Path) -> None:
    with fake_device(*AFFINE) as faults:
        made = predictor(model, fallback="error")
        [row] = made.profile([X], runs=1).ops
        assert (row.op, row.place, row.calls) == ("subgraph", "fake/any/any", 1)
        faults.result = lambda array: array * np.float32(np.nan)
        assert "subgraph -> y on fake/any/any, is the first that goes wrong" in made.statistics([X]).sentence


@pytest.fixture
def split_net(net: Path) -> Iterator[tuple[lite.Predictor, Faults]]:
    """A model whose region is split around the relu."""
    with fake_device(*CONVNET) as faults:
        faults.compile = frozenset({"relu"})
        yield predictor(net), faults


def test_a_region_in_a_split_one_has_a_name_of_its_own(
    split_net: tuple[lite.Predictor, Faults], caplog: pytest.LogCaptureFixture
) -> None:
    made, faults = split_net
    faults.run = 1
    want = lite.create_predictor(lite.Config(made.config.model_dir)).run([image(6)])["y"]
    np.testing.assert_allclose(made.run([image(6)])["y"], want, rtol=1e-4, atol=1e-5)
    first, *later = warnings_in(caplog)
    assert first.startswith("region 0 on fake runs without op 'b'")
    assert later
    assert all(text.startswith("region 0.0 on fake runs on the host from now on") for text in later)
