"""Joined steps and short runs: equal to steps one by one, with new addresses, threads, errors and clones."""

from __future__ import annotations

import gc
import threading
import tracemalloc
import weakref

import numpy as np
import pytest

import lite
from lite.ir.program import Program
from lite.ir.types import Array, DType
from lite.runtime.direct_run import DirectRun
from lite.runtime.joined_steps import JoinedStep
from lite.runtime.segment import Segment
from lite.runtime.stepped_run import SteppedRun
from tests.support.small_convnet import convnet
from tests.support.small_programs import make_program

pytest.importorskip("numba", reason="only compiled kernels launch")


def program(*more: str) -> Program:
    """``y = softmax(relu(x · w1 + b)) · w2 + b2`` for float32[?, 16], with ops `more` after it."""
    rng = np.random.default_rng(0)
    weights = {
        name: rng.standard_normal(shape).astype(np.float32)
        for name, shape in (("w1", (16, 16)), ("b", (16,)), ("w2", (16, 4)), ("b2", (4,)))
    }
    names = ["y", *(f"y{n}" for n in range(len(more)))]
    return make_program(
        {"x": (DType.FLOAT32, (-1, 16))},
        weights,
        [
            ("matmul_v2", {"X": ["x"], "Y": ["w1"]}, {"Out": ["a"]}, {}),
            ("elementwise_add", {"X": ["a"], "Y": ["b"]}, {"Out": ["c"]}, {"axis": -1}),
            ("relu", {"X": ["c"]}, {"Out": ["d"]}, {}),
            ("softmax", {"X": ["d"]}, {"Out": ["e"]}, {"axis": -1}),
            ("matmul_v2", {"X": ["e"], "Y": ["w2"]}, {"Out": ["f"]}, {}),
            ("elementwise_add", {"X": ["f"], "Y": ["b2"]}, {"Out": ["y"]}, {"axis": -1}),
            *((op, {"X": [names[n]]}, {"Out": [names[n + 1]]}, {}) for n, op in enumerate(more)),
        ],
        names[-1:],
    )


def predictor(model: Program | None = None, threads: int = 1) -> lite.Predictor:
    return lite.Predictor.of_program(model or program(), lite.Config("unused", threads=threads))


def image(rows: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal((rows, 16)).astype(np.float32)


def one_by_one(x: Array, model: Program | None = None) -> Array:
    """The result of steps that are not joined: the first run with these shapes."""
    (result,) = predictor(model).run({"x": x}).values()
    return result


def segment(of: lite.Predictor) -> Segment:
    (found,) = of._runtime.segments()
    return found


def test_all_compiled_steps_become_one() -> None:
    model = predictor()
    x = image(3)
    first = model.run({"x": x})["y"]

    joined = segment(model).joined
    assert joined is not None
    assert [type(step) for step in joined.steps] == [JoinedStep]
    assert isinstance(model._runs._short, DirectRun)
    lods: dict[str, list[list[int]]] | None
    for lods in (None, {}):
        np.testing.assert_array_equal(model.run({"x": x}, lods=lods)["y"], first)
        assert model._runs._results == {}, "the run was not direct"


def test_steps_in_python_are_called_in_between() -> None:
    more = ("cumprod", "softmax")
    model = predictor(program(*more))
    for seed in range(3):
        x = image(3, seed)
        (result,) = model.run({"x": x}).values()
        np.testing.assert_array_equal(result, one_by_one(x, program(*more)))
    joined = segment(model).joined
    assert joined is not None
    assert [type(step) is JoinedStep for step in joined.steps].count(True) == 2
    assert len(joined.steps) == 3


def test_each_run_has_its_own_arguments_and_results() -> None:
    model = predictor()
    results = []
    for seed in range(5):
        x = image(3, seed)
        results.append((x, model.run({"x": x})["y"]))
    for x, result in results:
        np.testing.assert_array_equal(result, one_by_one(x))


def test_a_dropped_result_is_written_again_and_a_held_one_is_not() -> None:
    model = predictor()
    x = image(3)
    model.run({"x": x})
    address = model.run({"x": x})["y"].ctypes.data
    assert model.run({"x": x})["y"].ctypes.data == address

    held = model.run({"x": x})["y"]
    view, copy = held[1:], held.copy()
    del held
    other = model.run({"x": image(3, 1)})["y"]
    np.testing.assert_array_equal(view, copy[1:])
    np.testing.assert_array_equal(other, one_by_one(image(3, 1)))


def test_an_equal_dtype_need_not_be_the_same_object() -> None:
    model = predictor()
    x = image(3)
    expected = model.run({"x": x})["y"].copy()
    received = np.frombuffer(x.tobytes(), np.dtype(np.float32).newbyteorder("<")).reshape(x.shape)
    assert received.dtype is not x.dtype
    assert model._runs._short is not None
    (direct,) = (model._runs._short({"x": received}) or {}).values()
    np.testing.assert_array_equal(direct, expected)


def test_get_returns_the_results_of_the_last_run() -> None:
    model = predictor()
    for seed, given in ((0, "dict"), (1, "dict"), (2, "list"), (3, "dict")):
        x = image(2, seed)
        model.run({"x": x} if given == "dict" else [x])
        np.testing.assert_array_equal(model.get("y"), one_by_one(x))


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x[::-1],
        lambda x: np.asfortranarray(x),
        lambda x: x.astype(">f4"),
        lambda x: np.frombuffer(b"1" + x.tobytes(), np.uint8)[1:].view(np.float32).reshape(x.shape),
        lambda x: np.frombuffer(x.tobytes(), np.float32).reshape(x.shape),
        lambda x: x.tolist(),
        lambda x: np.repeat(x, 2, 0),
        lambda x: x[:0],
        lambda x: np.lib.stride_tricks.as_strided(x, x.shape, (0, 4)),
    ],
    ids=[
        "reversed",
        "columns",
        "big-endian",
        "unaligned",
        "read-only",
        "list",
        "longer",
        "empty",
        "repeated",
    ],
)
def test_arrays_of_any_kind_are_taken(make: object) -> None:
    model = predictor()
    for _ in range(3):
        model.run({"x": image(4)})
    x = make(image(4, 5))  # type: ignore[operator]
    expected = one_by_one(np.array(x, np.float32))
    for _ in range(3):
        np.testing.assert_array_equal(model.run({"x": x})["y"], expected)
        np.testing.assert_array_equal(model.run([x])["y"], expected)


def test_arrays_in_order_take_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    model = predictor(two_inputs())
    a, b = image(4, 1), image(4, 2)
    expected = model.run({"b": b, "a": a})["y"]
    monkeypatch.setattr(model._runtime, "run", lambda *_: pytest.fail("a general run"))
    np.testing.assert_array_equal(model.run([a, b])["y"], expected)
    np.testing.assert_array_equal(model.run({"b": b, "a": a})["y"], expected)


@pytest.mark.parametrize(
    "inputs",
    [
        {}, {"z": image(4)}, {"x": image(4), "z": image(4)}, {"x": image(4).astype(np.float64)}, {"x": None},
        [], [image(4), image(4)], [None], [image(4).astype(np.float64)],
    ],
)  # fmt: skip
def test_wrong_inputs_are_refused_as_before(inputs: dict[str, Array] | list[Array]) -> None:
    model = predictor()
    model.run({"x": image(4)})
    kept = model.run({"x": image(4)})["y"]
    with pytest.raises(lite.InputError):
        model.run(inputs)
    np.testing.assert_array_equal(model.get("y"), kept)


def test_output_arrays_are_written() -> None:
    model = predictor()
    out = np.zeros((4, 4), np.float32)
    for seed in range(3):
        x = image(4, seed)
        assert model.run({"x": x}, {"y": out})["y"] is out
        np.testing.assert_array_equal(out, one_by_one(x))


def test_shapes_may_change_between_runs() -> None:
    model = predictor()
    for rows in (3, 5, 3, 5, 5, 3, 3):
        np.testing.assert_array_equal(model.run({"x": image(rows)})["y"], one_by_one(image(rows)))


def test_a_signature_with_more_scratch_memory_joins_again() -> None:
    model = predictor(convnet())
    shapes = [(1, 3, 8, 8), (1, 3, 24, 24), (2, 3, 9, 7), (1, 3, 8, 8)] * 3
    for number, shape in enumerate(shapes):
        x = np.random.default_rng(number).standard_normal(shape).astype(np.float32)
        (expected,) = predictor(convnet()).run({"x": x}).values()
        np.testing.assert_array_equal(model.run({"x": x})["y"], expected)


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_share_joined_steps(threads: int) -> None:
    model = predictor(convnet(), threads)
    x = np.random.default_rng(0).standard_normal((1, 3, 64, 64)).astype(np.float32)
    (expected,) = predictor(convnet()).run({"x": x}).values()
    for _ in range(5):
        np.testing.assert_array_equal(model.run({"x": x})["y"], expected)


def test_clones_run_at_the_same_time() -> None:
    model = predictor(convnet())
    inputs = [np.random.default_rng(n).standard_normal((1, 3, 16, 16)).astype(np.float32) for n in range(2)]
    expected = [predictor(convnet()).run({"x": x})["y"] for x in inputs]
    wrong: list[int] = []

    def work(number: int) -> None:
        own = model.clone()
        for _ in range(50):
            if not np.array_equal(own.run({"x": inputs[number]})["y"], expected[number]):
                wrong.append(number)

    workers = [threading.Thread(target=work, args=(n,)) for n in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []


def test_a_second_thread_is_refused_during_a_short_run() -> None:
    model = predictor()
    model.run({"x": image(2)})
    model._guard._holder["run"] = model._guard._holder.get("run") or (__import__("os").getpid(),)
    with pytest.raises(lite.ExecutionError, match="already running"):
        model.run({"x": image(2)})


def test_a_short_run_allocates_nothing_that_stays() -> None:
    model = predictor()
    x = {"x": image(4)}
    for _ in range(10):
        model.run(x)
    gc.collect()
    tracemalloc.start()
    try:
        model.run(x)
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(100):
            model.run(x)
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 500
    assert peak - before < 2000


def test_a_plan_whose_result_is_an_argument_is_not_one_launch() -> None:
    model = make_program(
        {"x": (DType.FLOAT32, (-1, 16))}, {}, [("relu", {"X": ["x"]}, {"Out": ["y"]}, {})], ["x", "y"]
    )
    own = predictor(model)
    for seed in range(3):
        x = image(2, seed)
        results = own.run({"x": x})
        np.testing.assert_array_equal(results["x"], x)
        np.testing.assert_array_equal(results["y"], np.maximum(x, 0))
        assert not np.shares_memory(results["x"], x)
    assert isinstance(own._runs._short, SteppedRun)


def two_inputs() -> Program:
    """``y = relu(a + b) - w`` for float32[?, 16]."""
    return make_program(
        {"a": (DType.FLOAT32, (-1, 16)), "b": (DType.FLOAT32, (-1, 16))},
        {"w": WEIGHT},
        [
            ("elementwise_add", {"X": ["a"], "Y": ["b"]}, {"Out": ["c"]}, {"axis": -1}),
            ("softmax", {"X": ["c"]}, {"Out": ["d"]}, {"axis": -1}),
            ("elementwise_sub", {"X": ["d"], "Y": ["w"]}, {"Out": ["y"]}, {"axis": -1}),
        ],
        ["y"],
    )


WEIGHT = np.random.default_rng(9).standard_normal((4, 16)).astype(np.float32)


@pytest.mark.parametrize("kind", ["same", "overlapping", "weight", "weight twice"])
def test_inputs_that_share_memory_in_the_first_runs_are_distinguished_later(kind: str) -> None:
    base = image(8)
    first = {
        "same": (base[:4], base[:4]),
        "overlapping": (base[:4], base[2:6]),
        "weight": (WEIGHT, base[:4]),
        "weight twice": (WEIGHT, WEIGHT),
    }[kind]
    model = predictor(two_inputs())
    for a, b in (first, first, (image(4, 1), image(4, 2)), first, (image(4, 3), image(4, 4))):
        total = np.exp(a + b - (a + b).max(-1, keepdims=True))
        expected = total / total.sum(-1, keepdims=True) - WEIGHT
        for _ in range(2):
            np.testing.assert_allclose(model.run({"a": a, "b": b})["y"], expected, atol=1e-5)


def test_neither_inputs_nor_results_are_kept_alive() -> None:
    model = predictor()
    x = image(4)
    inputs = weakref.ref(x)
    result = model.run({"x": x})["y"]
    results = weakref.ref(result)
    model.run({"x": image(4, 1)})
    model.run({"x": image(4, 2)})
    del x, result
    gc.collect()
    assert inputs() is None
    assert results() is None


def lookup() -> Program:
    """``y = softmax(relu(table)[ids])`` for int64 ids of any number."""
    return make_program(
        {"x": (DType.FLOAT32, (6, 5)), "ids": (DType.INT64, (-1,))},
        {},
        [
            ("relu", {"X": ["x"]}, {"Out": ["a"]}, {}),
            ("gather", {"X": ["a"], "Index": ["ids"]}, {"Out": ["b"]}, {"axis": 0}),
            ("softmax", {"X": ["b"]}, {"Out": ["y"]}, {"axis": -1}),
        ],
        ["y"],
    )


def test_a_launch_that_fails_is_an_error_of_its_op_and_of_its_run() -> None:
    model, outside = predictor(lookup()), r"gather\(.*IndexError: Index: expected -6 to 5, got "
    x, ids = image(6)[:, :5].copy(), np.array([1, 5, 0])
    expected = model.run({"x": x, "ids": ids})["y"].copy()
    assert isinstance(model._runs._short, DirectRun)
    for _ in range(2):
        with pytest.raises(lite.ExecutionError, match=outside + "6"):
            model.run({"x": x, "ids": np.array([1, 6, 0])})
    np.testing.assert_array_equal(model.run({"x": x, "ids": ids})["y"], expected)
    # The first run with these shapes, in which steps are not joined yet.
    with pytest.raises(lite.ExecutionError, match=outside + "-7"):
        model.run({"x": x, "ids": np.array([-7, 0])})
    # A general run of joined steps, as an output array is given.
    with pytest.raises(lite.ExecutionError, match=outside + "9"):
        model.run({"x": x, "ids": np.array([9, 0, 0])}, {"y": np.empty((3, 5), np.float32)})
    np.testing.assert_array_equal(model.run({"x": x, "ids": ids})["y"], expected)


def test_the_error_of_an_interrupted_run_is_not_that_of_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: JoinedStep) -> bool:
        raise KeyboardInterrupt

    model = predictor(lookup())
    x, ids = image(6)[:, :5].copy(), np.array([1, 5, 0])
    expected = model.run({"x": x, "ids": ids})["y"].copy()
    with monkeypatch.context() as patch:
        patch.setattr(JoinedStep, "forget_errors", interrupt)
        with pytest.raises(KeyboardInterrupt):
            model.run({"x": x, "ids": np.array([1, 6, 0])})

    out = np.empty((3, 5), np.float32)
    model.run({"x": x, "ids": ids}, {"y": out})  # a general run

    np.testing.assert_array_equal(out, expected)
