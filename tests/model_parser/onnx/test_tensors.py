"""Initialisers and other tensors: inside the model, in files beside it, and damaged."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import lite
from lite.errors import ModelParseError
from lite.ir.types import Array
from lite.model_parser.onnx.tensors import TensorReader
from tests.model_parser.onnx.external import external_tensor, floats, moved, save

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
X = np.array([1.0, -2.0, 3.0], np.float32)


def model_of(nodes: list[onnx.NodeProto], initialisers: list[onnx.TensorProto]) -> onnx.ModelProto:
    """From ``x`` (and ``c``, a truth value, where a node is an If) to ``y``."""
    fed = [helper.make_tensor_value_info("x", FLOAT, [3])]
    if any(node.op_type == "If" for node in nodes):
        fed.append(helper.make_tensor_value_info("c", BOOL, []))
    out = [onnx.ValueInfoProto(name="y")]
    graph = helper.make_graph(nodes, "g", fed, out, initialisers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def run(path: Path, **more: Array) -> Array:
    return lite.create_predictor(lite.Config(path)).run({"x": X, **more})["y"]


def adding(weight: str = "w") -> list[onnx.NodeProto]:
    return [helper.make_node("Add", ["x", weight], ["y"])]


@pytest.mark.parametrize("before", [0, 4, 4096, 3])
def test_external_data_at_any_offset(tmp_path: Path, before: int) -> None:
    (tmp_path / "w.bin").write_bytes(bytes(before))
    tensor = onnx.TensorProto(name="w")
    moved(tensor, floats(3, 5), tmp_path / "w.bin")

    found = run(save(model_of(adding(), [tensor]), tmp_path / "m.onnx"))

    np.testing.assert_array_equal(found, X + floats(3, 5))


def test_without_offset_and_length(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "w.bin").write_bytes(floats(3).tobytes())
    tensor = external_tensor("w", FLOAT, [3], "deep/w.bin")

    found = run(save(model_of(adding(), [tensor]), tmp_path / "m.onnx"))

    np.testing.assert_array_equal(found, X + floats(3))


def test_no_elements(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(b"")
    read = TensorReader(tmp_path).read(external_tensor("w", INT64, [0, 3], "w.bin"), "w")

    assert read.shape == (0, 3)
    assert read.dtype == np.int64


@pytest.mark.parametrize(
    ("kind", "data", "values"),
    [("INT4", b"\x78\x01", [-8, 7, 1]), ("UINT4", b"\x0f\x03", [15, 0, 3]), ("INT2", b"\x09", [1, -2, 0])],
)
@pytest.mark.parametrize("external", [False, True])
def test_packed_elements(tmp_path: Path, kind: str, data: bytes, values: list[int], external: bool) -> None:
    if kind not in TensorProto.DataType.keys():  # noqa: SIM118 - an enum's wrapper is no dict
        pytest.skip(f"the installed onnx does not know {kind}")
    number = TensorProto.DataType.Value(kind)
    (tmp_path / "w.bin").write_bytes(b"xxx" + data)
    inside = TensorProto(name="w", data_type=number, dims=[3], raw_data=data)
    outside = external_tensor("w", number, [3], "w.bin", offset=3, length=len(data))

    read = TensorReader(tmp_path).read(outside if external else inside, "w")

    assert read.dtype.name == kind.lower()
    assert read.astype(int).tolist() == values


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="only Linux lists open files there")
def test_one_open_file_for_many_tensors(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(bytes(400))
    reader = TensorReader(tmp_path)
    before = len(os.listdir("/proc/self/fd"))

    kept = [reader.read(external_tensor("w", FLOAT, [1], "w.bin", offset=4 * n), "w") for n in range(100)]

    assert len(os.listdir("/proc/self/fd")) <= before + 1
    assert not any(array.flags.writeable for array in kept)


def test_in_branches_and_loops(tmp_path: Path) -> None:
    path = tmp_path / "w.bin"
    tensors = [onnx.TensorProto(name="w"), onnx.TensorProto(name="w"), onnx.TensorProto(name="w")]
    for n, tensor in enumerate(tensors):
        moved(tensor, floats(3, 10 * n), path)
    then, other = (
        helper.make_graph(adding()[:1], "branch", [], [onnx.ValueInfoProto(name="y")], [tensor])
        for tensor in tensors[:2]
    )
    body = helper.make_graph(
        [helper.make_node("Add", ["v", "w"], ["next"]), helper.make_node("Identity", ["c_in"], ["c_out"])],
        "body",
        [
            helper.make_tensor_value_info("i", INT64, []),
            helper.make_tensor_value_info("c_in", BOOL, []),
            helper.make_tensor_value_info("v", FLOAT, [3]),
        ],
        [helper.make_tensor_value_info("c_out", BOOL, []), helper.make_tensor_value_info("next", FLOAT, [3])],
        [tensors[2]],
    )
    turns = numpy_helper.from_array(np.array(2), "turns")
    nodes = [
        helper.make_node("If", ["c"], ["a"], then_branch=then, else_branch=other),
        helper.make_node("Loop", ["turns", "", "a"], ["y"], body=body),
    ]
    saved = save(model_of(nodes, [turns]), tmp_path / "m.onnx")

    for truth in (True, False):
        expected = X + floats(3, 0 if truth else 10) + 2 * floats(3, 20)
        np.testing.assert_array_equal(run(saved, c=np.array(truth)), expected)


def test_in_attributes(tmp_path: Path) -> None:
    value, values = onnx.TensorProto(), onnx.TensorProto(name="v")
    moved(value, floats(3), tmp_path / "w.bin")
    moved(values, floats(1, 7), tmp_path / "w.bin")
    sparse = helper.make_sparse_tensor(values, numpy_helper.from_array(np.array([1])), [3])
    nodes = [
        helper.make_node("Constant", [], ["a"], value=value),
        helper.make_node("Constant", [], ["b"], sparse_value=sparse),
        helper.make_node("Sum", ["x", "a", "b"], ["y"]),
    ]

    found = run(save(model_of(nodes, []), tmp_path / "m.onnx"))

    np.testing.assert_array_equal(found, X + floats(3) + np.array([0, 7, 0]))


def test_sparse_initialisers(tmp_path: Path) -> None:
    def sparse(name: str, place: int) -> onnx.SparseTensorProto:
        values = numpy_helper.from_array(np.array([9], np.float32), name)
        return helper.make_sparse_tensor(values, numpy_helper.from_array(np.array([place])), [3])

    branches = []
    for place in (1, 2):
        branch = helper.make_graph(adding("s"), "branch", [], [onnx.ValueInfoProto(name="y")])
        branch.sparse_initializer.append(sparse("s", place))
        branches.append(branch)
    node = helper.make_node("If", ["c"], ["a"], then_branch=branches[0], else_branch=branches[1])
    model = model_of([node, helper.make_node("Add", ["a", "t"], ["y"])], [])
    model.graph.sparse_initializer.append(sparse("t", 0))
    saved = save(model, tmp_path / "m.onnx")

    np.testing.assert_array_equal(run(saved, c=np.array(True)), X + np.array([9, 9, 0]))
    np.testing.assert_array_equal(run(saved, c=np.array(False)), X + np.array([9, 0, 9]))


def spoiled(tensor: onnx.TensorProto) -> onnx.TensorProto:
    """With a location that is not UTF-8."""
    return onnx.TensorProto.FromString(tensor.SerializeToString().replace(b"QQQQ", b"\xff" * 4))


DAMAGED: list[tuple[onnx.TensorProto, str]] = [
    (
        external_tensor("w", FLOAT, [3], "w.bin", offset=8),
        "needs 12 bytes from byte 8 of w.bin, which has 16",
    ),
    (
        external_tensor("w", FLOAT, [10**6, 10**6, 10**6], "w.bin"),
        "needs 4000000000000000000 bytes from byte 0",
    ),
    (external_tensor("w", FLOAT, [3], "w.bin", length=16), r"says 16 bytes, expected 12 for float32\[3\]"),
    (external_tensor("w", FLOAT, [3], "none.bin"), "its data file 'none.bin' is missing beside the model"),
    (spoiled(external_tensor("w", FLOAT, [3], "QQQQ")), r"its data file .*xff.* is missing beside the model"),
    (external_tensor("w", FLOAT, [3], "sub"), "its data file 'sub' cannot be read"),
    (external_tensor("w", FLOAT, [3], "a\0b"), "cannot be read: embedded null"),
    (external_tensor("w", FLOAT, [3], "a" * 5000), "cannot be read: .*too long"),
    (
        external_tensor("w", FLOAT, [3], "../w.bin"),
        r"'\.\./w\.bin', which leaves the model's folder; refused",
    ),
    (external_tensor("w", FLOAT, [3], "sub/../../w.bin"), "leaves the model's folder; refused"),
    (external_tensor("w", FLOAT, [3], os.path.abspath(__file__)), "leaves the model's folder; refused"),
    (external_tensor("w", FLOAT, [3], ""), "leaves the model's folder; refused"),
    (external_tensor("w", FLOAT, [3], "link.bin"), "leaves the model's folder; refused"),
    (external_tensor("w", FLOAT, [3], "w.bin", offset=-4), "expected a position in a file, got '-4'"),
    (
        external_tensor("w", FLOAT, [3], "w.bin", offset="9" * 5000),
        "expected a position in a file, got '9999",
    ),
    (external_tensor("w", FLOAT, [0, 2**62], "w.bin"), r"no array has dims \[0, 46"),
    (external_tensor("w", FLOAT, [1] * 70, "w.bin"), r"no array has dims \[1, 1"),
    (external_tensor("w", FLOAT, [-3], "w.bin"), r"expected sizes from 0, got dims \[-3\]"),
    (external_tensor("w", TensorProto.STRING, [1], "w.bin"), "texts cannot lie in another file"),
    (external_tensor("w", TensorProto.UNDEFINED, [1], "w.bin"), "expected an element type, got none"),
    (external_tensor("w", 99, [1], "w.bin"), "element type 99 is not supported"),
    (
        TensorProto(name="w", data_type=FLOAT, dims=[3], raw_data=b"abcd"),
        "has 4 bytes, expected 12 for float32",
    ),
    (
        TensorProto(name="w", data_type=FLOAT, dims=[2**40, 2**40]),
        "has 0 elements, expected 1208925819614629174",
    ),
    (
        TensorProto(name="w", data_type=FLOAT, dims=[3], float_data=[1]),
        r"has 1 elements, expected 3 for dims \[3\]",
    ),
    (
        TensorProto(name="w", data_type=TensorProto.STRING, dims=[1], string_data=[b"\xff"]),
        "its elements are no string",
    ),
    (TensorProto(name="w", data_type=FLOAT, dims=[-1], float_data=[1]), "expected sizes from 0, got dims"),
]


@pytest.mark.parametrize(("tensor", "message"), DAMAGED, ids=[message[:40] for _, message in DAMAGED])
def test_damaged(tmp_path: Path, tensor: onnx.TensorProto, message: str) -> None:
    if sys.platform == "win32" and tensor.external_data and tensor.external_data[0].value == "link.bin":
        pytest.skip("links need rights there")
    (tmp_path / "w.bin").write_bytes(floats(4).tobytes())
    folder = tmp_path / "model"
    (folder / "sub").mkdir(parents=True)
    (folder / "w.bin").write_bytes(floats(4).tobytes())
    if sys.platform != "win32":
        (folder / "link.bin").symlink_to(tmp_path / "w.bin")
    saved = save(model_of(adding(), [tensor]), folder / "m.onnx")
    with pytest.raises(ModelParseError, match=rf"m\.onnx: initialiser 'w': .*{message}"):
        lite.load_program(saved)


def test_external_data_of_a_buffer() -> None:
    model = model_of(adding(), [external_tensor("w", FLOAT, [3], "w.bin")])
    with pytest.raises(
        ModelParseError, match="initialiser 'w': its data is in another file; give the model as"
    ):
        lite.load_program(model_buffer(model))


def test_an_attribute_reads_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(floats(3).tobytes())
    folder = tmp_path / "model"
    folder.mkdir()
    value = external_tensor("", FLOAT, [3], "../w.bin")
    nodes = [helper.make_node("Constant", [], ["a"], value=value, name="k"), *adding("a")]
    saved = save(model_of(nodes, []), folder / "m.onnx")
    with pytest.raises(
        ModelParseError, match=r"node k \(Constant\): attribute value: its data is at '\.\./w"
    ):
        lite.load_program(saved)


def model_buffer(model: onnx.ModelProto) -> Any:
    return lite.Config(model_buffer=model.SerializeToString())
