"""Random programs on random devices: regions side by side give what they give one after the other."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lite
from lite.config import Config
from lite.errors import CompileError, ExecutionError
from lite.ir.lower import lower_graph
from lite.ir.text import parse_graph
from lite.session.predictor import Predictor
from tests.lite.runtime.test_random_graphs import SIGNATURES
from tests.suite.test_random_devices import (
    Setup,
    drawn,
    kept_names,
    plugged_in,
    predictor_of,
    setups,
    some_kept,
)
from tests.support.lane_memory import check_lanes
from tests.support.random_programs.builder import Case
from tests.support.random_programs.tensor_ops import cases, feeds

SECONDS = 60.0
"""More than any of these runs takes: a run that takes longer waits for ever."""


def outcomes(predictor: Predictor, case: Case, names: list[str]) -> list[Any]:
    """The results of each run as bytes, or its error."""
    results: list[Any] = []
    for arrays, lods in (feeds(*each) for each in SIGNATURES[:3]):
        try:
            predictor.run(arrays, lods=lods)
        except (CompileError, ExecutionError) as error:
            results.append(f"{type(error).__name__}: {error}")
            continue
        held = [(predictor.get(name), predictor.get_lod(name)) for name in names]
        results.append([(a.shape, a.dtype, a.tobytes(), lod) for a, lod in held])
    return results


def states(predictor: Predictor) -> list[Any]:
    """How each region ran.

    Not how often: where a tensor was lost and the run starts again, later regions may have run before.
    """
    return [
        [(each.signature, each.state, each.reason) for each in region.signatures]
        for region in predictor.report().regions
    ]


def compare(case: Case, setup: Setup, kept: list[int], fallback: str, delays: list[int]) -> int:
    """Run a case both ways and compare; returns the number of segments with lanes."""
    found: list[tuple[list[Any], list[Any]]] = []
    lanes = 0
    for mode in ("never", "always"):
        with plugged_in(setup) as faults:
            for each, delay in zip(faults, delays, strict=False):
                each.seconds = delay * 1e-4
            keep = kept_names(case, kept)
            options = {**setup.options, "side_by_side": mode, "fallback": fallback}
            config = Config("random", devices=setup.names, keep=keep, **options)
            predictor = predictor_of(case, config)[0]
            names = list(dict.fromkeys([*predictor.output_names, *keep]))
            results = outcomes(predictor, case, names)
            ran = [] if fallback == "error" else states(predictor)
            found.append((results, ran))
            count = check_lanes(predictor._runtime)
            assert mode == "always" or not count
            lanes += count
    assert found[0] == found[1]
    return lanes


@contextmanager
def quick_switches() -> Iterator[None]:
    """Threads take turns as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def bounded(call: Callable[[], Any]) -> Any:
    """The result of a call that must end."""
    results: list[Any] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(call())
        except BaseException as error:  # noqa: BLE001 - of another thread: raised below
            errors.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(SECONDS)
    assert not thread.is_alive(), "the lanes wait for each other"
    if errors:
        raise errors[0]
    return results[0]


some_delays = st.lists(st.integers(0, 3), min_size=3, max_size=3)


@pytest.mark.parametrize("faulty", [False, True])
@pytest.mark.parametrize("fallback", ["warn", "error"])
def test_regions_side_by_side_give_what_they_give_one_after_the_other(fallback: str, faulty: bool) -> None:
    lanes = 0

    @drawn(25)
    @given(case=cases(), setup=setups(faulty=faulty), kept=some_kept, delays=some_delays)
    def check(case: Case, setup: Setup, kept: list[int], delays: list[int]) -> None:
        nonlocal lanes
        if fallback == "error" and any(chip.fault == "missing" for chip in setup.chips):
            return
        lanes += bounded(lambda: compare(case, setup, kept, fallback, delays))

    with quick_switches():
        check()
    assert lanes > 4, "few of these programs have anything to run side by side"


def test_lanes_that_share_a_value_too_early_are_found() -> None:
    """The check of memory itself."""
    from lite.runtime.segment import Task
    from tests.lite.runtime.run_text import runtime_of

    runtime = runtime_of(
        "graph g(%x: float32[64]) {\n  %a = relu(X=%x)\n  %b = tanh(X=%a)\n  %c = abs(X=%b)\n"
        "  %d = sigmoid(X=%c)\n  return %d\n}\n"
    )
    runtime.run([np.ones(64, np.float32)])
    (segment,) = runtime.segments()
    tasks = tuple(Task(n, (step,), ()) for n, step in zip(segment.positions, segment.steps, strict=True))
    segment.lanes = (tasks,)
    check_lanes(runtime)
    segment.lanes = (tasks[::2], tasks[1::2])
    with pytest.raises(AssertionError):
        check_lanes(runtime)


def test_an_instruction_that_computes_nothing_waits_for_no_lane(tmp_path: Path) -> None:
    """The empty slice of a region's result has no step, so the ops after it run beside the region."""
    graph = parse_graph("""
graph main(%x: float32[4,3], %i: int64[3]) {
  %w = const float32[3,3] random(1) : float32[3,3]
  %a = elu(X=%x) {alpha=1.0} : float32[4,3]
  %p = matmul_v2(X=%a, Y=%w) : float32[4,3]
  %q = matmul_v2(X=%p, Y=%w) : float32[4,3]
  %b = tanh(X=%q) : float32[4,3]
  %none = strided_slice(Input=%b) {axes=[0], starts=[3], ends=[3], strides=[1]} : float32[0,3]
  %two = const int64[1] [2] : int64[1]
  %m = elementwise_mod(X=%i, Y=%two) {axis=-1} : int64[3]
  Out=%s, Indices=%k = argsort(X=%m) {axis=0, descending=false} : int64[3], int64[3]
  return %b, %k, %none
}
""")
    lite.save_program(lower_graph(graph), tmp_path / "model")
    config = Config(tmp_path / "model", devices=["sim_npu"], side_by_side="always", fallback="error")
    predictor = lite.create_predictor(config)
    predictor.run([np.ones((4, 3), np.float32), np.array([5, 2, 3])])

    assert check_lanes(predictor._runtime) == 1
