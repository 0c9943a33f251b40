"""config.yaml, config.pbtxt, and the folders of a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from lite.errors import ConfigError
from lite.serving.models.tensors import TensorSpec
from lite.serving.repository.folders import find_models, model_file
from lite.serving.repository.pbtxt import read_pbtxt
from lite.serving.repository.settings import ModelSettings, Step, read_settings
from lite.serving.scheduling.batches import Batching, Padding
from tests.support.log_records import warnings_in


def written(folder: Path, text: str, name: str = "config.yaml") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_every_key_of_a_config_is_read(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """\
devices: [openvino]
threads: 2
file: model.onnx
versions: {latest: 2}
instances: 3
queue: 10
timeout_us: 5000
weight: 0.5
labels: {y: labels.txt}
prepare: [{x: [1, 3]}]
batching:
  max_size: 8
  delay_us: 100
  preferred: [4]
  pad: {x: {axis: 1, multiple: 32, value: -1}}
""",
    )

    assert read_settings(path, {"threads": 1, "precision": "strict"}) == ModelSettings(
        engine={"threads": 2, "precision": "strict", "devices": ["openvino"]},
        file="model.onnx",
        versions=2,
        instances=3,
        queue=10,
        timeout_us=5000,
        weight=0.5,
        labels={"y": "labels.txt"},
        prepare=({"x": (1, 3)},),
        batching=Batching(8, 100, (4,), {"x": Padding(1, 32, -1.0)}),
    )


def test_an_ensemble_is_read(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        """\
inputs: [{name: a, datatype: BYTES, dims: [1]}]
outputs: [{name: b, datatype: FP32}]
ensemble:
  - {model: one, inputs: {x: a}, outputs: {y: c}}
  - {model: two, inputs: {x: c}, outputs: {y: b}, each: [x]}
""",
    )

    assert read_settings(path, {}) == ModelSettings(
        inputs=(TensorSpec("a", "BYTES", (1,)),),
        outputs=(TensorSpec("b", "FP32", None),),
        ensemble=(Step("one", {"x": "a"}, {"y": "c"}), Step("two", {"x": "c"}, {"y": "b"}, ("x",))),
    )


def test_an_empty_config_has_the_defaults(tmp_path: Path) -> None:
    assert read_settings(written(tmp_path, ""), {}) == ModelSettings()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("instance: 2", "did you mean 'instances'"),
        ("instances: 0", "1 or more"),
        ("instances: true", "1 or more"),
        ("weight: 0", "more than 0"),
        ("versions: newest", "latest: N"),
        ("versions: [0]", "1 or more"),
        ("batching: {size: 3}", "unknown key 'size'"),
        ("batching: {pad: {x: {multiple: 3}}}", "expected axis"),
        ("file: ../../secret", "a file in the model's folder"),
        ("file: ..", "a file in the model's folder"),
        ("labels: {y: /etc/passwd}", "a file in the model's folder"),
        ("python: steps.py:f", "needs inputs and outputs"),
        ("python: steps.py:f\nfile: a.onnx", "exclude each other"),
        ("inputs: [{name: a, datatype: FLOAT}]", "expected name, datatype"),
        ("ensemble: [{model: a}]", "expected model, inputs and outputs"),
        ("prepare: {x: [1]}", "expected a list"),
        ("- a", "expected names with values"),
        ("a: [", "not valid YAML"),
        ("model_dir: elsewhere", "unknown key"),
        ("[" * 3000, "not valid YAML"),
        ("instances: " + "9" * 10000, "not valid YAML"),
    ],
)
def test_a_wrong_config_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ConfigError, match=message) as caught:
        read_settings(path, {})
    assert str(path) in str(caught.value)


PBTXT = """\
name: "m"
platform: "onnxruntime_onnx"
max_batch_size: 8
input [{ name: "x" data_type: TYPE_FP32 dims: [3, -1] }]
output [{ name: "y" data_type: TYPE_STRING dims: [2] label_filename: "labels.txt" }]
instance_group [{ count: 2 kind: KIND_CPU }]
version_policy: { specific: { versions: [1, 3] }}
dynamic_batching {
  preferred_batch_size: [4, 8]
  max_queue_delay_microseconds: 100
  default_queue_policy { max_queue_size: 16 default_timeout_microseconds: 2000 }
}
model_warmup [{
  name: "w" batch_size: 1
  inputs { key: "x" value { data_type: TYPE_FP32 dims: [3, 5] zero_data: true } }
}]
"""


def test_a_config_of_triton_is_read_where_it_says_the_same(tmp_path: Path) -> None:
    path = written(tmp_path / "m", PBTXT, "config.pbtxt")

    assert read_pbtxt(path, {"threads": 1}) == ModelSettings(
        engine={"threads": 1},
        versions=(1, 3),
        instances=2,
        batching=Batching(8, 100, (4, 8)),
        queue=16,
        timeout_us=2000,
        prepare=({"x": (1, 3, 5)},),
        labels={"y": "labels.txt"},
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('default_model_filename: "../../secret"', "default_model_filename: expected the name of a file"),
        ('output [{ name: "y" label_filename: "/etc/passwd" }]', "label_filename of y: expected the name"),
    ],
)
def test_files_outside_the_folder_of_a_model_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = written(tmp_path / "m", text, "config.pbtxt")
    with pytest.raises(ConfigError, match=message) as caught:
        read_pbtxt(path, {})
    assert str(path) in str(caught.value)


def test_an_ensemble_of_triton_is_read(tmp_path: Path) -> None:
    text = """\
platform: "ensemble"
max_batch_size: 4
input [{ name: "a" data_type: TYPE_UINT8 dims: [3] }]
output [{ name: "b" data_type: TYPE_BF16 dims: [1] }]
ensemble_scheduling { step [{ model_name: "one" model_version: -1
  input_map { key: "x" value: "a" } output_map { key: "y" value: "b" } }] }
"""
    settings = read_pbtxt(written(tmp_path / "m", text, "config.pbtxt"), {})

    assert settings == ModelSettings(
        inputs=(TensorSpec("a", "UINT8", (-1, 3)),),
        outputs=(TensorSpec("b", "BF16", (-1, 1)),),
        ensemble=(Step("one", {"x": "a"}, {"y": "b"}),),
    )


def test_parts_of_triton_without_a_counterpart_are_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = written(tmp_path / "m", "sequence_batching { }\nresponse_cache { enable: true }", "config.pbtxt")
    read_pbtxt(path, {})
    assert warnings_in(caplog) == [
        f"{path}: sequence_batching, response_cache have no counterpart here and have no effect"
    ]


WITHOUT_TYPE = 'ensemble_scheduling { } input { name: "x" data_type: %s dims: 1 }'


@pytest.mark.parametrize(
    "text",
    [
        "name: 3",
        "nonsense",
        'name: "other"',
        WITHOUT_TYPE % "TYPE_INVALID",
        WITHOUT_TYPE % "99",
        "ensemble_scheduling {" * 5000,
    ],
)
def test_a_wrong_config_of_triton_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConfigError):
        read_pbtxt(written(tmp_path / "m", text, "config.pbtxt"), {})


def test_models_are_found_in_repositories_folders_and_files(tmp_path: Path) -> None:
    for version in ("1", "3", "10", "old", "02"):
        (tmp_path / "repository" / "a" / version).mkdir(parents=True)
    written(tmp_path / "repository" / "b", "")
    (tmp_path / "repository" / "notes").mkdir()
    (tmp_path / "plain").mkdir()
    (tmp_path / "model.onnx").touch()

    models = find_models(
        [str(tmp_path / "repository"), f"c={tmp_path / 'plain'}", str(tmp_path / "model.onnx")]
    )

    assert {name: (model.path.name, model.is_repository) for name, model in models.items()} == {
        "a": ("a", True),
        "b": ("b", True),
        "c": ("plain", False),
        "model": ("model.onnx", False),
    }
    for wanted, numbers in ((1, [10]), (2, [3, 10]), (0, [1, 3, 10]), ((1, 4), [1])):
        found = models["a"].versions(ModelSettings(versions=wanted))
        assert [number for number, _ in found] == numbers
    with pytest.raises(ConfigError, match="none of the versions"):
        models["a"].versions(ModelSettings(versions=(5,)))


def test_wrong_arguments_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(ConfigError, match="no such file"):
        find_models([str(tmp_path / "b")])
    with pytest.raises(ConfigError, match="two models are called 'a'"):
        find_models([str(tmp_path / "a"), str(tmp_path / "a")])


def test_the_model_of_a_version_is_its_only_file_or_its_folder(tmp_path: Path) -> None:
    assert model_file(tmp_path, ModelSettings()) == tmp_path
    (tmp_path / "m.onnx").touch()
    assert model_file(tmp_path, ModelSettings()) == tmp_path / "m.onnx"
    (tmp_path / "m.data").touch()
    assert model_file(tmp_path, ModelSettings()) == tmp_path
    assert model_file(tmp_path, ModelSettings(file="m.data")) == tmp_path / "m.data"
