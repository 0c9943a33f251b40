"""LiteRT as a device: options, versions, runs, stored models, reasons."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.bridges.litert.blob import pack
from lite.bridges.litert.compiled import interpreter
from lite.bridges.litert.device import Litert
from lite.errors import CompileError, ExecutionError
from lite.ir.lower import lower_graph
from lite.ir.text import parse_graph
from lite.plugin.device import Settings
from tests.bridges.arrays import floats
from tests.bridges.devices import LITERT
from tests.bridges.region import reasons, region

CHAIN = """\
graph main(%x: float32[2,3,8,8]) {
  %w = const float32[1,3,1,1] [0.5, -1.0, 2.0]
  Output=%y = conv2d(Input=%x, Filter=%w)
  %z = relu(X=%y)
  return %z
}
"""


def test_a_missing_package_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ai_edge_litert.interpreter", None)

    reason = Litert(Litert.Options(), Settings()).available()

    assert reason is not None
    assert reason.startswith("ai-edge-litert is not installed (")
    assert reason.endswith("pip install 'litebridge[litert]'")


def test_negative_threads_are_a_reason() -> None:
    assert LITERT.open(threads=-1).available() == (
        "threads: expected 0 or more, got -1; 0 stands for that of the Config"
    )


def test_another_layout_is_a_reason() -> None:
    assert LITERT.open(edge_layout="CHWN").available() == "edge_layout: expected NCHW or NHWC, got 'CHWN'"


def test_images_at_the_ends_have_channels_last(tmp_path: Path) -> None:
    text = CHAIN.replace("Input=%x, Filter=%w)", 'Input=%x, Filter=%w) {data_format="NCHW"}')
    lite.save_program(lower_graph(parse_graph(text)), tmp_path)
    x = floats(2, 3, 8, 8)
    [expected] = lite.create_predictor(lite.Config(tmp_path)).run([x]).values()
    operators = {}
    for layout, shape in (("NCHW", [2, 3, 8, 8]), ("NHWC", [2, 8, 8, 3])):
        device = f"litert{{edge_layout={layout}}}"
        predictor = lite.create_predictor(lite.Config(tmp_path, devices=[device], fallback="error"))
        [result] = predictor.run([x]).values()
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)
        [built] = predictor.built_models()
        reader = interpreter(built.files["region.tflite"], 1, xnnpack=False)
        assert list(reader.get_input_details()[0]["shape"]) == shape
        operators[layout] = [each["op_name"] for each in reader._get_ops_details()]
    between = ["CONV_2D", "RELU"]
    assert operators == {"NCHW": ["TRANSPOSE", *between, "RESHAPE"], "NHWC": between}


def test_the_version_is_that_of_the_package() -> None:
    assert LITERT.open().version().startswith("ai-edge-litert ")


@pytest.mark.parametrize("options", [{}, {"threads": 2}, {"xnnpack": False}])
def test_a_region_equals_its_definition(options: dict[str, object]) -> None:
    model, x = LITERT.compile(CHAIN, LITERT.open(**options)), floats(2, 3, 8, 8)
    weights = np.array([0.5, -1, 2], np.float32)

    (result,) = model.run([x], [None])

    expected = np.maximum(np.einsum("nchw,c->nhw", x, weights)[:, None], 0)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def test_given_outputs_are_written() -> None:
    model, x, out = LITERT.compile(CHAIN), floats(2, 3, 8, 8), np.zeros((2, 1, 8, 8), np.float32)
    (expected,) = model.run([x], [None])

    (result,) = model.run([x], [out])

    assert result is out
    np.testing.assert_array_equal(out, expected)


def test_an_output_of_another_shape_is_an_error() -> None:
    model, x = LITERT.compile(CHAIN), floats(2, 3, 8, 8)

    with pytest.raises(ExecutionError, match=r"an output is float32\[2, 1, 8, 8\], expected float32\[2, 8\]"):
        model.run([x], [np.zeros((2, 8), np.float32)])


def test_an_earlier_result_does_not_change() -> None:
    model, x = LITERT.compile(CHAIN), floats(2, 3, 8, 8)
    (first,) = model.run([x], [None])
    kept = first.copy()

    model.run([x + 1], [None])

    np.testing.assert_array_equal(first, kept)


def test_a_stored_model_gives_the_same_result() -> None:
    device, x = LITERT.open(), floats(2, 3, 8, 8)
    model = LITERT.compile(CHAIN, device)

    loaded = device.load(model.serialize())

    np.testing.assert_array_equal(loaded.run([x], [None])[0], model.run([x], [None])[0])
    assert loaded.serialize() == model.serialize()


def test_bytes_that_are_no_model_are_an_error() -> None:
    with pytest.raises(CompileError, match="litert: the model cannot be prepared"):
        LITERT.open().load(pack(b"no model"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "graph main(%x: float64[2]) { Out=%y = exp(X=%x) {} return %y }",
            "EXP reads float64[2]; LiteRT takes float32",
        ),
        (
            "graph main(%x: float32[2,0]) { Out=%y = exp(X=%x) {} return %y }",
            "%x is empty; the host runs ops on empty tensors",
        ),
        (
            "graph main(%x: float32[4]) { Out=%y = celu(X=%x) {alpha = inf} return %y }",
            "alpha is inf, expected a finite number",
        ),
        (
            "graph main(%x: float32[4], %i: int64[2]) { Out=%y = gather(X=%x, Index=%i) {} return %y }",
            "Index is computed, and LiteRT fails for an index that is not from 0 to 3",
        ),
        (
            "graph main(%x: int32[4], %y: int32[4]) { Out=%z = elementwise_div(X=%x, Y=%y) {} return %z }",
            "X is int32[4]; TFLite's quotients of integers are not Paddle's",
        ),
    ],
)
def test_what_it_does_not_run_is_a_sentence(text: str, reason: str) -> None:
    assert reasons(Litert(Litert.Options(), Settings()), text) == [reason]


def test_a_size_that_elements_decide_is_an_error_of_its_op() -> None:
    text = """graph main(%x: float32[8], %n: int32[2]) {
        Out=%y = reshape2(X=%x, ShapeTensor=[%n, %n]) {} return %y }"""
    graph = region(text)

    with pytest.raises(CompileError, match="has a size that is not known before the run") as error:
        LITERT.open().compile(graph, ())

    assert error.value.op == next(iter(graph)).label


SECOND = """
import sys, numpy as np, lite
config = lite.Config(sys.argv[1], devices=["litert"], cache_dir=sys.argv[2], fallback="error")
predictor = lite.create_predictor(config)
predictor.run({"x": np.ones((1, 4), np.float32)})
print(*[note for notes in predictor.explain_cache().values() for note in notes.values()])
"""


def test_a_second_process_loads_the_stored_model(tmp_path: Path) -> None:
    from lite.ir.lower import lower_graph

    LITERT.open()
    text = """graph main(%x: float32[1,4]) {
        Out=%y = tanh(X=%x) {} Out=%z = exp(X=%y) {} return %z }"""
    lite.save_program(lower_graph(region(text)), tmp_path / "model")
    command = [sys.executable, "-c", SECOND, str(tmp_path / "model"), str(tmp_path / "cache")]

    notes = [
        subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() for _ in range(2)
    ]

    assert notes[1] == ["hit"]
    assert notes[0] != ["hit"]
