"""Sequences inside a model, against ONNX's reference."""

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
from tests.model_parser.onnx.node_models import run, same

X = np.arange(12, dtype=np.float32).reshape(4, 3)
POSITIONS = {"p": np.array(1), "last": np.array(-1), "c": np.array(True), "n": np.array(3)}

NODES = {
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


OURS = {
    "map": np.concatenate([(X[:, None] + X[None]).reshape(-1, 3), -X]),
    "map of nothing": np.array(0, np.float32),
}
"""What the reference cannot run."""


def model(nodes: str) -> onnx.ModelProto:
    parsed: onnx.ModelProto = parser.parse_model(f"""<ir_version: 8, opset_import: ["" : 17]>
        g (float[4, 3] x, int64 p, int64 last, bool c, int64 n) => (float y) {{ {nodes} }}""")
    parsed.graph.output[0].type.tensor_type.ClearField("shape")
    return parsed


def fed() -> dict[str, Array]:
    return {"x": X, **POSITIONS}


@pytest.mark.parametrize("case", NODES)
def test_equal_to_the_reference(case: str) -> None:
    given = model(NODES[case])
    if case in OURS:
        wanted = OURS[case]
    else:
        (found,) = ReferenceEvaluator(given).run(None, fed())
        wanted = np.asarray(found)
    same([run(given, fed())["y"]], [wanted], 1e-6)


@pytest.mark.parametrize("case", ["branches", "carried by a loop"])
def test_saved_as_paddle(case: str, tmp_path: Path) -> None:
    given = model(NODES[case])
    given.graph.output[0].type.CopyFrom(
        onnx.helper.make_tensor_type_proto(onnx.TensorProto.FLOAT, ["a", "b"])
    )
    program = lite.load_program(lite.Config(model_buffer=given.SerializeToString()))
    lite.save_program(program, tmp_path)

    found = lite.create_predictor(lite.Config(tmp_path)).run(fed())

    same(list(found.values()), [run(given, fed())["y"]])


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
def test_positions_that_cannot_be(nodes: str, message: str) -> None:
    with pytest.raises(ExecutionError, match=message):
        run(model(nodes), fed())


@pytest.mark.parametrize("place", ["in", "out"])
def test_a_model_takes_and_gives_tensors(place: str) -> None:
    given = model("s = SequenceConstruct(x) y = Identity(s)")
    value = given.graph.input[0] if place == "in" else given.graph.output[0]
    value.type.CopyFrom(onnx.helper.make_sequence_type_proto(value.type))
    with pytest.raises(
        ModelParseError, match=f"{value.name!r} is a sequence, expected a tensor: nothing else"
    ):
        run(given, fed())
