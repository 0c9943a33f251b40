"""Quantised models and calibration data that are wrong: an error names the op, the value and what to do.

Never does such a model run in float.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import lite
from lite.ir.program import AttrValue
from lite.ir.types import Array, DType
from tests.support.small_programs import OpText, make_program

INTEGERS = np.arange(12, dtype=np.int8).reshape(4, 3)
REALS = INTEGERS.astype(np.float32)
PLACES = (["cpu", "host"], ["host"])


def floats(*numbers: float) -> Array:
    return np.array(numbers, np.float32)


@dataclass(frozen=True, eq=False)
class Paddle:
    """``x · w`` of float32[2,4] and [4,3], quantised by the ops of a tool."""

    weights: Mapping[str, Array | None] = field(default_factory=dict)
    attrs: Mapping[str, AttrValue] = field(default_factory=dict)

    def save(self, folder: Path, ops: list[OpText], given: Mapping[str, Array]) -> Path:
        weights = {name: array for name, array in {**given, **self.weights}.items() if array is not None}
        known: list[OpText] = []
        for kind, reads, writes, attrs in ops:
            kept = {
                slot: [n for n in names if n not in given or n in weights] for slot, names in reads.items()
            }
            known.append(
                (kind, kept, writes, {**attrs, **{k: v for k, v in self.attrs.items() if k in attrs}})
            )
        program = make_program({"x": (DType.FLOAT32, (2, 4))}, weights, known, ["y"])
        lite.save_program(program, folder / "model")
        return folder / "model"


ONE: dict[str, AttrValue] = {"bit_length": 8, "round_type": 0}
NEW: list[OpText] = [
    ("quantize_linear", {"X": ["x"], "Scale": ["s"]}, {"Y": ["q"]}, ONE),
    ("dequantize_linear", {"X": ["q"], "Scale": ["s"]}, {"Y": ["a"]}, ONE),
    ("dequantize_linear", {"X": ["w"], "Scale": ["t"]}, {"Y": ["f"]}, {**ONE, "quant_axis": 1}),
    ("matmul_v2", {"X": ["a"], "Y": ["f"]}, {"Out": ["y"]}, {}),
]
OLD: list[OpText] = [
    (
        "fake_quantize_moving_average_abs_max",
        {"X": ["x"], "InScale": ["s"]},
        {"Out": ["q"], "OutScale": ["u"]},
        {"is_test": True},
    ),
    ("matmul_v2", {"X": ["q"], "Y": ["w"]}, {"Out": ["p"]}, {}),
    (
        "fake_channel_wise_dequantize_max_abs",
        {"X": ["p"], "Scales": ["t", "s"]},
        {"Out": ["y"]},
        {"quant_bits": [8, 8], "quant_axis": 1, "x_num_col_dims": 1},
    ),
]
NEW_WEIGHTS = {"w": INTEGERS, "s": floats(1), "t": floats(1, 2, 3)}
OLD_WEIGHTS = {"w": REALS, "s": floats(1), "t": floats(1, 2, 3)}
NAN = float("nan")

PADDLE = {
    "new, scale missing": (NEW, {"t": None}, {}, "dequantize_linear %f: .*input slot Scale is missing"),
    "new, scale negative": (NEW, {"t": floats(1, -2, 3)}, {}, "%f: scale 't': expected .*got -2.0.*quantise"),
    "new, scale zero": (NEW, {"s": floats(0)}, {}, "%q: scale 's': expected positive numbers, got 0.0"),
    "new, scale NaN": (NEW, {"s": floats(NAN)}, {}, "%q: scale 's': expected positive numbers, got nan"),
    "new, scale infinite": (NEW, {"s": floats(np.inf)}, {}, "%q: scale 's': expected .* got inf"),
    "new, scales short": (NEW, {"t": floats(1, 2)}, {}, "%f: .*slot Scale: expected 3 numbers"),
    "new, no such axis": (NEW, {}, {"quant_axis": 2}, "%f: .*quant_axis: expected -1 or an axis of .*got 2"),
    "new, no such bits": (NEW, {}, {"bit_length": 1}, "bit_length: expected a number from 2 to 16, got 1"),
    "new, no integers": (NEW, {"w": REALS + floats(0.5)}, {}, "%f: weights 'w': expected integers.*got 0.5"),
    "new, NaN as weights": (NEW, {"w": REALS * floats(NAN)}, {}, "%f: weights 'w': expected integers.*nan"),
    "old, scale negative": (OLD, {"s": floats(-1)}, {}, "%q: scale 's': expected positive numbers, got -1.0"),
    "old, scale NaN": (OLD, {"t": floats(1, NAN, 1)}, {}, "%y: scale 't': expected .*got nan"),
    "old, scales short": (OLD, {"t": floats(1, 2)}, {}, "%y: .*slot Scales: expected 1 number, or 3"),
    "old, no such axis": (OLD, {}, {"x_num_col_dims": 4}, "%y: .*x_num_col_dims: expected an axis .*got 4"),
    "old, no integers": (OLD, {"w": REALS + floats(0.5)}, {}, "%y: weights 'w': expected integers.*got 0.5"),
}


@pytest.mark.parametrize("places", PLACES, ids=str)
@pytest.mark.parametrize(("ops", "weights", "attrs", "message"), PADDLE.values(), ids=PADDLE)
def test_wrong_paddle_models_are_refused(
    ops: list[OpText],
    weights: dict[str, Array | None],
    attrs: dict[str, AttrValue],
    message: str,
    places: list[str],
    tmp_path: Path,
) -> None:
    path = Paddle(weights, attrs).save(tmp_path, ops, NEW_WEIGHTS if ops is NEW else OLD_WEIGHTS)
    with pytest.raises(lite.LiteError, match=message):
        lite.create_predictor(lite.Config(path, valid_places=places))


@pytest.mark.parametrize(("ops", "given"), [(NEW, NEW_WEIGHTS), (OLD, OLD_WEIGHTS)], ids=["new", "old"])
def test_the_same_models_run_without_the_fault(
    ops: list[OpText], given: Mapping[str, Array], tmp_path: Path
) -> None:
    path = Paddle().save(tmp_path, ops, given)
    x = np.linspace(-1, 1, 8, dtype=np.float32).reshape(2, 4)
    weights = INTEGERS * floats(1, 2, 3) / 127
    for places in PLACES:
        [y] = lite.create_predictor(lite.Config(path, valid_places=places)).run([x]).values()
        np.testing.assert_allclose(y, np.rint(x * 127) / 127 @ weights, atol=1e-2)


ONNX: dict[str, tuple[dict[str, Any], str]] = {
    "scale missing": ({"s": None}, r"node quantise \(QuantizeLinear\): input 1 is missing"),
    "scale negative": ({"s": np.float32(-1)}, r"quantise .*input 1 \('s'\), a scale: expected .*got -1"),
    "scale zero": ({"s": np.float32(0)}, r"quantise .*input 1 \('s'\), a scale: .*got 0 at element 0 of 1"),
    "scale NaN": ({"t": floats(1, NAN, 1)}, r"weights .*input 1 \('t'\), a scale: .*got nan at element 1"),
    "scales short": ({"t": floats(1, 2), "u": np.zeros(2, np.int8)}, "slot Scale: expected 1 element, or 3"),
    "zero points short": ({"u": np.zeros(2, np.int8)}, "%f: .*slot ZeroPoint: expected 1 element, or 3"),
    "zero point of another type": (
        {"u": np.zeros(3, np.uint8)},
        r"input 2 \('u'\).*expected int8.*got uint8",
    ),
    "zero point out of range": (
        {"z": np.int32(300)},
        r"quantise .*input 2 \('z'\): expected int8 or uint8, got int32",
    ),
    "no such axis": ({"axis": 2}, "attribute axis: expected an axis of .*got 2"),
}


def onnx_model(changes: Mapping[str, Any]) -> bytes:
    arrays = {
        "w": INTEGERS, "s": np.float32(0.1), "z": np.uint8(9), "t": floats(1, 2, 3),
        "u": np.zeros(3, np.int8),
    }  # fmt: skip
    axis = changes.get("axis", 1)
    arrays |= {name: array for name, array in changes.items() if name != "axis"}
    names = {name: "" if array is None else name for name, array in arrays.items()}
    nodes = [
        helper.make_node("QuantizeLinear", ["x", names["s"], names["z"]], ["q"], "quantise"),
        helper.make_node("DequantizeLinear", ["q", names["s"], names["z"]], ["a"], "real"),
        helper.make_node("DequantizeLinear", ["w", names["t"], names["u"]], ["f"], "weights", axis=axis),
        helper.make_node("MatMul", ["a", "f"], ["y"], "product"),
    ]
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "network",
        [info("x", TensorProto.FLOAT, [2, 4])],
        [info("y", TensorProto.FLOAT, [2, 3])],
        [
            numpy_helper.from_array(np.asarray(array), name)
            for name, array in arrays.items()
            if array is not None
        ],
    )
    model: onnx.ModelProto = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    )
    return model.SerializeToString()


@pytest.mark.parametrize("places", PLACES, ids=str)
@pytest.mark.parametrize(("changes", "message"), ONNX.values(), ids=ONNX)
def test_wrong_onnx_models_are_refused(changes: dict[str, Any], message: str, places: list[str]) -> None:
    with pytest.raises(lite.LiteError, match=message):
        lite.create_predictor(lite.Config(model_buffer=onnx_model(changes), valid_places=places))


ONES = np.ones((2, 4), np.float32)
DATA = {
    "no sample": ([], "no sample; expected at least one"),
    "a wrong name": ([{"y": ONES}], "sample 0: the model has no input 'y'"),
    "a wrong shape": ([{"x": ONES[:, :2]}], "sample 0: input 'x'"),
    "a wrong type": ([{"x": ONES.astype(np.float64)}], "input 'x': expected dtype float32, got float64"),
    "NaN": ([{"x": ONES * floats(NAN)}], "sample 0: input 'x' has NaN or infinite elements"),
}


def float_model(folder: Path) -> Path:
    ops: list[OpText] = [("matmul_v2", {"X": ["x"], "Y": ["w"]}, {"Out": ["y"]}, {})]
    lite.save_program(
        make_program({"x": (DType.FLOAT32, (2, 4))}, {"w": REALS}, ops, ["y"]), folder / "float"
    )
    return folder / "float"


@pytest.mark.parametrize(("data", "message"), DATA.values(), ids=DATA)
def test_wrong_calibration_data_are_refused(data: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(lite.InputError, match=message):
        lite.quantize(float_model(tmp_path), data, tmp_path / "int8")
    assert not (tmp_path / "int8").exists()


@pytest.mark.parametrize("value", [0.0, 3.5, -2.0])
def test_a_constant_activation_is_exact(value: float, tmp_path: Path) -> None:
    """It gets a range from 0 to the constant, or for zeros the step of the range from 0 to 1."""
    x = np.full((2, 4), value, np.float32)
    lite.quantize(float_model(tmp_path), [{"x": x}], tmp_path / "int8")
    [y] = lite.create_predictor(lite.Config(tmp_path / "int8")).run([x]).values()
    # The weights have 255 steps, half of which is the greatest error of one.
    np.testing.assert_allclose(y, x @ REALS, atol=4 * abs(value) * 11 / 254 + 1e-6)
