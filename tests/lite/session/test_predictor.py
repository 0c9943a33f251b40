"""Predictor: the public API, on a small model in Paddle's format."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import lite
from lite.ir.types import Array
from lite.runtime import Runtime
from lite.session.build import optimize
from tests.support.small_programs import affine, affine_reference, make_program

X = np.array([[1, 2, 3, 4], [-1, -2, -3, -4]], np.float32)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    lite.save_program(affine(), tmp_path)
    return tmp_path


@pytest.fixture
def predictor(model: Path) -> lite.Predictor:
    return lite.create_predictor(lite.Config(model))


def test_models_are_optimised_with_one_thread_of_blas(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[int] = []

    def recording_optimize(*arguments: Any, **keywords: Any) -> Any:
        limits.extend(
            library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"
        )
        return optimize(*arguments, **keywords)

    monkeypatch.setattr("lite.session.build.optimize", recording_optimize)
    before = threadpool_info()
    with threadpool_limits(2, "blas"):
        lite.create_predictor(lite.Config(model))

    assert set(limits) <= {1}
    assert threadpool_info() == before


def test_run_takes_a_dict_or_a_list_and_returns_outputs_by_name(predictor: lite.Predictor) -> None:
    assert predictor.input_names == ["x"]
    assert predictor.output_names == ["y", "twice"]
    for outputs in (predictor.run({"x": X}), predictor.run([X])):
        assert list(outputs) == ["y", "twice"]
        np.testing.assert_array_equal(outputs["y"], affine_reference(X))
        np.testing.assert_array_equal(outputs["twice"], 2 * affine_reference(X))


def test_a_model_can_be_a_folder_a_file_two_files_or_bytes(model: Path) -> None:
    program, params = model / "inference.pdmodel", model / "inference.pdiparams"
    configs = [
        lite.Config(model),
        lite.Config(program),
        lite.Config(model_file=program, params_file=params),
        lite.Config(model_buffer=program.read_bytes(), params_buffer=params.read_bytes()),
    ]
    for config in configs:
        np.testing.assert_array_equal(lite.create_predictor(config).run([X])["y"], affine_reference(X))


def test_results_are_written_to_output_arrays(predictor: lite.Predictor) -> None:
    array = np.zeros((2, 4), np.float32)
    outputs = predictor.run({"x": X}, outputs={"twice": array})
    assert outputs["twice"] is array
    np.testing.assert_array_equal(array, 2 * affine_reference(X))


def test_handles_set_inputs_and_read_outputs(predictor: lite.Predictor) -> None:
    handle = predictor.get_input(0)
    assert (handle.name, handle.shape, handle.dtype) == ("x", ("?", 4), lite.DType.FLOAT32)
    out = predictor.get_output("y")
    with pytest.raises(lite.InputError, match="'y' has no value yet; run the predictor first"):
        out.numpy()
    handle.from_numpy(X)
    assert handle.shape == (2, 4)
    predictor.run()
    np.testing.assert_array_equal(out.numpy(), affine_reference(X))
    assert (out.name, out.shape, out.dtype) == ("y", (2, 4), lite.DType.FLOAT32)


def test_lods_are_passed_from_inputs_to_outputs(predictor: lite.Predictor) -> None:
    handle = predictor.get_input("x")
    with pytest.raises(lite.InputError, match="call from_numpy before set_lod"):
        handle.set_lod([[0, 1, 2]])
    handle.from_numpy(X)
    handle.set_lod([[0, 1, 2]])
    assert handle.lod() == ((0, 1, 2),)
    predictor.run()
    assert predictor.get_output("twice").lod() == ((0, 1, 2),)
    predictor.run({"x": X}, lods={"x": [[0, 2]]})
    assert predictor.get_lod("y") == ((0, 2),)
    predictor.run({"x": X})
    assert predictor.get_lod("y") == ()


def test_kept_variables_can_be_read_but_are_no_outputs(model: Path) -> None:
    predictor = lite.create_predictor(lite.Config(model, keep=["sum", "y"]))
    assert predictor.output_names == ["y", "twice"]
    assert list(predictor.run([X])) == ["y", "twice"]
    w, b = (affine().weights[name].array for name in ("w", "b"))
    np.testing.assert_array_equal(predictor.get("sum"), X * w + b)
    np.testing.assert_array_equal(predictor.get_output("sum").numpy(), X * w + b)


def test_clones_share_weights_and_run_in_threads(predictor: lite.Predictor) -> None:
    clones = [predictor.clone() for _ in range(2)]
    failures: list[int] = []

    def work(which: int) -> None:
        rng = np.random.default_rng(which)
        for _ in range(100):
            x = rng.standard_normal((rng.integers(1, 5), 4)).astype(np.float32)
            if not np.array_equal(clones[which].run([x])["y"], affine_reference(x)):
                failures.append(which)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_second_run_of_one_predictor_at_a_time_is_refused(
    predictor: lite.Predictor, monkeypatch: pytest.MonkeyPatch
) -> None:
    entered, leave = threading.Event(), threading.Event()
    execute = Runtime.run

    def slow_run(runtime: Runtime, args: Sequence[Array], *rest: Any) -> Any:
        entered.set()
        leave.wait(10)
        return execute(runtime, args, *rest)

    monkeypatch.setattr(Runtime, "run", slow_run)
    thread = threading.Thread(target=lambda: predictor.run([X]))
    thread.start()
    assert entered.wait(10)
    with pytest.raises(
        lite.ExecutionError, match=r"already running in another thread; use predictor.clone\(\)"
    ):
        predictor.run([X])
    with pytest.raises(lite.ExecutionError, match="already running"):
        predictor.prepare({"x": (1, 4)})
    twin = predictor.clone()
    leave.set()
    thread.join()
    for each in (predictor, twin):
        np.testing.assert_array_equal(each.run([X])["y"], affine_reference(X))


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({}, "inputs are missing: x; the model takes x"),
        ({"X": X}, "the model has no input 'X'"),
        ([X, X], r"the model takes 1 inputs \(x\), got 2"),
        ({"x": X.astype(np.float64)}, "input 'x': expected dtype float32, got float64; convert it with"),
        ({"x": X[0]}, r"input 'x': expected shape \[\?,4\] \(from the model\), got \[4\]"),
        ({"x": X[:, :3]}, r"input 'x': expected shape \[\?,4\] \(from the model\), got \[2, 3\]"),
        ({"x": np.zeros((2, 4), "datetime64[s]")}, "input 'x': numpy dtype datetime64"),
    ],
)
def test_wrong_inputs_are_refused(predictor: lite.Predictor, inputs: object, message: str) -> None:
    with pytest.raises(lite.InputError, match=message):
        predictor.run(inputs)  # type: ignore[arg-type]


def test_lists_become_arrays_of_the_models_dtype(predictor: lite.Predictor) -> None:
    outputs = predictor.run({"x": [[1, 2, 3, 4]]})  # type: ignore[dict-item]
    np.testing.assert_array_equal(outputs["y"], affine_reference(X[:1]))


def test_other_shapes_than_promised_are_refused(model: Path) -> None:
    predictor = lite.create_predictor(lite.Config(model, input_shapes={"x": (2, 4)}))
    np.testing.assert_array_equal(predictor.run([X])["y"], affine_reference(X))
    with pytest.raises(lite.InputError, match=r"expected shape \[2,4\] \(from input_shapes\), got \[1, 4\]"):
        predictor.run([X[:1]])
    with pytest.raises(lite.ConfigError, match="input_shapes: the model has no input 'y'"):
        lite.create_predictor(lite.Config(model, input_shapes={"y": (2, 4)}))


def test_a_run_after_prepare_gives_the_same_results(predictor: lite.Predictor) -> None:
    predictor.prepare({"x": (3, 4)})
    x = np.ones((3, 4), np.float32)
    np.testing.assert_array_equal(predictor.run([x])["y"], affine_reference(x))


@pytest.mark.parametrize(
    ("which", "message"),
    [(2, "the model has 1 inputs, numbered from 0; got number 2"), ("z", "the model has no input 'z'")],
)
def test_unknown_handles_are_refused(predictor: lite.Predictor, which: int | str, message: str) -> None:
    with pytest.raises(lite.InputError, match=message):
        predictor.get_input(which)


def test_all_unsupported_ops_are_listed(tmp_path: Path) -> None:
    program = make_program(
        {"x": (lite.DType.FLOAT32, (-1,))},
        {},
        [
            ("relu_7", {"X": ["x"]}, {"Out": ["a"]}, {}),
            ("no_such_op", {"X": ["a"]}, {"Out": ["b"]}, {}),
            ("relu_7", {"X": ["b"]}, {"Out": ["c"]}, {}),
        ],
        ["c"],
    )
    lite.save_program(program, tmp_path)
    with pytest.raises(
        lite.GraphError, match=r"2 op types are not supported: no_such_op \(1x\), relu_7 \(2x, did you mean"
    ):
        lite.create_predictor(lite.Config(tmp_path))


def test_an_unknown_device_is_refused(model: Path) -> None:
    with pytest.raises(lite.ConfigError, match="no device is called 'npu9'"):
        lite.create_predictor(lite.Config(model, devices=["npu9"]))


def test_an_input_that_no_op_reads_is_still_an_input(tmp_path: Path) -> None:
    program = make_program(
        {"unread": (lite.DType.INT64, (1,)), "x": (lite.DType.FLOAT32, (2,))},
        {},
        [("relu", {"X": ["x"]}, {"Out": ["y"]}, {})],
        ["y"],
    )
    lite.save_program(program, tmp_path)
    predictor = lite.create_predictor(lite.Config(tmp_path))
    assert predictor.input_names == ["unread", "x"]
    outputs = predictor.run([np.array([1]), np.array([-1, 1], np.float32)])
    np.testing.assert_array_equal(outputs["y"], [0, 1])


def test_the_optimised_program_can_be_saved_and_gives_the_same(
    predictor: lite.Predictor, tmp_path: Path
) -> None:
    program = predictor.optimized_program()
    lite.save_program(program, tmp_path / "optimised")
    loaded = lite.create_predictor(lite.Config(tmp_path / "optimised", passes=[]))

    assert (loaded.input_names, loaded.output_names) == (predictor.input_names, predictor.output_names)
    expected = predictor.run([X])
    for name, array in loaded.run([X]).items():
        np.testing.assert_array_equal(array, expected[name])


def test_kept_variables_are_no_outputs_of_the_optimised_program(model: Path) -> None:
    predictor = lite.create_predictor(lite.Config(model, keep=["sum"]))
    fetched = [op for op in predictor.optimized_program().blocks[0].ops if op.type == "fetch"]
    assert [op.inputs["X"] for op in fetched] == [["y"], ["twice"]]
