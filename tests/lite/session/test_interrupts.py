"""A KeyboardInterrupt at any line of a run leaves predictor and process as they were."""

from __future__ import annotations

import functools
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

import lite
from lite.ir.types import Array
from lite.runtime.threads import BlasLimit
from tests.support.interrupts import Line, interrupted, lines_of, traced

onnx = pytest.importorskip("onnx", reason="the model is an ONNX model")
pytest.importorskip("numba", reason="the workers belong to compiled kernels")


@functools.cache
def model() -> bytes:
    """A convolution that is large enough for workers, and an op for which BLAS is used."""
    helper = pytest.importorskip("onnx.helper")
    generator = np.random.default_rng(0)
    constants = {"w": generator.standard_normal((32, 16, 3, 3)), "m": generator.standard_normal((28, 5))}
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["a"], pads=[1, 1, 1, 1]),
        helper.make_node("MatMul", ["a", "m"], ["b"]),
        helper.make_node("Softmax", ["b"], ["y"]),
    ]
    inputs = [helper.make_tensor_value_info("x", 1, [1, 16, 28, 28])]
    initializers = [onnx.numpy_helper.from_array(v.astype(np.float32), k) for k, v in constants.items()]
    graph = helper.make_graph(nodes, "g", inputs, [onnx.ValueInfoProto(name="y")], initializers)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    made.ir_version = 9
    content: bytes = made.SerializeToString()
    return content


def blas_threads() -> list[int]:
    return [lib.num_threads for lib in ThreadpoolController().select(user_api="blas").lib_controllers]


@pytest.fixture
def x() -> Array:
    return np.random.default_rng(1).standard_normal((1, 16, 28, 28)).astype(np.float32)


@pytest.fixture(autouse=True)
def _two_cores(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    from lite.kernels.cpu.native import worker_pool

    monkeypatch.setattr(worker_pool, "_cores", lambda: 2)
    pools = worker_pool._Pools()
    monkeypatch.setattr(worker_pool, "_pools", pools)
    yield
    pools.stop()


def require_idle() -> None:
    """No limit, lock or pool of a run is left."""
    from lite.kernels.cpu.native import worker_pool

    pools = worker_pool._pools
    assert not BlasLimit._entered
    assert not BlasLimit._before
    assert len(pools._all) <= 1
    assert pools._free == pools._all


@pytest.mark.slow
@pytest.mark.parametrize("valid_places", [None, ["host"]], ids=["compiled", "host"])
def test_a_run_that_is_interrupted_at_any_line_is_followed_by_a_right_one(
    x: Array, valid_places: list[str] | None
) -> None:
    config = lite.Config(model_buffer=model(), threads=2, valid_places=valid_places)
    predictor = lite.create_predictor(config)
    expected = predictor.run({"x": x})["y"].copy()
    run = functools.partial(predictor.run, {"x": x})
    lines, before = lines_of(run), blas_threads()
    assert len(lines) > 50
    for line in lines:
        interrupted(run, line)
        np.testing.assert_array_equal(run()["y"], expected, err_msg=str(line))
        require_idle()
        assert blas_threads() == before, line


@pytest.mark.slow
def test_a_first_run_that_is_interrupted_at_any_line_is_followed_by_a_right_one(x: Array) -> None:
    origin = lite.create_predictor(lite.Config(model_buffer=model(), threads=2))
    expected = origin.run({"x": x})["y"].copy()
    lines, before = lines_of(lambda: origin.clone().run({"x": x})), blas_threads()
    # Most lines infer shapes and change nothing: every line of the runtime, and some of the others.
    kept = ("executor", "bound_segments", "run_guard", "threads", "worker_pool", "function", "plan_state")
    chosen = [line for n, line in enumerate(lines) if n % 20 == 0 or Path(line[0]).stem in kept]
    for line in chosen:
        predictor = origin.clone()
        interrupted(lambda: predictor.run({"x": x}), line)  # noqa: B023 - called at once
        np.testing.assert_array_equal(predictor.run({"x": x})["y"], expected, err_msg=str(line))
        require_idle()
        assert blas_threads() == before, line


def test_an_interrupt_while_the_caller_keeps_the_traceback_frees_the_predictor(x: Array) -> None:
    predictor = lite.create_predictor(lite.Config(model_buffer=model(), threads=2))
    run = functools.partial(predictor.run, {"x": x})
    run()
    line = next(line for line in lines_of(run) if line[0].endswith("executor.py"))
    kept: list[KeyboardInterrupt] = []

    def on_line(place: Line) -> None:
        if place == line and not kept:
            raise KeyboardInterrupt

    try:
        traced(run, on_line)
    except KeyboardInterrupt as error:
        kept.append(error)
    run()
    assert kept
    require_idle()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning")
def test_a_forked_process_runs_on_with_pools_of_its_own(x: Array) -> None:
    predictor = lite.create_predictor(lite.Config(model_buffer=model(), threads=2))
    expected = predictor.run({"x": x})["y"].copy()
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        same = [np.array_equal(p.run({"x": x})["y"], expected) for p in (predictor, predictor.clone())]
        os._exit(0 if all(same) else 1)
    assert os.waitpid(child, 0)[1] == 0
    np.testing.assert_array_equal(predictor.run({"x": x})["y"], expected)
