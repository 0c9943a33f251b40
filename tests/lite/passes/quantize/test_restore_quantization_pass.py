"""Ops that quantise are restored, and a graph that was absorbed and cleaned up gives the same results."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from lite.errors import GraphError
from lite.ir.clone import clone_graph
from lite.ir.graph import Graph, Value
from lite.ir.lower import lower_graph
from lite.ir.program import AttrValue
from lite.ir.text import constants_by_key, parse_graph, print_graph
from lite.ir.types import Array, DType
from lite.ops.infer_graph import infer_graph
from lite.passes.base import PassContext
from lite.passes.manager import PassManager
from lite.passes.pipelines import CLEANUP, PROPAGATE
from lite.plugin.kernel import evaluate
from tests.lite.passes.check import check, check_unchanged

PASS = "restore_quantization_pass"


def run(graph: Graph, inputs: Mapping[str, Array]) -> list[Array]:
    """The results by the host's kernels, one op after the other."""
    values: dict[Value, Array] = {arg: inputs[arg.name] for arg in graph.args}
    values.update((value, value.data) for value in graph.constants.values() if value.data is not None)
    for node in graph:
        arrays = {slot: [values[value] for value in each] for slot, each in node.inputs.items()}
        results = evaluate(node.op, arrays, node.attrs, {s: len(v) for s, v in node.outputs.items()})
        for slot, outputs in node.outputs.items():
            values.update((v, r.array) for v, r in zip(outputs, results[slot], strict=True))
    return [values[value] for value in graph.results]


def test_a_quantised_value_is_written_by_ops() -> None:
    check(
        PASS,
        """
graph main(%x: float32[2,3]) {
  %w = const int8[3] [1, 2, 3] : float32[3] quant([0.5], [0], -1, int8)
  %a = elementwise_add(X=%x, Y=%w) : float32[2,3] quant([0.5, 0.25, 1.0], [3, 2, 1], 1, uint8)
  return %a
}
""",
        """
graph main(%x: float32[2,3]) {
  %w_1 = const int8[3] [1, 2, 3]
  %scale = const float32[] [0.5]
  %zero_point = const int8[] [0]
  %scale_1 = const float32[3] [0.5, 0.25, 1.0]
  %zero_point_1 = const uint8[3] [3, 2, 1]
  %w.real = affine_dequantize(X=%w_1, Scale=%scale, ZeroPoint=%zero_point)
    {axis=1, block_size=0, dtype=5} : float32[3]
  %a.real = elementwise_add(X=%x, Y=%w.real) : float32[2,3]
  %a.integers = affine_quantize(X=%a.real, Scale=%scale_1, ZeroPoint=%zero_point_1)
    {axis=1, block_size=0, dtype=20} : uint8[2,3]
  %a = affine_dequantize(X=%a.integers, Scale=%scale_1, ZeroPoint=%zero_point_1)
    {axis=1, block_size=0, dtype=5} : float32[2,3]
  return %a
}
""",
    )


def test_a_copy_that_rounds_is_replaced() -> None:
    graph = parse_graph("""
graph main(%x: float32[2]) {
  %a = assign(X=%x) : float32[2] quant([0.1], [0], -1, int8, abs_max)
  return %a
}
""")
    PassManager([PASS], debug=True).run(graph, PassContext())

    ops = [(node.op, node.attrs.get("round_type")) for node in graph]
    assert ops == [("quantize_linear", 0), ("dequantize_linear", 0)]


def test_arguments_and_regions_are_not_rounded_again() -> None:
    graph = parse_graph("""
graph main(%x: float32[2]) {
  Outputs=%y = subgraph(Inputs=%x) {device="npu", region=0} : float32[2] quant([0.1], [0], -1, int8)
    graph npu_0(%x: float32[2]) {
      %y = relu(X=%x) : float32[2] quant([0.1], [0], -1, int8)
      return %y
    }
  return %y
}
""")
    PassManager([PASS], debug=True).run(graph, PassContext())

    [node] = graph
    assert node.output().quant is None
    assert node.blocks[0].results[0].quant is not None


def test_a_graph_of_real_numbers_stays() -> None:
    check_unchanged(PASS, "graph main(%x: float32[2]) { %y = relu(X=%x) : float32[2] return %y }")


def test_a_program_cannot_have_quantised_values() -> None:
    graph = parse_graph("graph main(%x: float32[2] quant([0.1], [0], -1, int8)) { return %x }")
    with pytest.raises(GraphError, match="restore_quantization_pass"):
        lower_graph(graph)


@pytest.mark.parametrize("seed", range(60))
def test_results_stay_the_same_to_the_last_bit(seed: int) -> None:
    graph, inputs = random_graph(np.random.default_rng(seed))
    expected = run(clone_graph(graph), inputs)
    absorbed = clone_graph(graph)
    quantised = PassManager(["absorb_quantization_pass", *CLEANUP, PROPAGATE], debug=True)
    restored = PassManager([PASS, "constant_fold_pass"], debug=True)

    quantised.run(absorbed, PassContext())
    assert "quant(" in print_graph(absorbed)
    assert print_graph(parse_graph(print_graph(absorbed), constants_by_key(absorbed))) == print_graph(
        absorbed
    )
    restored.run(absorbed, PassContext())

    for result, array in zip(run(absorbed, inputs), expected, strict=True):
        np.testing.assert_array_equal(result, array)


_SHAPE = (2, 4, 6)
_SLICED: dict[str, AttrValue] = {"axes": [1], "starts": [0], "ends": [4], "decrease_axis": []}
_DROPOUT: dict[str, AttrValue] = {"dropout_implementation": "upscale_in_train", "is_test": True}
_UNARY = ("relu", "sigmoid", "tanh", "abs")
_STORAGES = (("int8", 21), ("uint8", 20), ("int16", 1))


def random_graph(random: np.random.Generator) -> tuple[Graph, dict[str, Array]]:
    """Elementwise ops, views and transposes, with pairs of all kinds between them, shared at random."""
    graph = Graph()
    x = graph.add_arg("x")
    x.dtype, x.shape = DType.FLOAT32, _SHAPE
    values = [x]
    for n in range(14):
        value = values[int(random.integers(len(values)))]
        kind = int(random.integers(7))
        if kind < 2 and random.random() < 0.2:
            values.append(_node(graph, "concat", {"X": value}, n, {"axis": 2}))
            values.append(_node(graph, "slice", {"Input": values[-1]}, n, _SLICED))
            values.append(_node(graph, "concat", {"X": values[-1]}, f"{n}c", {"axis": 2}))
        elif kind < 2:
            values.append(_node(graph, str(random.choice(_UNARY)), {"X": value}, n, {}))
        elif kind == 2:
            other = next(v for v in reversed(values) if v.shape == value.shape)
            values.append(_node(graph, "elementwise_add", {"X": value, "Y": other}, n, {}))
        elif kind == 3:
            once = _node(graph, "transpose2", {"X": value}, n, {"axis": [0, 2, 1]})
            values += [once, _node(graph, "transpose2", {"X": once}, f"{n}b", {"axis": [0, 2, 1]})]
        elif kind == 4:
            values.append(_node(graph, "dropout", {"X": value}, n, _DROPOUT))
        elif kind == 5:
            values.append(_weighted(graph, value, random, n))
        pairs = int(random.integers(1, 3)) if kind != 6 else 2
        for m in range(pairs):
            values.append(_pair(graph, values[-1], random, f"{n}_{m}"))
    results = {values[-1], *(values[int(n)] for n in random.integers(len(values), size=3))}
    ordered = sorted(results, key=lambda value: value.id)
    graph.set_results(ordered, [value.label for value in ordered])
    PassManager(["canonicalize_pass"], debug=True).run(graph, PassContext())
    return graph, {"x": (3 * random.standard_normal(_SHAPE)).astype(np.float32)}


def _node(
    graph: Graph,
    op: str,
    inputs: Mapping[str, Value],
    name: object,
    attrs: Mapping[str, AttrValue],
    slot: str = "Out",
) -> Value:
    given = {key: [value] for key, value in inputs.items()}
    node = graph.add_node(op, given, {slot: [f"v{name}_{op}"]}, attrs)
    infer_graph(graph)
    return node.output(slot)


def _pair(graph: Graph, value: Value, random: np.random.Generator, name: object) -> Value:
    assert value.shape is not None
    count = int(random.choice([1, int(value.shape[1])]))
    if random.random() < 0.5:
        storage, code = _STORAGES[int(random.integers(3))]
        scale = graph.add_constant("scale", random.choice([0.01, 0.1, 0.0371], count).astype(np.float32))
        zero = graph.add_constant("zero", random.integers(0, 9, count).astype(storage))
        inputs = {"Scale": scale, "ZeroPoint": zero}
        q = _node(graph, "affine_quantize", {"X": value, **inputs}, name, {"axis": 1, "dtype": code})
        return _node(graph, "affine_dequantize", {"X": q, **inputs}, name, {"axis": 1})
    scale = graph.add_constant("scale", random.choice([1.0, 3.3, 2.71828], count).astype(np.float32))
    attrs: dict[str, AttrValue] = {
        "quant_axis": 1 if count > 1 else -1,
        "round_type": int(random.integers(2)),
        "bit_length": int(random.choice([4, 8])),
    }
    q = _node(graph, "quantize_linear", {"X": value, "Scale": scale}, name, attrs, "Y")
    return _node(graph, "dequantize_linear", {"X": q, "Scale": scale}, name, attrs, "Y")


def _weighted(graph: Graph, value: Value, random: np.random.Generator, name: object) -> Value:
    """The value times a quantised constant."""
    assert value.shape is not None
    stored = random.integers(-127, 128, value.shape[1:])  # type: ignore[arg-type]
    scale = graph.add_constant("scale", np.array([0.013], np.float32))
    if random.random() < 0.5:
        weight = graph.add_constant("weight", stored.astype(np.int8))
        real = _node(graph, "affine_dequantize", {"X": weight, "Scale": scale}, f"{name}w", {})
    else:
        weight = graph.add_constant("weight", stored.astype(np.float32))
        given = {"X": weight, "Scale": scale}
        real = _node(graph, "dequantize_linear", given, f"{name}w", {"quant_axis": -1}, "Y")
    return _node(graph, "elementwise_mul", {"X": value, "Y": real}, name, {})
