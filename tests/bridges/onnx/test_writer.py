"""Whole models as ONNX files, which ONNX Runtime runs and litebridge reads."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest

import lite
from lite.errors import ModelParseError
from lite.io.save import export_program
from lite.ir.types import Array, DType
from tests.bridges.devices import ONNXRUNTIME
from tests.support.ocr_models import Twin, each_form, each_twin
from tests.support.reference_models import ReferenceModel, difference, each_model
from tests.support.small_programs import make_program

TOLERANCE = 1e-3


def in_onnxruntime(path: Path, inputs: Mapping[str, Array]) -> dict[str, Array]:
    ONNXRUNTIME.open()
    onnx.checker.check_model(path)
    session = ort.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [port.name for port in session.get_outputs()]
    return dict(zip(names, session.run(names, dict(inputs)), strict=True))


@each_model
def test_reference_models_equal_the_recorded_outputs_after_two_exports(
    model: ReferenceModel, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.onnx", tmp_path / "second.onnx"

    export_program(lite.load_program(model.path), first)
    assert difference(in_onnxruntime(first, model.inputs), model.outputs, TOLERANCE) == ""

    back = lite.create_predictor(lite.Config(first))
    assert difference(back.run(model.inputs), model.outputs, TOLERANCE) == ""

    export_program(lite.load_program(first), second)
    assert difference(in_onnxruntime(second, model.inputs), model.outputs, TOLERANCE) == ""


@each_twin
@each_form
def test_exported_ocr_models_equal_the_host(form: str, twin: Twin, tmp_path: Path) -> None:
    path = twin.path(form)
    host = lite.create_predictor(lite.Config(str(path)))
    (name,) = host.input_names
    image = twin.image(0)

    export_program(lite.load_program(str(path)), tmp_path / "model.onnx")

    outputs = in_onnxruntime(tmp_path / "model.onnx", {name: image})
    assert difference(outputs, host.run([image]), TOLERANCE) == ""


def sizes(path: Path) -> dict[str, list[str | int]]:
    """The dimensions of inputs and outputs; an empty text for an unknown size without a name."""
    graph = onnx.load(path).graph
    return {
        value.name: [dim.dim_param or dim.dim_value or "" for dim in value.type.tensor_type.shape.dim]
        for value in (*graph.input, *graph.output)
    }


def test_names_of_dimensions_are_kept(tmp_path: Path) -> None:
    source = onnx.parser.parse_model(
        '<ir_version: 8, opset_import: ["": 17]> g (float[batch,3,w] x) => (float[batch,3,w] y) {y = Exp(x)}'
    )
    onnx.save(source, tmp_path / "in.onnx")

    export_program(lite.load_program(tmp_path / "in.onnx"), tmp_path / "out.onnx")

    assert sizes(tmp_path / "out.onnx") == {"x": ["batch", 3, "w"], "y": ["batch", 3, "w"]}


def test_input_shapes_set_dimensions(tmp_path: Path) -> None:
    program = make_program(
        {"x": (DType.FLOAT32, (-1, 4))}, {}, [("relu", {"X": ["x"]}, {"Out": ["y"]}, {})], ["y"]
    )

    export_program(program, tmp_path / "out.onnx", input_shapes={"x": ("rows", 4)})

    assert sizes(tmp_path / "out.onnx") == {"x": ["rows", 4], "y": ["rows", 4]}


def test_an_input_shape_for_an_unknown_input_is_an_error(tmp_path: Path) -> None:
    program = make_program(
        {"x": (DType.FLOAT32, (2,))}, {}, [("relu", {"X": ["x"]}, {"Out": ["y"]}, {})], ["y"]
    )

    with pytest.raises(lite.ConfigError, match="the model has no input 'xx'; did you mean 'x'"):
        export_program(program, tmp_path / "out.onnx", input_shapes={"xx": (2,)})


def test_all_ops_without_an_onnx_form_are_listed(tmp_path: Path) -> None:
    program = make_program(
        {"x": (DType.FLOAT32, (4, 1))},
        {},
        [
            ("sequence_softmax", {"X": ["x"]}, {"Out": ["a"]}, {}),
            ("sequence_softmax", {"X": ["a"]}, {"Out": ["b"]}, {}),
            ("cumprod", {"X": ["b"]}, {"Out": ["y"]}, {"dim": 0}),
        ],
        ["y"],
    )

    with pytest.raises(ModelParseError) as raised:
        export_program(program, tmp_path / "out.onnx")

    assert str(raised.value) == (
        f"{tmp_path / 'out.onnx'}: 2 kinds of ops cannot be written as ONNX: "
        "cumprod (1x, y): litebridge has no ONNX form for cumprod; "
        "sequence_softmax (2x, a, b): litebridge has no ONNX form for sequence_softmax"
    )
    assert list(tmp_path.iterdir()) == []


def test_an_output_may_be_an_input(tmp_path: Path) -> None:
    program = make_program(
        {"x": (DType.FLOAT32, (2,))}, {}, [("relu", {"X": ["x"]}, {"Out": ["y"]}, {})], ["x", "y"]
    )

    export_program(program, tmp_path / "out.onnx")

    x = np.array([-1, 2], np.float32)
    outputs = in_onnxruntime(tmp_path / "out.onnx", {"x": x})
    assert {name: array.tolist() for name, array in outputs.items()} == {"x_1": [-1, 2], "y": [0, 2]}


BRANCH = """
<ir_version: 8, opset_import: ["": 17]>
g (float[n] x, bool flag) => (float[n] y) {
  y = If (flag)
    <then_branch = a () => (float[n] p) {p = Neg(x)}, else_branch = b () => (float[n] q) {q = Exp(x)}>
}
"""

LOOP = """
<ir_version: 8, opset_import: ["": 17]>
g (float[2] x, int64 count) => (float[2] y) <bool yes = {1}> {
  y = Loop (count, yes, x)
    <body = b (int64 i, bool c, float[2] s) => (bool go, float[2] t) {go = Identity(c) t = Add(s, x)}>
}
"""


@pytest.mark.parametrize("flag", [False, True])
def test_a_branch_is_written_as_if(flag: bool, tmp_path: Path) -> None:
    onnx.save(onnx.parser.parse_model(BRANCH), tmp_path / "in.onnx")
    export_program(lite.load_program(tmp_path / "in.onnx"), tmp_path / "out.onnx")

    x = np.array([1, 2, 3], np.float32)
    outputs = in_onnxruntime(tmp_path / "out.onnx", {"x": x, "flag": np.array(flag)})

    np.testing.assert_allclose(outputs["y"], -x if flag else np.exp(x), rtol=1e-6)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_a_loop_is_written_as_loop(count: int, tmp_path: Path) -> None:
    onnx.save(onnx.parser.parse_model(LOOP), tmp_path / "in.onnx")
    export_program(lite.load_program(tmp_path / "in.onnx"), tmp_path / "out.onnx")

    x = np.array([1, 2], np.float32)
    outputs = in_onnxruntime(tmp_path / "out.onnx", {"x": x, "count": np.array(count)})

    np.testing.assert_array_equal(outputs["y"], x * (count + 1))


def test_save_program_writes_onnx_by_the_suffix(tmp_path: Path) -> None:
    program = make_program(
        {"x": (DType.FLOAT32, (2,))}, {}, [("relu", {"X": ["x"]}, {"Out": ["y"]}, {})], ["y"]
    )

    assert lite.save_program(program, tmp_path, format="onnx") == [tmp_path / "model.onnx"]
    assert lite.save_program(program, tmp_path / "a.onnx", format="onnx") == [tmp_path / "a.onnx"]
    assert in_onnxruntime(tmp_path / "a.onnx", {"x": np.array([-1, 1], np.float32)})["y"].tolist() == [0, 1]
