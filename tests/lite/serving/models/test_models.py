"""Python models, ensembles, warm-up: what is refused when a model is loaded."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from lite.errors import ConfigError, ExecutionError
from lite.serving.models.ensemble import check_steps, run_ensemble
from lite.serving.models.model_value import Value
from lite.serving.models.python_model import PythonModel
from lite.serving.models.tensors import TensorSpec, check_inputs
from lite.serving.models.warmup import warm_up
from lite.serving.protocol.status import RequestError
from lite.serving.repository.settings import Step
from lite.serving.scheduling.batches import Batching

X, Y = TensorSpec("x", "FP32", (-1, 2)), TensorSpec("y", "FP32", (-1, 2))
Inputs = Mapping[str, Value]


def python_model(folder: Path, code: str, name: str = "run") -> PythonModel:
    path = folder / f"steps_{abs(hash(code))}.py"
    path.write_text(code)
    return PythonModel(folder, f"{path.name}:{name}", [X], [Y])


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import nothing_of_this_name", "cannot be imported"),
        ("run = 3", "no function or class"),
        ("", "no function or class"),
        (
            "class run:\n    def __init__(self): 1 / 0\n    def __call__(self, inputs): ...",
            "cannot be created",
        ),
        ("class run: ...", "cannot be called"),
    ],
)
def test_a_python_model_that_cannot_be_made_is_refused(tmp_path: Path, code: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        python_model(tmp_path, code).instance()


@pytest.mark.parametrize("target", ["steps.py", "../steps.py:run", "missing.py:run"])
def test_a_python_model_is_a_file_of_its_folder(tmp_path: Path, target: str) -> None:
    with pytest.raises(ConfigError):
        PythonModel(tmp_path, target, [X], [Y])


@pytest.mark.parametrize("result", ["None", "{}", "{'y': 3}", "{'y': [1]}"])
def test_a_python_model_returns_its_outputs(tmp_path: Path, result: str) -> None:
    run = python_model(tmp_path, f"def run(inputs): return {result}").instance()
    with pytest.raises(ExecutionError, match="must return"):
        run({"x": np.zeros((1, 2), np.float32)})


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([Step("a", {"x": "z"}, {"y": "out"})], "no input and no earlier step gives 'z'"),
        ([Step("a", {"x": "in"}, {"y": "in"})], "has a value already"),
        ([Step("a", {"x": "in"}, {"y": "b"})], "no step gives the output 'out'"),
        ([Step("a", {"x": "out"}, {"y": "b"}), Step("b", {"x": "b"}, {"y": "out"})], "earlier step"),
    ],
)
def test_steps_that_do_not_connect_are_refused(steps: list[Step], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        check_steps(steps, ["in"], ["out"])


def test_steps_that_do_not_need_each_other_run_at_the_same_time() -> None:
    steps = [
        Step("left", {"x": "in"}, {"y": "a"}),
        Step("right", {"x": "in"}, {"y": "b"}),
        Step("last", {"x": "a", "z": "b"}, {"y": "out"}),
    ]
    begun: list[str] = []
    both = asyncio.Event

    async def main() -> Mapping[str, Value]:
        together = both()

        async def run(model: str, inputs: Inputs) -> Inputs:
            begun.append(model)
            if {"left", "right"} <= set(begun):
                together.set()
            await asyncio.wait_for(together.wait(), 10)
            return {"y": sum((np.asarray(value) for value in inputs.values()), np.zeros(1))}

        return await run_ensemble(steps, {"in": np.ones(1)}, run)

    values = asyncio.run(main())

    assert np.asarray(values["out"]).tolist() == [2]
    assert begun[2] == "last"


def test_a_failed_step_ends_the_ensemble() -> None:
    steps = [Step("a", {"x": "in"}, {"y": "b"}), Step("c", {"x": "b"}, {"y": "out"})]

    async def run(model: str, inputs: Inputs) -> Inputs:
        raise ExecutionError(model)

    with pytest.raises(ExecutionError, match="a"):
        asyncio.run(run_ensemble(steps, {"in": np.ones(1)}, run))


@pytest.mark.parametrize("feed", [np.ones(1), [np.ones(1)]])
def test_each_needs_lists_of_equal_lengths(feed: Value) -> None:
    step = Step("a", {"x": "in", "z": "other"}, {"y": "out"}, ("x", "z"))

    async def run(model: str, inputs: Inputs) -> Inputs:
        return {"y": np.ones(1)}

    with pytest.raises(ExecutionError, match="equal lengths"):
        asyncio.run(run_ensemble([step], {"in": feed, "other": [np.ones(1)] * 2}, run))


def test_inputs_are_checked_against_the_model() -> None:
    good = np.zeros((3, 2), np.float32)
    check_inputs([X], {"x": good})
    check_inputs([X], {"x": [good, good]}, lists=True)
    for inputs, message in (
        ({}, "is missing"),
        ({"x": good, "xx": good}, "did you mean 'x'"),
        ({"x": good.astype(np.float64)}, "expected FP32, got FP64"),
        ({"x": good[0]}, "expected shape"),
        ({"x": good[:, :1]}, "expected shape"),
        ({"x": [good]}, "got a list"),
    ):
        with pytest.raises(RequestError, match=message):
            check_inputs([X], inputs)


def test_warm_up_runs_every_instance_on_every_set_of_shapes() -> None:
    seen: list[tuple[int, ...]] = []

    def run(inputs: Inputs) -> Inputs:
        seen.append(np.asarray(inputs["x"]).shape)
        return {"y": np.asarray(inputs["x"])}

    warm_up([run, run], [X], [{"x": (1, 2)}], Batching())
    warm_up([run], [TensorSpec("x", "FP32", (5,))], [], Batching())
    warm_up([run], [X], [], Batching())

    assert seen == [(1, 2), (1, 2), (5,)]
    with pytest.raises(ConfigError, match="is missing"):
        warm_up([run], [X], [{"z": (1, 2)}], Batching())


def test_a_model_whose_rows_depend_on_each_other_is_not_batched() -> None:
    def mixes(inputs: Inputs) -> Inputs:
        x = np.asarray(inputs["x"])
        return {"y": x - x.mean(axis=0)}

    def alone(inputs: Inputs) -> Inputs:
        return {"y": np.asarray(inputs["x"]) * 2}

    warm_up([alone], [X], [{"x": (1, 2)}], Batching(max_size=4))
    with pytest.raises(ConfigError, match="depends on the other requests"):
        warm_up([mixes], [X], [{"x": (1, 2)}], Batching(max_size=4))
