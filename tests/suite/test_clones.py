"""Clones of one loaded model in many threads."""

from __future__ import annotations

import threading
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.types import Array
from tests.support.small_convnet import convnet

CLONES, RUNS = 8, 125


@pytest.fixture
def model(tmp_path: Path) -> Path:
    lite.save_program(convnet(), tmp_path)
    return tmp_path


def images() -> list[Array]:
    """Images of ten shapes, so that clones bind and drop signatures while others run."""
    rng = np.random.default_rng(0)
    shapes = [(1 + n % 3, 3, 4 + n, 5 + 3 * (n % 5)) for n in range(10)]
    return [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


def in_threads(works: Sequence[Callable[[], None]]) -> None:
    """Run all at the same time; raises an error that one of them raised."""
    barrier = threading.Barrier(len(works))
    failures: list[Exception] = []

    def start(work: Callable[[], None]) -> None:
        try:
            barrier.wait(10)
            work()
        except (lite.LiteError, AssertionError, threading.BrokenBarrierError) as error:
            failures.append(error)

    threads = [threading.Thread(target=start, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_a_thousand_runs_in_eight_threads_are_correct(model: Path) -> None:
    predictor = lite.create_predictor(lite.Config(model))
    alone = lite.create_predictor(lite.Config(model))
    xs = images()
    expected = [alone.run([x])["y"] for x in xs]
    done: list[int] = []

    def work(clone: lite.Predictor, seed: int) -> None:
        order = np.random.default_rng(seed).integers(0, len(xs), RUNS)
        for n in order:
            np.testing.assert_array_equal(clone.run([xs[n]])["y"], expected[n])
            done.append(int(n))

    clones = [predictor.clone() for _ in range(CLONES)]
    in_threads([lambda clone=clone, n=n: work(clone, n) for n, clone in enumerate(clones)])  # type: ignore[misc]
    assert len(done) == CLONES * RUNS
    assert set(done) == set(range(len(xs)))


def test_clones_created_and_bound_by_many_threads_share_packed_weights(model: Path) -> None:
    """The original has not run yet: its weights are packed while the clones are bound, once."""
    alone = lite.create_predictor(lite.Config(model))
    x = images()[0]
    expected = alone.run([x])["y"]
    predictor = lite.create_predictor(lite.Config(model))
    clones: list[lite.Predictor] = []

    def work() -> None:
        for _ in range(5):
            clone = predictor.clone().clone()
            np.testing.assert_array_equal(clone.run([x])["y"], expected)
            clones.append(clone)

    in_threads([work] * CLONES)
    assert len(clones) == 5 * CLONES
    assert {clone.memory().packed for clone in clones} == {alone.memory().packed}
    assert {clone.memory().copied for clone in clones} == {alone.memory().copied}


def test_a_clone_starts_without_values_of_its_own(model: Path) -> None:
    predictor = lite.create_predictor(lite.Config(model))
    predictor.get_input("x").from_numpy(images()[0])
    predictor.run()
    clone = predictor.clone()
    with pytest.raises(lite.InputError, match="'y' has no value yet"):
        clone.get("y")
    with pytest.raises(lite.InputError, match="inputs are missing: x"):
        clone.run()


def test_clones_hold_arenas_but_no_weights(model: Path) -> None:
    predictor = lite.create_predictor(lite.Config(model))
    x = images()[0]
    predictor.run([x])
    predictor.clone().run([x])
    memory = predictor.memory()
    own = sum(arena.size for arena in memory.arenas) + memory.scratch
    tracemalloc.start()
    clones = [predictor.clone() for _ in range(10)]
    idle, _ = tracemalloc.get_traced_memory()
    for clone in clones:
        clone.run([x])
    bound, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    weights = memory.weights
    assert weights > 40_000
    assert idle < 10 * weights / 4
    assert bound < 10 * (own + 3 * weights / 4)
