"""Regions run beside the host and each other where nothing forbids it; models with `start` and `wait`."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import lite
from lite.ir.types import Array, DType
from tests.lite.runtime.regions.on_fake import AFFINE, device_class
from tests.support.fake_device import FakeModel, fake_device
from tests.support.interrupts import interrupted, lines_of
from tests.support.lane_memory import check_lanes
from tests.support.small_programs import affine, affine_reference, make_program

X = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)


def branches(join: str = "elementwise_add") -> Any:
    """Two branches that depend on x alone, and their sum; the first is for one device, the second not."""
    ops: list[Any] = []
    for name, kinds in (("a", ("tanh", "sigmoid")), ("b", ("relu", "square"))):
        ops.append((kinds[0], {"X": ["x"]}, {"Out": [f"{name}0"]}, {}))
        ops.append((kinds[1], {"X": [f"{name}0"]}, {"Out": [f"{name}1"]}, {}))
    ops.append((join, {"X": ["a1"], "Y": ["b1"]}, {"Out": ["y"]}, {"axis": -1}))
    return make_program({"x": (DType.FLOAT32, (-1, 4))}, {}, ops, ["y"])


def expected(x: Array) -> Array:
    result: Array = 1 / (1 + np.exp(-np.tanh(x))) + np.maximum(x, 0) ** 2
    return result


def make(devices: list[str], **fields: Any) -> lite.Predictor:
    config = lite.Config(model_buffer=b"in memory", devices=devices, valid_places=["host"], **fields)
    return lite.Predictor.of_program(branches(), config)


def lanes(predictor: lite.Predictor) -> list[list[int]]:
    """The instructions of each lane of the last segment."""
    *_, segment = predictor._runtime.segments()
    return [[task.position for task in lane] for lane in segment.lanes]


class Meeting:
    """Makes a place wait until another one is at work, too."""

    def __init__(self, places: int) -> None:
        self.barrier = threading.Barrier(places)

    def join(self, array: Array) -> Array:
        self.barrier.wait(timeout=30)
        return array


def test_regions_of_two_devices_run_at_the_same_time() -> None:
    meeting = Meeting(2)
    with fake_device("tanh", "sigmoid") as one, fake_device("relu", "square", name="other") as other:
        one.result = other.result = meeting.join
        predictor = make(["fake", "other"], fallback="error")
        np.testing.assert_allclose(predictor.run([X])["y"], expected(X), rtol=1e-5)
        assert lanes(predictor) == [[2], [0], [1]]
        assert check_lanes(predictor._runtime) == 1


def test_the_host_works_while_a_device_runs() -> None:
    host_works = threading.Event()

    def wait(array: Array) -> Array:
        assert host_works.wait(timeout=30)
        return array

    with fake_device("tanh", "sigmoid") as faults:
        faults.result = wait
        predictor = make(["fake"], fallback="error", passes=["subgraph_pass"])
        predictor.prepare({"x": (3, 4)})
        (segment,) = predictor._runtime.segments()
        (first, *rest), device = segment.lanes
        assert (len(rest), len(device)) == (2, 1)
        steps = (lambda _: host_works.set(), *first.steps)
        segment.lanes = ((first._replace(steps=steps), *rest), device)
        np.testing.assert_allclose(predictor.run([X])["y"], expected(X), rtol=1e-5)


@pytest.mark.parametrize(
    "fields", [{"side_by_side": "never"}, {"passes": []}], ids=["asked for", "no regions"]
)
def test_without_lanes_the_steps_run_one_after_the_other(fields: dict[str, Any]) -> None:
    with fake_device("tanh", "sigmoid"):
        predictor = make(["fake"] if "side_by_side" in fields else [], **fields)
        np.testing.assert_allclose(predictor.run([X])["y"], expected(X), rtol=1e-5)
        assert lanes(predictor) == []


def test_a_device_on_the_cores_of_the_host_runs_beside_it_only_if_asked() -> None:
    with fake_device("tanh", "sigmoid"):
        device_class().on_host_processor = True
        counts = []
        for mode in ("auto", "always"):
            predictor = make(["fake"], side_by_side=mode)
            predictor.run([X])
            counts.append(len(lanes(predictor)))
    assert counts == [0, 2]


def test_a_region_that_the_host_runs_has_no_lane() -> None:
    with fake_device("tanh", "sigmoid"):
        device_class().why_not_run = lambda _: "no chip is plugged in"
        predictor = make(["fake"])
        np.testing.assert_allclose(predictor.run([X])["y"], expected(X), rtol=1e-5)
        assert [region.state for region in predictor.report().regions] == ["host"]
        assert lanes(predictor) == []


@pytest.mark.parametrize(
    ("columns", "order"),
    [
        (1 << 18, ["abs", "subgraph", "relu", "square", "elementwise_add"]),
        (4, ["relu", "square", "abs", "subgraph", "elementwise_add"]),
    ],
)
def test_a_region_starts_before_enough_host_work_that_it_does_not_need(
    columns: int, order: list[str]
) -> None:
    ops: list[Any] = [
        ("relu", {"X": ["x"]}, {"Out": ["b0"]}, {}),
        ("square", {"X": ["b0"]}, {"Out": ["b1"]}, {}),
        ("abs", {"X": ["x"]}, {"Out": ["first"]}, {}),
        ("tanh", {"X": ["first"]}, {"Out": ["a0"]}, {}),
        ("sigmoid", {"X": ["a0"]}, {"Out": ["a1"]}, {}),
        ("elementwise_add", {"X": ["a1"], "Y": ["b1"]}, {"Out": ["y"]}, {"axis": -1}),
    ]
    program = make_program({"x": (DType.FLOAT32, (1, columns))}, {}, ops, ["y"])
    x = np.linspace(-2, 2, columns, dtype=np.float32)[None]
    with fake_device("tanh", "sigmoid"):
        config = lite.Config(model_buffer=b"m", devices=["fake"], passes=["subgraph_pass"])
        predictor = lite.Predictor.of_program(program, config)
        result = predictor.run([x])["y"]
    assert [item.op for item in predictor._state.plan.instructions] == order
    np.testing.assert_allclose(
        result, 1 / (1 + np.exp(-np.tanh(np.abs(x)))) + np.maximum(x, 0) ** 2, rtol=1e-5
    )


def test_an_interrupt_at_any_line_of_a_run_side_by_side_is_followed_by_right_runs() -> None:
    with fake_device("tanh", "sigmoid") as one, fake_device("relu", "square", name="other") as other:
        one.seconds = other.seconds = 0.0005
        predictor = make(["fake", "other"])
        predictor.run([X])
        lines = lines_of(lambda: predictor.run([X]))
        lines = [line for line in lines if "lanes" in line[0] or "executor" in line[0]]
        assert len(lines) > 40
        for n, line in enumerate(lines):
            interrupted(lambda: predictor.run([X]), line)
            x = X + n
            np.testing.assert_allclose(predictor.run([x])["y"], expected(x), rtol=1e-5, err_msg=str(line))
        assert [region.state for region in predictor.report().regions] == ["built", "built"]


class Queue:
    """The queue of a device: `start` begins a run in a thread, `wait` ends it, after `least` were begun."""

    def __init__(self, least: int = 1, *, fails: bool = False) -> None:
        self.least, self.fails = least, fails
        self.began = 0
        self.changed = threading.Condition()

    def start(self, model: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> object:
        results: list[Any] = []
        thread = threading.Thread(target=lambda: results.append(model.run(inputs, outputs)))
        thread.start()
        with self.changed:
            self.began += 1
            self.changed.notify_all()
        return thread, results

    def wait(self, ticket: Any) -> Sequence[Any]:
        thread, results = ticket
        with self.changed:
            assert self.changed.wait_for(lambda: self.began >= self.least, timeout=30)
        thread.join()
        if self.fails:
            raise RuntimeError("the queue is on fire")
        answer: Sequence[Any] = results[0]
        return answer

    def attach(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(FakeModel, "start", lambda model, *rest: self.start(model, *rest))
        monkeypatch.setattr(FakeModel, "wait", lambda _, ticket: self.wait(ticket))


def affine_predictor(**fields: Any) -> lite.Predictor:
    config = lite.Config(model_buffer=b"in memory", devices=["fake"], **fields)
    return lite.Predictor.of_program(affine(), config)


def test_several_runs_of_a_model_with_start_are_under_way_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    Queue(least=2).attach(monkeypatch)
    with fake_device(*AFFINE):
        predictor = affine_predictor(fallback="error")
        results = list(predictor.stream(([X + n] for n in range(4)), depth=2))
    for n, result in enumerate(results):
        np.testing.assert_array_equal(result["y"], affine_reference(X + n))


def test_a_failure_in_wait_is_a_failure_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    Queue(fails=True).attach(monkeypatch)
    with fake_device(*AFFINE):
        predictor = affine_predictor()
        np.testing.assert_array_equal(predictor.run([X])["y"], affine_reference(X))
        (region,) = predictor.report().regions
    assert (region.state, region.reason) == (
        "host",
        "fake: running region 0 failed: RuntimeError: the queue is on fire",
    )


def test_a_model_with_start_alone_fails_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FakeModel, "start", lambda *_: object())
    with fake_device(*AFFINE):
        predictor = affine_predictor(fallback="error")
        with pytest.raises(lite.ExecutionError, match="FakeModel has start, but no wait"):
            predictor.run([X])
