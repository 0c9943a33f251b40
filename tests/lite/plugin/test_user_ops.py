"""Ops and ONNX rules that a program registers itself."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import lite
from lite.errors import GraphError, ModelParseError, PluginError
from lite.ir.types import Array
from lite.ops import SCHEMAS
from tests.support.user_ops import temporary_ops

X = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)


@pytest.fixture(autouse=True)
def clean_state() -> Iterator[None]:
    """Removes what a test registered."""
    with temporary_ops():
        yield


def model_with(op: str, inputs: int = 1, outputs: int = 1, **attributes: Any) -> onnx.ModelProto:
    """A model of an op of the domain ``my``, on a negated input, whose outputs have no declared shape."""
    names = [f"y{number}" for number in range(outputs)]
    nodes = [
        helper.make_node("Neg", ["x"], ["n"]),
        helper.make_node(op, ["n"] * inputs, names, domain="my", **attributes),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("my", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def results(model: onnx.ModelProto, passes: Sequence[str] | None = None) -> list[Array]:
    predictor = lite.create_predictor(lite.Config(model_buffer=model, passes=passes))
    return list(predictor.run([X]).values())


@pytest.mark.parametrize("passes", [None, []])
def test_a_function_is_an_op(passes: Sequence[str] | None) -> None:
    @lite.op("my_scaled_relu", shape="X", onnx="my.ScaledRelu")
    def scaled_relu(X: Array, *, scale: float = 1.0) -> Array:
        """max(X, 0) * scale."""
        return np.maximum(X, 0) * np.float32(scale)

    (y,) = results(model_with("ScaledRelu", scale=2.0), passes)
    np.testing.assert_array_equal(y, np.maximum(-X, 0) * 2)
    (y,) = results(model_with("ScaledRelu"), passes)
    np.testing.assert_array_equal(y, np.maximum(-X, 0))
    assert SCHEMAS["my_scaled_relu"].about == "max(X, 0) * scale."


@pytest.mark.parametrize(("places", "ran_on"), [(["in_place"], "in_place"), (None, "host")])
def test_an_op_has_a_kernel_for_another_target(places: Sequence[str] | None, ran_on: str) -> None:
    @lite.op("my_half", shape="X", onnx="my.Half")
    def half(X: Array) -> Array:
        return X / np.float32(2)

    @lite.kernel("my_half", "in_place")
    def half_in_place(X: Array, *, out: Array | None = None) -> Array:
        return np.divide(X, np.float32(2), out=out)

    config = lite.Config(model_buffer=model_with("Half"), valid_places=places)
    predictor = lite.create_predictor(config)

    np.testing.assert_array_equal(next(iter(predictor.run([X]).values())), -X / 2)
    placed = {row.op: row.place.split("/")[0] for row in predictor.profile([X]).by_type()}
    assert placed["my_half"] == ran_on


def test_an_op_whose_size_is_known_after_the_run() -> None:
    @lite.op("my_pick", onnx="my.Pick")
    def pick(X: Array, Mask: Array | None = None, *, above: list[float]) -> Array:
        return X[above[0] < X]

    (y,) = results(model_with("Pick", above=[3.5]))
    np.testing.assert_array_equal(y, [4, 6])


def test_an_op_with_several_outputs_and_a_computed_shape() -> None:
    @lite.op("my_halves", outputs=("A", "B"), shape=lambda x: (x[0] // 2, x[1]), onnx="my.Halves")
    def halves(X: Array) -> tuple[Array, Array]:
        return X[: len(X) // 2], X[len(X) // 2 :]

    first, second = results(model_with("Halves", outputs=2))
    np.testing.assert_array_equal(first, -X[:1])
    np.testing.assert_array_equal(second, -X[1:])


def test_an_op_with_another_element_type_and_text() -> None:
    def one(x: tuple[int, ...], *, mode: str) -> tuple[int, ...]:
        return (1,)

    @lite.op("my_count", shape=one, dtype="int64", onnx="my.Count")
    def count(X: Array, *, mode: str = "all") -> Array:
        return np.array([X.size if mode == "all" else int((X > 0).sum())], np.int64)

    cases: list[tuple[dict[str, Any], list[int]]] = [({}, [6]), ({"mode": "positive"}, [3])]
    for attributes, expected in cases:
        made = model_with("Count", **attributes)
        made.graph.output[0].type.tensor_type.elem_type = TensorProto.INT64
        assert [y.tolist() for y in results(made)] == [expected]


def test_a_rule_writes_other_ops() -> None:
    @lite.onnx_op("my.ReluThenScale")
    def relu_then_scale(node: Any, writer: Any) -> None:
        between = writer.new_name(node.output())
        writer.emit("relu", {"X": node.input(0)}, {"Out": between})
        writer.emit("scale", {"X": between}, {"Out": node.output()}, {"scale": node.real("scale", 1.0)})

    (y,) = results(model_with("ReluThenScale", scale=3.0))
    np.testing.assert_array_equal(y, np.maximum(-X, 0) * 3)


def test_an_unknown_op_says_how_to_add_it() -> None:
    with pytest.raises(
        ModelParseError, match=r"my\.Other \(1x\); write an op yourself by @lite\.op.*custom_ops"
    ):
        results(model_with("Other"))


def test_names_have_one_owner() -> None:
    @lite.op("my_first", onnx="my.First")
    def first(X: Array) -> Array:
        return X

    with pytest.raises(PluginError, match="op 'my_first' exists already"):
        lite.op("my_first")(first)
    with pytest.raises(PluginError, match=r"ONNX rule my\.First is registered twice"):
        lite.onnx_op("my.First")(first)
    with pytest.raises(
        PluginError, match=r"op 'relu' exists already; choose another name, such as 'my\.relu'"
    ):
        lite.op("relu")(first)


def test_functions_that_do_not_fit_are_refused() -> None:
    def untyped(X: Array, *, sizes=()) -> Array:  # type: ignore[no-untyped-def]
        return X

    def nothing(*, scale: float = 1.0) -> Array:
        return X

    def many(*parts: Array) -> Array:
        return X

    with pytest.raises(PluginError, match="attribute 'sizes' has no type: annotate it"):
        lite.op("my_untyped")(untyped)
    with pytest.raises(PluginError, match="expected a function with an input"):
        lite.op("my_nothing")(nothing)
    with pytest.raises(PluginError, match="expected an input or a keyword-only attribute"):
        lite.op("my_many")(many)
    with pytest.raises(PluginError, match="shape='Y' is no input; inputs: X"):
        lite.op("my_shape", shape="Y")(lambda X: X)
    assert not {name for name in SCHEMAS if name.startswith("my_")}


def test_a_required_attribute_that_is_missing_is_an_error() -> None:
    @lite.op("my_required", shape="X", onnx="my.Required")
    def required(X: Array, *, scale: float) -> Array:
        return X * np.float32(scale)

    with pytest.raises((ModelParseError, GraphError), match="attribute scale is missing"):
        results(model_with("Required"))


def load(path: Path) -> ModuleType:
    """Import a file, as if its program had started."""
    spec = importlib.util.spec_from_file_location("my_ops_of_a_test", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_a_changed_function_does_not_get_the_old_plan(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Byte code of the first text would be as old and as long as the second text.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    source = (
        "import lite\n\n@lite.op('my_constant', shape='X', onnx='my.Constant')\n"
        "def constant(X):\n    return X * 0 + {}\n"
    )
    path, cache = tmp_path / "my_ops.py", tmp_path / "cache"
    found = []
    for number in (1, 2):
        path.write_text(source.format(number))
        with temporary_ops():
            load(path)
            config = lite.Config(model_buffer=model_with("Constant"), cache_dir=cache)
            found += [lite.create_predictor(config).run([X])["y0"][0, 0] for _ in range(2)]
        del sys.modules["my_ops_of_a_test"]
    assert found == [1, 1, 2, 2]
