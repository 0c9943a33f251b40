"""SessionOptions and RunOptions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.compat import onnxruntime as ort
from lite.compat.onnxruntime import errors
from lite.compat.onnxruntime.options import RunOptions, SessionOptions
from lite.cores import usable_cores
from tests.lite.compat.onnxruntime.models import sum_with_weight

X = np.ones((2, 3), np.float32)


def session_with(options: ort.SessionOptions) -> ort.InferenceSession:
    return ort.InferenceSession(sum_with_weight().SerializeToString(), options)


@pytest.mark.parametrize("name", ["SessionOptions", "RunOptions"])
def test_defaults_are_those_of_onnxruntime(name: str) -> None:
    real = getattr(pytest.importorskip("onnxruntime"), name)()
    ours = vars(ort)[name]()
    plain = {key: getattr(real, key) for key in dir(real) if not key.startswith("_")}
    expected = {key: value for key, value in plain.items() if not callable(value)}
    assert {key: getattr(ours, key) for key in ours.DEFAULTS} == {
        key: value if isinstance(value, bool | str) else int(value) for key, value in expected.items()
    }


def test_an_unknown_option_suggests_near_ones() -> None:
    options: Any = SessionOptions()
    with pytest.raises(
        AttributeError, match="has no option 'intra_op_threads'; did you mean 'intra_op_num_threads'"
    ):
        options.intra_op_threads = 1


def test_an_option_of_another_type_is_refused() -> None:
    options: Any = SessionOptions()
    with pytest.raises(TypeError, match="expected int, got 'two'"):
        options.intra_op_num_threads = "two"
    with pytest.raises(TypeError, match="expected GraphOptimizationLevel, got 99"):
        options.graph_optimization_level = 99


def test_entries_are_kept_by_key() -> None:
    session, run = SessionOptions(), RunOptions()
    session.add_session_config_entry("session.a", "1")
    run.add_run_config_entry("run.a", "2")
    assert (session.get_session_config_entry("session.a"), run.get_run_config_entry("run.a")) == ("1", "2")
    with pytest.raises(RuntimeError, match=r"does not have configuration with key: session\.b; did you mean"):
        session.get_session_config_entry("session.b")


def test_threads_come_from_the_options_then_from_install_then_all_cores() -> None:
    options = SessionOptions()
    assert session_with(options)._config(()).threads == usable_cores()
    ort.environment.use_settings(threads=2)
    assert session_with(options)._config(()).threads == 2
    options.intra_op_num_threads = 1
    assert session_with(options)._config(()).threads == 1


def test_the_level_disable_all_runs_no_passes() -> None:
    options = SessionOptions()
    assert session_with(options)._config(()).passes is None
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = session_with(options)
    assert session._config(()).passes == ()
    np.testing.assert_array_equal(session.run(["y"], {"x": X})[0], [[2, 3, 4]] * 2)


def test_an_overridden_dimension_specialises_the_model() -> None:
    options = SessionOptions()
    options.add_free_dimension_override_by_name("n", 2)
    session = session_with(options)
    assert session._config(()).input_shapes == {"x": (2, 3)}
    with pytest.raises(errors.InvalidArgument, match="expected shape"):
        session.run(None, {"x": X[:1]})


def test_a_denotation_specialises_the_model() -> None:
    made = sum_with_weight()
    made.graph.input[0].type.tensor_type.shape.dim[0].denotation = "DATA_BATCH"
    options = SessionOptions()
    options.add_free_dimension_override_by_denotation("DATA_BATCH", 1)
    session = ort.InferenceSession(made.SerializeToString(), options)
    assert session._config(()).input_shapes == {"x": (1, 3)}


def test_initialisers_are_replaced() -> None:
    options = SessionOptions()
    options.add_initializer("w", ort.OrtValue.ortvalue_from_numpy(np.zeros(3, np.float32)))
    np.testing.assert_array_equal(session_with(options).run(["y"], {"x": X})[0], X)
    options.add_external_initializers(["v"], [ort.OrtValue.ortvalue_from_numpy(X)])
    with pytest.raises(errors.InvalidArgument, match="no initialiser 'v'"):
        session_with(options)


def test_libraries_of_custom_ops_are_refused_with_the_way_out() -> None:
    with pytest.raises(errors.NotImplementedHere, match=r"@lite\.onnx_op"):
        SessionOptions().register_custom_ops_library("ops.so")
