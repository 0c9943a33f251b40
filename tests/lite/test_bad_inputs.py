"""What a new user gets wrong: each mistake has the class of its kind, and a message that says what to do."""

from __future__ import annotations

import copy
import logging
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import lite
from lite.config import max_threads
from lite.errors import ConfigError, GraphError, InputError, LiteError, ModelParseError, PluginError
from tests.lite.compat.paddle_inference import models

X = np.ones((2, 3), np.float32)
CONFIG: Any = lite.Config
LOAD: Any = lite.load_program


@dataclass(frozen=True)
class Place:
    """A folder with the model `model`: x: float32[-1, 3] → y."""

    folder: Path
    model: Path

    def create(self, **options: Any) -> lite.Predictor:
        return lite.create_predictor(lite.Config(self.model, **options))

    def open(self, name: str, content: bytes) -> lite.Predictor:
        """A predictor of a file with this content."""
        path = self.folder / name
        path.write_bytes(content)
        return lite.create_predictor(lite.Config(path))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("bad_inputs")
    for name in ("empty", "documents", "several"):
        (folder / name).mkdir()
    (folder / "documents" / "readme.txt").write_text("text")
    (folder / "file").write_text("text")
    for name in ("a.onnx", "b.onnx"):
        (folder / "several" / name).write_bytes(b"")
    return Place(folder, models.save_relu_of_sum(folder / "model"))


@pytest.fixture(scope="module")
def predictor(place: Place) -> lite.Predictor:
    return place.create()


def onnx_with(op: str, opset: int = 17) -> bytes:
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xy")
    graph = helper.make_graph([helper.make_node(op, ["x"], ["y"])], "graph", [x], [y])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    return made.SerializeToString()


Case = tuple[type[LiteError], str, Callable[[Any, Any], object]]
CASES: Mapping[str, Case] = {
    # The Config.
    "an unknown field": (
        ConfigError,
        "no field 'thread'; did you mean 'threads'",
        lambda p, _: p.create(thread=2),
    ),
    "no model": (ConfigError, "exactly one of model_dir", lambda p, _: lite.Config()),
    "two models": (ConfigError, "exactly one of model_dir", lambda p, _: p.create(model_file="a")),
    "parameters alone": (ConfigError, "name both files", lambda p, _: p.create(params_file="a")),
    "a buffer of text": (
        ConfigError,
        r"expected bytes, such as Path\(file\)\.read_bytes\(\)",
        lambda p, _: CONFIG(model_buffer="m"),
    ),
    "no threads": (
        ConfigError,
        "expected 1 or more, got 0; 1 is the calling thread alone",
        lambda p, _: p.create(threads=0),
    ),
    "threads as text": (
        ConfigError,
        "expected an integer, such as threads=2, got '4'",
        lambda p, _: p.create(threads="4"),
    ),
    "too many threads": (
        ConfigError,
        f"threads: expected at most {max_threads()} on this machine",
        lambda p, _: p.create(threads=10**6),
    ),
    "an unknown place": (ConfigError, "named by devices=", lambda p, _: p.create(valid_places=["gpu"])),
    "a misspelt place": (ConfigError, "did you mean 'host'", lambda p, _: p.create(valid_places=["hosst"])),
    "a place without a list": (ConfigError, r"write \['host'\]", lambda p, _: p.create(valid_places="host")),
    "a misspelt device": (ConfigError, "did you mean 'openvino'", lambda p, _: p.create(devices=["openvno"])),
    "a device without a list": (
        ConfigError,
        r"write \['sim_npu'\]",
        lambda p, _: p.create(devices="sim_npu"),
    ),
    "an unknown option of a device": (
        ConfigError,
        "no option 'foo'",
        lambda p, _: p.create(devices=["sim_npu{foo=1}"]),
    ),
    "an open brace": (
        ConfigError,
        r"as in name\{option=value\}",
        lambda p, _: p.create(devices=["sim_npu{"]),
    ),
    "a misspelt pass": (
        ConfigError,
        "did you mean 'constant_fold_pass'",
        lambda p, _: p.create(passes=["consant_fold_pass"]),
    ),
    "a misspelt strategy": (ConfigError, "did you mean 'compact'", lambda p, _: p.create(memory="compat")),
    "an unknown precision": (ConfigError, "one of default, strict", lambda p, _: p.create(precision="fp16")),
    "a misspelt fallback": (ConfigError, "did you mean 'error'", lambda p, _: p.create(fallback="err")),
    "a size of -1": (
        ConfigError,
        r"write '\?' for an open",
        lambda p, _: p.create(input_shapes={"x": (-1, 3)}),
    ),
    "a shape of no input": (
        ConfigError,
        "did you mean 'x'",
        lambda p, _: p.create(input_shapes={"xx": (1, 3)}),
    ),
    "a shape of another rank": (
        ConfigError,
        r"fits \[\?,3\]",
        lambda p, _: p.create(input_shapes={"x": (1, 3, 4)}),
    ),
    "a shape that does not fit": (
        ConfigError,
        r"fits \[\?,3\]",
        lambda p, _: p.create(input_shapes={"x": (1, 4)}),
    ),
    "shapes without names": (
        ConfigError,
        "shapes by input name",
        lambda p, _: p.create(input_shapes=[(1, 3)]),
    ),
    "a kept name of no variable": (GraphError, "did you mean 'sum'", lambda p, _: p.create(keep=["summ"])),
    "missing rules": (
        ConfigError,
        "No such file or directory; check the path",
        lambda p, _: p.create(partition_rules=p.folder / "none.txt"),
    ),
    "a missing recipe": (
        ConfigError,
        "No such file or directory; check the path",
        lambda p, _: p.create(recipe=p.folder / "none.json"),
    ),
    "a negative time limit": (ConfigError, "got -1; None is no limit", lambda p, _: p.create(time_limit=-1)),
    "limits as a number": (ConfigError, r"such as lite\.Limits\(\)", lambda p, _: p.create(limits=3)),
    # The model.
    "a missing folder": (
        ModelParseError,
        "check the path",
        lambda p, _: lite.load_program(p.folder / "nothing"),
    ),
    "a misspelt folder": (
        ModelParseError,
        "did you mean 'model'",
        lambda p, _: lite.load_program(p.folder / "modle"),
    ),
    "an empty folder": (
        ModelParseError,
        "no model here.*found nothing; name the model's file or folder",
        lambda p, _: lite.load_program(p.folder / "empty"),
    ),
    "a folder of documents": (
        ModelParseError,
        r"found readme\.txt",
        lambda p, _: lite.load_program(p.folder / "documents"),
    ),
    "a folder of models": (
        ModelParseError,
        "2 models here: .*name one",
        lambda p, _: lite.load_program(p.folder / "several"),
    ),
    "no path": (ConfigError, "got None; name a model's file or folder", lambda p, _: LOAD(None)),
    "an empty file": (ModelParseError, "an empty file; copy or export", lambda p, _: p.open("a.onnx", b"")),
    "a picture": (
        ModelParseError,
        "a JPEG image; pass it as an input",
        lambda p, _: p.open("a.jpg", b"\xff\xd8\xff\xe0"),
    ),
    "a web page": (
        ModelParseError,
        "download the file itself",
        lambda p, _: p.open("a.pdmodel", b"<html>404</html>"),
    ),
    "a pointer of Git LFS": (
        ModelParseError,
        "run: git lfs pull",
        lambda p, _: p.open("b.onnx", b"version https://git-lfs.github.com/spec/v1\n"),
    ),
    "a checkpoint of PyTorch": (
        ModelParseError,
        r"torch\.onnx\.export",
        lambda p, _: p.open("a.pt", b"PK\x03\x04....archive/data.pkl"),
    ),
    "a pickle": (ModelParseError, "a Python pickle", lambda p, _: p.open("a.pkl", pickle.dumps({}))),
    "a safetensors file": (
        ModelParseError,
        "weights without a model",
        lambda p, _: p.open("a.safetensors", b"\x10\0\0\0\0\0\0\0" + b'{"a":{}}'),
    ),
    "a model of Keras": (ModelParseError, "tf2onnx", lambda p, _: p.open("a.h5", b"\x89HDF\r\n\x1a\n")),
    "a model of llama.cpp": (ModelParseError, "a GGUF file", lambda p, _: p.open("a.gguf", b"GGUF\3\0\0\0")),
    "a model of OpenVINO": (
        ModelParseError,
        "name the model that it was made from",
        lambda p, _: p.open("a.xml", b'<?xml version="1.0"?>\n<net name="a" version="11">'),
    ),
    "an optimised model of Paddle-Lite": (
        ModelParseError,
        r"header is damaged; copy it again, or name the Paddle model",
        lambda p, _: p.open("a.nb", b"\x02\0v2.13" + b"\0" * 60),
    ),
    "an archive": (ModelParseError, "unpack it first", lambda p, _: p.open("a.tar.gz", b"\x1f\x8b\x08\0")),
    "a settings file": (
        ModelParseError,
        "name the folder",
        lambda p, _: p.open("inference.yml", b"Global:\n  model_name: a\n"),
    ),
    "a line of text": (
        ModelParseError,
        "formats that were tried: onnx",
        lambda p, _: lite.create_predictor(lite.Config(model_buffer=b"hello")),
    ),
    "a model that is cut short": (
        ModelParseError,
        "copy or export it again",
        lambda p, _: lite.create_predictor(lite.Config(model_buffer=onnx_with("Relu")[:-7])),
    ),
    "missing parameters": (
        ModelParseError,
        "no such file",
        lambda p, _: lite.create_predictor(
            lite.Config(model_file=next(p.model.glob("*.pdmodel")), params_file=p.folder / "none")
        ),
    ),
    "an unknown op": (
        ModelParseError,
        r"Foo .*@lite\.op",
        lambda p, _: lite.create_predictor(lite.Config(model_buffer=onnx_with("Foo"))),
    ),
    "an opset of the future": (
        ModelParseError,
        "install a newer onnx",
        lambda p, _: lite.create_predictor(
            lite.Config(model_buffer=onnx_with("Relu", onnx.defs.onnx_opset_version() + 1))
        ),
    ),
    # A run.
    "an input of another name": (InputError, "did you mean 'x'", lambda _, r: r.run({"xx": X})),
    "an input of another type": (
        InputError,
        r"array\.astype\('float32'\)",
        lambda _, r: r.run({"x": X.astype(float)}),
    ),
    "an input of another size": (InputError, r"expected shape \[\?,3\]", lambda _, r: r.run({"x": X[:, :2]})),
    "an input of another rank": (InputError, r"expected shape \[\?,3\]", lambda _, r: r.run({"x": X[0]})),
    "no inputs": (InputError, "the model takes x", lambda _, r: r.run({})),
    "a bare array": (InputError, "a dict by name or a list", lambda _, r: r.run(X)),
    "None as an input": (InputError, "got None; pass a numpy array", lambda _, r: r.run({"x": None})),
    "an output of another name": (InputError, r"it has \['y'\]", lambda _, r: r.run({"x": X}, {"z": X})),
    "a result before the run": (InputError, "run the predictor first", lambda p, _: p.create().get("y")),
    "a result of another name": (InputError, "did you mean 'y'", lambda _, r: r.get("yy")),
    "a shape that is none": (
        InputError,
        r"\(1, -3\) is not a valid shape.*; write sizes of 0 or more",
        lambda _, r: r.prepare({"x": (1, -3)}),
    ),
    "a part without its value": (InputError, r"Config\(keep=", lambda _, r: r.run_part({"x": X}, ["other"])),
    "no runs": (ConfigError, "expected runs >= 1", lambda _, r: r.profile({"x": X}, runs=0)),
    "a pickled predictor": (
        ConfigError,
        r"pickle its Config, .*spawn.*clone\(\)",
        lambda _, r: pickle.dumps(r),
    ),
    # Files that are written.
    "an unknown format": (
        ConfigError,
        "did you mean 'onnx'",
        lambda p, _: lite.save_program(lite.load_program(p.model), p.folder / "out", format="onx"),
    ),
    "a suffix of another format": (
        ConfigError,
        r"written to a folder; .*write format='onnx'",
        lambda p, _: lite.save_program(lite.load_program(p.model), p.folder / "out.onnx"),
    ),
    "an output folder below a file": (
        ModelParseError,
        "check the directory",
        lambda p, _: lite.save_program(lite.load_program(p.model), p.folder / "file" / "out"),
    ),
    # Plug-ins.
    "an op that exists": (PluginError, "choose another name", lambda _, __: lite.op("relu")(np.abs)),
}
"""A mistake → the class of its error, a pattern of the message, and the call."""


def test_the_list_has_60_mistakes_or_more() -> None:
    assert len(CASES) >= 60


@pytest.mark.parametrize("mistake", CASES)
def test_a_mistake_has_its_class_and_says_what_to_do(
    mistake: str, place: Place, predictor: lite.Predictor
) -> None:
    kind, pattern, call = CASES[mistake]
    with pytest.raises(LiteError) as caught:
        call(place, predictor)

    assert type(caught.value) is kind
    caught.match(pattern)


def test_a_cache_that_cannot_be_written_warns_once(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    folder = place.folder / "file" / "cache"
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            np.testing.assert_array_equal(place.create(cache_dir=folder).run([X])["y"], models.relu_of_sum(X))
    messages = [record.getMessage() for record in caplog.records if record.name == "lite.cache.plan_cache"]
    reason = "Not a directory; choose a cache_dir that can be written to"
    assert messages == [f"plans are not cached: {folder / 'plans'}: {reason}"]


def test_a_copied_predictor_is_a_clone(predictor: lite.Predictor) -> None:
    for twin in (copy.copy(predictor), copy.deepcopy(predictor)):
        assert twin is not predictor
        np.testing.assert_array_equal(twin.run([X])["y"], models.relu_of_sum(X))


def test_a_config_is_pickled(place: Place) -> None:
    config = lite.Config(place.model, threads=2)
    assert pickle.loads(pickle.dumps(config)) == config


def test_a_folder_that_is_missing_is_made(place: Place) -> None:
    written = lite.save_program(lite.load_program(place.model), place.folder / "new" / "folder")
    assert all(path.is_file() for path in written)
