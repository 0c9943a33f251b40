"""Predictor.run_part: runs parts of a model, from and to values inside it."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.types import Array, DType
from lite.runtime.observe.watch import Observation
from tests.support.reference_models import ReferenceModel, difference, each_model
from tests.support.small_programs import affine, affine_reference, make_program

X = np.array([[1, 2, 3, 4], [-1, -2, -3, -4]], np.float32)
W, B = (affine().weights[name].array for name in ("w", "b"))


@pytest.fixture
def unfused(tmp_path: Path) -> lite.Predictor:
    lite.save_program(affine(), tmp_path)
    return lite.create_predictor(lite.Config(tmp_path, passes=[]))


def rewriting_model(tmp_path: Path) -> lite.Predictor:
    """``t = x + 1; t = 2 t; t = t + x``: the variable t is written three times."""
    program = make_program(
        {"x": (DType.FLOAT32, (-1,))},
        {},
        [
            ("scale", {"X": ["x"]}, {"Out": ["t"]}, {"scale": 1.0, "bias": 1.0}),
            ("scale", {"X": ["t"]}, {"Out": ["t"]}, {"scale": 2.0}),
            ("elementwise_add", {"X": ["t"], "Y": ["x"]}, {"Out": ["t"]}, {"axis": -1}),
        ],
        ["t"],
    )
    lite.save_program(program, tmp_path)
    return lite.create_predictor(lite.Config(tmp_path, passes=[]))


def test_a_part_runs_from_an_input_to_inner_values(unfused: lite.Predictor) -> None:
    outputs = unfused.run_part({"x": X}, ["sum", "xw"])
    assert list(outputs) == ["sum", "xw"]
    np.testing.assert_array_equal(outputs["xw"], X * W)
    np.testing.assert_array_equal(outputs["sum"], X * W + B)


def test_a_part_runs_from_an_inner_value_to_an_output(unfused: lite.Predictor) -> None:
    total = np.array([[-1, 0, 1, 2]], np.float32)
    outputs = unfused.run_part({"sum": total}, ["twice"])
    np.testing.assert_array_equal(outputs["twice"], [[0, 0, 2, 4]])
    np.testing.assert_array_equal(total, [[-1, 0, 1, 2]])


def test_parts_with_other_shapes_and_names_share_a_predictor(unfused: lite.Predictor) -> None:
    for rows in (1, 3, 1):
        x = np.arange(4 * rows, dtype=np.float32).reshape(rows, 4)
        np.testing.assert_array_equal(unfused.run_part({"x": x}, ["y"])["y"], affine_reference(x))
        np.testing.assert_array_equal(unfused.run_part({"xw": x}, ["sum"])["sum"], x + B)
        np.testing.assert_array_equal(unfused.run([x])["y"], affine_reference(x))


def test_a_weight_can_be_an_input_or_output(unfused: lite.Predictor) -> None:
    outputs = unfused.run_part({"x": X, "w": np.zeros(4, np.float32)}, ["sum"])
    np.testing.assert_array_equal(outputs["sum"], np.broadcast_to(B, (2, 4)))
    np.testing.assert_array_equal(unfused.run_part({}, ["w"])["w"], W)
    np.testing.assert_array_equal(unfused.run([X])["y"], affine_reference(X))


def test_results_belong_to_the_caller(unfused: lite.Predictor) -> None:
    first = unfused.run_part({"x": X}, ["xw"])["xw"]
    unfused.run_part({"x": 0 * X}, ["xw"])["xw"][...] = 7
    np.testing.assert_array_equal(first, X * W)
    same = unfused.run_part({"xw": X}, ["xw"])["xw"]
    assert not np.shares_memory(same, X)
    np.testing.assert_array_equal(same, X)


def test_get_reads_the_last_complete_run(unfused: lite.Predictor) -> None:
    unfused.run([X])
    unfused.run_part({"x": 0 * X}, ["y"])
    np.testing.assert_array_equal(unfused.get("y"), affine_reference(X))


def test_lods_of_inputs_are_checked_and_passed(unfused: lite.Predictor) -> None:
    outputs = unfused.run_part({"x": X}, ["y"], lods={"x": [[0, 2]]})
    np.testing.assert_array_equal(outputs["y"], affine_reference(X))
    with pytest.raises(lite.InputError, match="this part has no input 'y'; it has"):
        unfused.run_part({"x": X}, ["y"], lods={"y": [[0, 2]]})


def test_versions_of_a_variable_are_different_values(tmp_path: Path) -> None:
    predictor = rewriting_model(tmp_path)
    x = np.array([1, 2], np.float32)
    outputs = predictor.run_part({"x": x}, ["t#1", "t"])
    np.testing.assert_array_equal(outputs["t#1"], [4, 6])
    np.testing.assert_array_equal(outputs["t"], [5, 8])
    from_first = predictor.run_part({"t": x}, ["t#1"])
    np.testing.assert_array_equal(from_first["t#1"], [2, 4])
    np.testing.assert_array_equal(predictor.run_part({"t#1": x, "x": x}, ["t"])["t"], [2, 4])


def test_a_kept_variable_of_an_optimised_model_is_known(tmp_path: Path) -> None:
    lite.save_program(affine(), tmp_path)
    predictor = lite.create_predictor(lite.Config(tmp_path, keep=["sum"]))
    total = predictor.run_part({"x": X}, ["sum"])["sum"]
    np.testing.assert_array_equal(total, X * W + B)
    np.testing.assert_array_equal(predictor.run_part({"sum": total}, ["y"])["y"], affine_reference(X))


def test_an_unknown_name_is_refused_with_a_suggestion(unfused: lite.Predictor) -> None:
    advice = r"passes may have removed or fused it: keep it with Config\(keep=\[…\]\), or run no passes"
    with pytest.raises(
        lite.InputError, match=rf"the model has no value 'summ'; did you mean 'sum'\?; {advice}"
    ):
        unfused.run_part({"x": X}, ["summ"])
    with pytest.raises(lite.InputError, match="the model has no value 'qqq'; passes"):
        unfused.run_part({"qqq": X}, ["sum"])


def test_an_output_that_needs_a_missing_input_is_refused(unfused: lite.Predictor) -> None:
    with pytest.raises(lite.InputError, match="'sum' cannot be computed from what is given: 'x' is needed"):
        unfused.run_part({"y": X}, ["sum"])


def test_dtypes_of_inner_values_and_shapes_of_inputs_are_checked(unfused: lite.Predictor) -> None:
    with pytest.raises(lite.InputError, match="input 'sum': expected dtype float32, got float64"):
        unfused.run_part({"sum": X.astype(np.float64)}, ["y"])
    with pytest.raises(lite.InputError, match=r"input 'x': expected shape \[\?,4\]"):
        unfused.run_part({"x": X[:, :2]}, ["y"])


def test_shapes_that_do_not_fit_the_ops_are_refused(unfused: lite.Predictor) -> None:
    with pytest.raises(lite.GraphError, match=r"elementwise_add -> sum"):
        unfused.run_part({"xw": np.zeros((2, 5), np.float32)}, ["sum"])


def test_clones_run_parts_in_threads(unfused: lite.Predictor) -> None:
    results: list[Array] = []

    def work(clone: lite.Predictor, factor: int) -> None:
        results.extend(clone.run_part({"x": factor * X}, ["xw"])["xw"] / factor for _ in range(50))

    threads = [threading.Thread(target=work, args=(unfused.clone(), factor)) for factor in (1, 2, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 150
    for array in results:
        np.testing.assert_array_equal(array, X * W)


def is_equal(one: Array, other: Array) -> bool:
    return difference({"value": one}, {"value": other}, 0) == ""


@each_model
@pytest.mark.parametrize("passes", [None, []], ids=["all", "none"])
def test_a_model_run_in_two_parts_gives_the_same(model: ReferenceModel, passes: list[str] | None) -> None:
    """Split after several of its ops; both parts get the inputs."""
    predictor = lite.create_predictor(lite.Config(model.path, passes=passes))
    expected = predictor.run(model.inputs)
    observed: dict[str, Array] = {}

    def see(value: Observation) -> None:
        if value.block == "main" and value.name not in model.inputs:
            observed[value.name] = np.array(value.value)

    predictor.observe(see, model.inputs)
    assert observed
    # An output can share its name with an earlier value, of a loop or in another layout: run_part returns the
    # output, but an input of that name replaces the earlier value.
    names = [name for name in observed if name not in expected or is_equal(observed[name], expected[name])]
    for name in names[:: max(len(names) // 8, 1)]:
        head = predictor.run_part(model.inputs, [name])
        assert difference(head, {name: observed[name]}, 0) == ""
        tail = predictor.run_part({**model.inputs, **head}, predictor.output_names)
        assert difference(tail, expected) == ""


def test_images_are_in_the_models_layout_even_where_kernels_take_nhwc(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    weights = {name: rng.standard_normal((3, 3, 1, 1)).astype(np.float32) for name in ("v", "w")}
    conv = {"strides": [1, 1], "paddings": [0, 0]}
    program = make_program(
        {"x": (DType.FLOAT32, (1, 3, 3, 3))},
        weights,
        [
            ("conv2d", {"Input": ["x"], "Filter": ["v"]}, {"Output": ["a"]}, conv),
            ("pool2d", {"X": ["a"]}, {"Out": ["b"]}, {"ksize": [1, 1], "pooling_type": "max"}),
            ("conv2d", {"Input": ["b"], "Filter": ["w"]}, {"Output": ["c"]}, conv),
        ],
        ["c"],
    )
    lite.save_program(program, tmp_path)
    predictor = lite.create_predictor(lite.Config(tmp_path, valid_places=["cpu/any/nhwc", "cpu", "host"]))
    x, b = (rng.standard_normal((1, 3, 3, 3)).astype(np.float32) for _ in range(2))
    a, c = (np.einsum("oi,nihw->nohw", weights[name][:, :, 0, 0], y) for name, y in (("v", x), ("w", b)))
    observed: dict[str, Array] = {}

    def see(observation: Observation) -> None:
        observed[observation.name] = np.array(observation.value)

    predictor.observe(see, {"x": x})

    assert any(info.channels_last for info in predictor._state.plan.values)
    np.testing.assert_allclose(predictor.run_part({"x": x}, ["b"])["b"], a, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(predictor.run_part({"b": b}, ["c"])["c"], c, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(observed["b"], a, rtol=1e-5, atol=1e-5)
