"""Sequences and optionals inside a model, and ReverseSequence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import parser
from onnx.reference import ReferenceEvaluator

import lite
from lite.errors import ExecutionError, ModelParseError
from lite.ir.types import Array
from tests.model_parser.onnx.node_models import check_equal, model_of, run

X = np.arange(12, dtype=np.float32).reshape(4, 3)
POSITIONS = {"p": np.array(1), "last": np.array(-1), "c": np.array(True), "n": np.array(3)}
CASES = {
    "construct, at": "s = SequenceConstruct(x, x, x) a = SequenceAt(s, p) y = Neg(a)",
    "from the end": "t = Neg(x) s = SequenceConstruct(x, t) y = SequenceAt(s, last)",
    "empty": "s = SequenceEmpty <dtype = 1> () l = SequenceLength(s) y = Cast <to = 1> (l)",
    "insert at the end": """
        t = Neg(x) e = SequenceEmpty() a = SequenceInsert(e, x) b = SequenceInsert(a, t)
        y = ConcatFromSequence <axis = 0> (b)""",
    "insert in between": """
        t = Neg(x) s = SequenceConstruct(x, x) b = SequenceInsert(s, t, p) d = SequenceInsert(b, t, last)
        y = ConcatFromSequence <axis = -1> (d)""",
    "erase": """
        t = Neg(x) u = Abs(x) s = SequenceConstruct(t, u, x) a = SequenceErase(s, p) b = SequenceErase(a)
        y = ConcatFromSequence <axis = 0> (b)""",
    "the old array stays": """
        t = Neg(x) s = SequenceConstruct(x) a = SequenceInsert(s, t) l = SequenceLength(s)
        k = Cast <to = 1> (l) m = SequenceLength(a) o = Cast <to = 1> (m) y = Sub(o, k)""",
    "a new axis": "s = SequenceConstruct(x, x) y = ConcatFromSequence <axis = 1, new_axis = 1> (s)",
    "split into rows": "s = SplitToSequence(x) y = SequenceAt(s, p)",
    "split without the axis": "s = SplitToSequence <keepdims = 0, axis = 1> (x) y = SequenceAt(s, last)",
    "split by one size": "s = SplitToSequence(x, n) y = SequenceAt(s, last)",
    "split by sizes": """
        k = Constant <value_ints = [1, 3]> () s = SplitToSequence(x, k) y = SequenceAt(s, last)""",
    "branches": """
        s = SequenceConstruct(x, x)
        r = If (c) <
            then_branch = a () => (seq(float[k, 3]) u) { u = SequenceInsert(s, x) },
            else_branch = b () => (seq(float[k, 3]) v) { v = SequenceErase(s) }>
        y = ConcatFromSequence <axis = 0> (r)""",
    "carried by a loop": """
        e = SequenceEmpty()
        r = Loop (n, c, e) <
            body = b (int64 i, bool go, seq(float[4, 3]) s) => (bool more, seq(float[4, 3]) t)
            { more = Identity(go) f = Cast <to = 1> (i) g = Add(x, f) t = SequenceInsert(s, g) }>
        y = ConcatFromSequence <axis = 0> (r)""",
    "map": """
        s = SplitToSequence(x)
        a, b = SequenceMap (s, x) <
            body = b (float[1, 3] row, float[4, 3] all) => (float[4, 3] u, float[1, 3] v)
            { u = Add(row, all) v = Neg(row) }>
        d = ConcatFromSequence <axis = 0> (a)
        f = ConcatFromSequence <axis = 0> (b)
        y = Concat <axis = 0> (d, f)""",
    "map of nothing": """
        s = SequenceEmpty()
        t = SequenceMap (s) <body = b (float[1] e) => (float[1] u) { u = Neg(e) }>
        l = SequenceLength(t)
        y = Cast <to = 1> (l)""",
}
EXPECTED = {
    "map": np.concatenate([(X[:, None] + X[None]).reshape(-1, 3), -X]),
    "map of nothing": np.array(0, np.float32),
}
"""Expected outputs of the cases that the reference implementation cannot run."""
PAIR = np.array([1.0, -2.0], np.float32)


def model(nodes: str) -> onnx.ModelProto:
    parsed: onnx.ModelProto = parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17]>
        g (float[4, 3] x, int64 p, int64 last, bool c, int64 n) => (float y) {{ {nodes} }}""")
    parsed.graph.output[0].type.tensor_type.ClearField("shape")
    return parsed


def feeds() -> dict[str, Array]:
    return {"x": X, **POSITIONS}


@pytest.mark.parametrize("case", CASES)
def test_sequences_equal_the_reference(case: str) -> None:
    onnx_model = model(CASES[case])
    if case in EXPECTED:
        expected = EXPECTED[case]
    else:
        (output,) = ReferenceEvaluator(onnx_model).run(None, feeds())
        expected = np.asarray(output)
    check_equal([run(onnx_model, feeds())["y"]], [expected], 1e-6)


@pytest.mark.parametrize("case", ["branches", "carried by a loop"])
def test_sequences_can_be_saved_as_paddle(case: str, tmp_path: Path) -> None:
    onnx_model = model(CASES[case])
    onnx_model.graph.output[0].type.CopyFrom(
        onnx.helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, ["a", "b"])
    )
    program = lite.load_program(lite.Config(model_buffer=onnx_model.SerializeToString()))
    lite.save_program(program, tmp_path)

    outputs = lite.create_predictor(lite.Config(tmp_path)).run(feeds())

    check_equal(list(outputs.values()), [run(onnx_model, feeds())["y"]])


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ("s = SequenceConstruct(x) y = SequenceAt(s, n)", "Position: expected one from -1 to 0, got 3"),
        (
            "s = SequenceConstruct(x) t = SequenceInsert(s, x, n) y = SequenceAt(t, last)",
            "from -1 to 1, got 3",
        ),
        ("s = SequenceEmpty() t = SequenceErase(s) y = SequenceAt(t, p)", "from 0 to -1, got -1"),
        ("k = Mul(n, last) s = SplitToSequence(x, k) y = SequenceAt(s, p)", "expected a size from 1, got -3"),
        ("k = Shape(x) s = SplitToSequence(x, k) y = SequenceAt(s, p)", r"that add up to 4, got \[4, 3\]"),
    ],
)
def test_positions_out_of_range_are_refused(nodes: str, message: str) -> None:
    with pytest.raises(ExecutionError, match=message):
        run(model(nodes), feeds())


def with_input(kind: onnx.TypeProto, nodes: str) -> onnx.ModelProto:
    """A model with the input ``x`` of another type."""
    made: onnx.ModelProto = parser.parse_model(
        f'<ir_version: 8, opset_import: ["" : 18]> g (float x) => (y) {{ {nodes} }}'
    )
    made.graph.input[0].type.CopyFrom(kind)
    return made


TENSOR = onnx.helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, None)
SEQUENCE = onnx.helper.make_sequence_type_proto(TENSOR)


def test_an_input_may_be_a_sequence() -> None:
    made = with_input(SEQUENCE, "n = SequenceLength(x) p = Constant<value_int = -1>() y = SequenceAt(x, p)")
    arrays = [np.ones((2, 3), np.float32), PAIR]

    check_equal([run(made, {"x": arrays})["y"]], [PAIR])


def test_an_input_may_be_an_optional_which_counts_as_present() -> None:
    made = with_input(onnx.helper.make_optional_type_proto(TENSOR), "y = OptionalGetElement(x)")

    check_equal([run(made, {"x": PAIR})["y"]], [PAIR])


def test_a_sequence_of_sequences_is_refused() -> None:
    kind = onnx.helper.make_sequence_type_proto(SEQUENCE)
    with pytest.raises(
        ModelParseError, match="'x' is of type sequence of sequence of tensor, expected a tensor or a"
    ):
        run(with_input(kind, "y = SequenceLength(x)"), {"x": [[PAIR]]})


def test_an_optional_of_one_branch_is_refused() -> None:
    made = parser.parse_model(
        """<ir_version: 8, opset_import: ["" : 18]> g (bool x) => (optional(seq(float)) y) {
        y = If (x) <then_branch = a () => (optional(seq(float)) t) {
            t = Optional <type: type_proto = seq(float)> () },
          else_branch = b () => (optional(seq(float)) e) {
            c = Constant <value_float = 1.0> () s = SequenceConstruct (c) e = Optional (s) }>
        }"""
    )
    with pytest.raises(ModelParseError, match="output 0 is an optional that has an element in one branch"):
        run(made, {"x": np.array(True)})


def run_optional(nodes: str, kind: str) -> Array:
    model: onnx.ModelProto = parser.parse_model(
        f'<ir_version: 8, opset_import: ["" : 18]> g (float[2] x) => ({kind} y) {{ {nodes} }}'
    )
    return run(model, {"x": PAIR})["y"]


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ("o = Optional(x) y = OptionalHasElement(o)", True),
        ("y = OptionalHasElement(x)", True),
        ("y = OptionalHasElement()", False),
        ("y = OptionalHasElement(,)", False),
        ("o = Optional() y = OptionalHasElement(o)", False),
        ("o = Optional() p = Optional(o) y = OptionalHasElement(p)", False),
    ],
)
def test_the_presence_of_an_element_is_constant(nodes: str, expected: bool) -> None:
    result = run_optional(nodes, "bool")

    check_equal([result], [np.array(expected)])


@pytest.mark.parametrize("nodes", ["o = Optional(x) y = OptionalGetElement(o)", "y = OptionalGetElement(x)"])
def test_an_optional_gives_its_element(nodes: str) -> None:
    np.testing.assert_array_equal(run_optional(nodes, "float[2]"), PAIR)


def test_the_element_of_an_empty_optional_is_refused() -> None:
    with pytest.raises(ModelParseError, match=r"\(OptionalGetElement\): input 'o' has no element"):
        run_optional("o = Optional() y = OptionalGetElement(o)", "float[2]")


@pytest.mark.parametrize(("batch_axis", "time_axis"), [(0, 1), (1, 0)])
def test_reverse_sequence_with_batch_or_time_first(batch_axis: int, time_axis: int) -> None:
    x = np.arange(24, dtype=np.float32).reshape(3, 4, 2).swapaxes(0, batch_axis)
    lengths = np.array([1, 4, 3])
    expected = x.copy()
    for sample, length in enumerate(lengths):
        line = np.moveaxis(x, (batch_axis, time_axis), (0, 1))[sample]
        np.moveaxis(expected, (batch_axis, time_axis), (0, 1))[sample, :length] = line[:length][::-1]

    attrs = {"batch_axis": batch_axis, "time_axis": time_axis}
    outputs = run(model_of("ReverseSequence", [x, lengths], attrs), {"x0": x, "x1": lengths})

    check_equal([outputs["y0"]], [expected])
