"""InferenceSession, beside the real package where a test says so."""

from __future__ import annotations

import copy
import json
import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import lite
from lite.compat import onnxruntime as ort
from lite.compat.onnxruntime import errors
from tests.lite.compat.onnxruntime.models import model, sum_with_weight, value

X = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
W = np.array([1, 2, 3], np.float32)


@pytest.fixture
def session() -> ort.InferenceSession:
    return ort.InferenceSession(sum_with_weight().SerializeToString())


def test_a_session_describes_its_model_as_onnxruntime_does(session: ort.InferenceSession) -> None:
    real = pytest.importorskip("onnxruntime")
    reference = real.InferenceSession(sum_with_weight().SerializeToString())

    def described(args: Any) -> list[tuple[str, str, list[int | str | None]]]:
        return [(arg.name, arg.type, arg.shape) for arg in args]

    assert described(session.get_inputs()) == described(reference.get_inputs())
    assert described(session.get_outputs()) == described(reference.get_outputs())
    assert described(session.get_overridable_initializers()) == [("w", "tensor(float)", [3])]
    assert str(session.get_inputs()[0]) == str(reference.get_inputs()[0])
    ours, theirs = session.get_modelmeta(), reference.get_modelmeta()
    for name in vars(ours):
        assert vars(ours)[name] == getattr(theirs, name), name


def test_a_model_without_metadata(session: ort.InferenceSession) -> None:
    plain = sum_with_weight()
    plain.ClearField("model_version")
    plain.ClearField("metadata_props")
    meta = ort.InferenceSession(plain.SerializeToString()).get_modelmeta()
    assert (meta.version, meta.custom_metadata_map) == (2**63 - 1, {})


def test_outputs_come_in_the_order_of_the_names(session: ort.InferenceSession) -> None:
    everything = session.run(None, {"x": X})
    np.testing.assert_array_equal(everything[0], X + W)
    np.testing.assert_array_equal(everything[1], -(X + W))
    assert len(session.run([], {"x": X})) == 2
    (only,) = session.run(["negated"], {"x": X})
    np.testing.assert_array_equal(only, -(X + W))


def test_an_initialiser_that_is_an_input_can_be_fed(session: ort.InferenceSession) -> None:
    y, _ = session.run(None, {"x": X, "w": X[1]})
    np.testing.assert_array_equal(y, X + X[1])
    y, _ = session.run(None, {"x": X})
    np.testing.assert_array_equal(y, X + W)


def test_a_path_with_external_data(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    onnx.save_model(sum_with_weight(), path, save_as_external_data=True, location="w.bin", size_threshold=0)
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    np.testing.assert_array_equal(session.run(["y"], {"x": X})[0], X + W)
    np.testing.assert_array_equal(session.run(["y"], {"x": X, "w": -W})[0], X - W)


def test_lists_and_none_are_inputs(session: ort.InferenceSession) -> None:
    np.testing.assert_array_equal(session.run(["y"], {"x": X.tolist(), "w": None})[0], X + W)


def fails(call: Any) -> tuple[str, str]:
    with pytest.raises((lite.LiteError, Exception)) as caught:
        call()
    return type(caught.value).__name__, str(caught.value)


FEEDS: list[tuple[str, Any, Any]] = [
    ("output", ["z"], {"x": X}),
    ("input", None, {"x": X, "q": X}),
    ("dtype", None, {"x": X.astype(np.float64)}),
    ("size", None, {"x": np.ones((2, 4), np.float32)}),
    ("rank", None, {"x": np.ones((2, 3, 1), np.float32)}),
]


@pytest.mark.parametrize(("names", "feed"), [case[1:] for case in FEEDS], ids=[case[0] for case in FEEDS])
def test_wrong_runs_fail_as_in_onnxruntime(session: ort.InferenceSession, names: Any, feed: Any) -> None:
    real = pytest.importorskip("onnxruntime")
    reference = real.InferenceSession(sum_with_weight().SerializeToString())
    ours, theirs = fails(lambda: session.run(names, feed)), fails(lambda: reference.run(names, feed))
    assert ours[0] == theirs[0] == "InvalidArgument"
    assert ours[1].startswith(theirs[1])


def test_a_missing_input_is_a_value_error(session: ort.InferenceSession) -> None:
    with pytest.raises(ValueError, match=r"Required inputs \(\['x'\]\) are missing from input feed \(\[\]\)"):
        session.run(None, {})
    with pytest.raises(lite.InputError):
        session.run(None, {"x": None})


def test_wrong_arguments_say_what_to_pass(session: ort.InferenceSession) -> None:
    with pytest.raises(errors.InvalidArgument, match=r"write \['y'\]"):
        session.run("y", {"x": X})
    with pytest.raises(errors.InvalidArgument, match="expected a dict by input name, got a list"):
        session.run(None, [X])  # type: ignore[arg-type]
    with pytest.raises(errors.InvalidArgument, match="Invalid input name: x_; did you mean 'x'"):
        session.run(None, {"x": X, "x_": X})


def test_wrong_models_have_onnxruntimes_classes(tmp_path: Path) -> None:
    (tmp_path / "text.onnx").write_text("hello")
    unknown = model(
        [value("x", [1])], [value("y", [1])], [helper.make_node("Foo", ["x"], ["y"])]
    ).SerializeToString()
    with pytest.raises(errors.NoSuchFile, match=r"3 : NO_SUCHFILE : Load model from .*File doesn't exist"):
        ort.InferenceSession(str(tmp_path / "none.onnx"))
    with pytest.raises(errors.InvalidProtobuf, match=r"7 : INVALID_PROTOBUF : .*Protobuf parsing failed"):
        ort.InferenceSession(tmp_path / "text.onnx")
    with pytest.raises(errors.InvalidArgument, match="No graph was found"):
        ort.InferenceSession(b"")
    with pytest.raises(errors.InvalidGraph, match=r"This is an invalid model\. .*Foo"):
        ort.InferenceSession(unknown)
    with pytest.raises(TypeError, match="Unable to load from type"):
        ort.InferenceSession(None)  # type: ignore[arg-type]
    with pytest.raises(errors.NotImplementedHere, match=r"use the \.onnx file"):
        ort.InferenceSession("model.ort")


def test_an_op_that_fails_is_a_runtime_exception() -> None:
    gather = model(
        [value("x", [3]), value("i", ["n"], TensorProto.INT64)],
        [value("y", ["n"])],
        [helper.make_node("Gather", ["x", "i"], ["y"])],
    )
    session = ort.InferenceSession(gather.SerializeToString())
    with pytest.raises(errors.RuntimeException, match="6 : RUNTIME_EXCEPTION"):
        session.run(None, {"x": W, "i": np.array([7])})


def test_threads_may_share_a_session(session: ort.InferenceSession) -> None:
    results: dict[int, Any] = {}

    def work(number: int) -> None:
        for _ in range(20):
            results[number] = session.run(["y"], {"x": X + number})[0]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(4):
        np.testing.assert_array_equal(results[number], X + number + W)


@pytest.mark.parametrize("labels", [[4, 2], ["no", "yes"]])
def test_scores_of_a_zip_map_are_dicts(labels: list[Any]) -> None:
    """As converters of scikit-learn's models write them."""
    key = "string" if isinstance(labels[0], str) else "int64"
    kind = helper.make_map_type_proto(
        TensorProto.DataType.Value(key.upper()), helper.make_tensor_type_proto(TensorProto.FLOAT, [])
    )
    output = helper.make_value_info("p", helper.make_sequence_type_proto(kind))
    node = helper.make_node("ZipMap", ["x"], ["p"], domain="ai.onnx.ml")
    node.attribute.append(helper.make_attribute(f"classlabels_{key}s", labels))
    made = model([value("x", ["n", 2])], [output], [node])
    made.opset_import.append(helper.make_opsetid("ai.onnx.ml", 1))
    session = ort.InferenceSession(made.SerializeToString())

    [result] = session.run(None, {"x": np.array([[0.25, 0.75], [1, 0]], np.float32)})

    assert result == [dict(zip(labels, row, strict=True)) for row in ([0.25, 0.75], [1.0, 0.0])]
    assert session.get_outputs()[0].type == f"seq(map({key},tensor(float)))"


def test_run_async_calls_back(session: ort.InferenceSession) -> None:
    done, seen = threading.Event(), []

    def callback(results: list[Any], user_data: object, message: str) -> None:
        seen.append((results, user_data, message))
        done.set()

    session.run_async(["y"], {"x": X}, callback, "mine")
    assert done.wait(30)
    done.clear()
    session.run_async(["y"], {}, callback, None)
    assert done.wait(30)
    np.testing.assert_array_equal(seen[0][0][0], X + W)
    assert seen[0][1:] == ("mine", "")
    assert (seen[1][0], seen[1][1]) == ([], None)
    assert "Required inputs" in seen[1][2]


def test_terminate_refuses_a_run(session: ort.InferenceSession) -> None:
    options = ort.RunOptions()
    options.terminate = True
    with pytest.raises(errors.Fail, match="terminate"):
        session.run(None, {"x": X}, options)


def test_profiling_writes_one_event_per_run(tmp_path: Path) -> None:
    options = ort.SessionOptions()
    options.enable_profiling = True
    options.profile_file_prefix = str(tmp_path / "profile")
    session = ort.InferenceSession(sum_with_weight().SerializeToString(), options)
    session.run(None, {"x": X})
    session.run(None, {"x": X})
    events = json.loads(Path(session.end_profiling()).read_text())
    assert [event["name"] for event in events] == ["model_run"] * 2
    assert session.get_profiling_start_time_ns() > 0


class PickableSession(ort.InferenceSession):
    """As insightface has it."""

    def __init__(self, model_path: str, **kwargs: Any) -> None:
        super().__init__(model_path, **kwargs)
        self.model_path = model_path

    def __getstate__(self) -> dict[str, str]:  # type: ignore[override]
        return {"model_path": self.model_path}

    def __setstate__(self, values: dict[str, str]) -> None:
        self.__init__(values["model_path"])  # type: ignore[misc]


def test_a_session_is_not_pickled_and_a_subclass_may_be(
    session: ort.InferenceSession, tmp_path: Path
) -> None:
    with pytest.raises(TypeError, match="pickle the model's path"):
        pickle.dumps(session)
    path = tmp_path / "model.onnx"
    path.write_bytes(sum_with_weight().SerializeToString())
    copied = pickle.loads(pickle.dumps(PickableSession(str(path))))
    np.testing.assert_array_equal(copied.run(["y"], {"x": X})[0], X + W)
    assert copy.deepcopy(PickableSession(str(path))).model_path == str(path)
