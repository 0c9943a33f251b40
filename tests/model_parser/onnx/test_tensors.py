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
from tests.model_parser.onnx.external import external_tensor, floats, move_to_file, save

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
X = np.array([1.0, -2.0, 3.0], np.float32)


def model_of(nodes: list[onnx.NodeProto], initialisers: list[onnx.TensorProto]) -> onnx.ModelProto:
    """A model from ``x``, and ``c``, a bool, where a node is an If, to ``y``."""
    feeds = [helper.make_tensor_value_info("x", FLOAT, [3])]
    if any(node.op_type == "If" for node in nodes):
        feeds.append(helper.make_tensor_value_info("c", BOOL, []))
    out = [onnx.ValueInfoProto(name="y")]
    graph = helper.make_graph(nodes, "g", feeds, out, initialisers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def run(path: Path, **inputs: Array) -> Array:
    return lite.create_predictor(lite.Config(path)).run({"x": X, **inputs})["y"]


def add_node(weight: str = "w") -> list[onnx.NodeProto]:
    return [helper.make_node("Add", ["x", weight], ["y"])]


@pytest.mark.parametrize("before", [0, 4, 4096, 3])
def test_external_data_is_read_at_any_offset(tmp_path: Path, before: int) -> None:
    (tmp_path / "w.bin").write_bytes(bytes(before))
    tensor = onnx.TensorProto(name="w")
    move_to_file(tensor, floats(3, 5), tmp_path / "w.bin")

    output = run(save(model_of(add_node(), [tensor]), tmp_path / "m.onnx"))

    np.testing.assert_array_equal(output, X + floats(3, 5))


def test_offset_and_length_are_optional(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "w.bin").write_bytes(floats(3).tobytes())
    tensor = external_tensor("w", FLOAT, [3], "deep/w.bin")

    output = run(save(model_of(add_node(), [tensor]), tmp_path / "m.onnx"))

    np.testing.assert_array_equal(output, X + floats(3))


def test_external_data_may_be_empty(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(b"")
    read = TensorReader(tmp_path).read(external_tensor("w", INT64, [0, 3], "w.bin"), "w")

    assert read.shape == (0, 3)
    assert read.dtype == np.int64


@pytest.mark.parametrize(
    ("kind", "data", "values"),
    [("INT4", b"\x78\x01", [-8, 7, 1]), ("UINT4", b"\x0f\x03", [15, 0, 3]), ("INT2", b"\x09", [1, -2, 0])],
)
@pytest.mark.parametrize("external", [False, True])
def test_packed_elements_are_unpacked(
    tmp_path: Path, kind: str, data: bytes, values: list[int], external: bool
) -> None:
    if kind not in TensorProto.DataType.keys():  # noqa: SIM118 - the enum wrapper is not a dict
        pytest.skip(f"the installed onnx does not have {kind}")
    number = TensorProto.DataType.Value(kind)
    (tmp_path / "w.bin").write_bytes(b"xxx" + data)
    inline = TensorProto(name="w", data_type=number, dims=[3], raw_data=data)
    outside = external_tensor("w", number, [3], "w.bin", offset=3, length=len(data))

    read = TensorReader(tmp_path).read(outside if external else inline, "w")

    assert read.dtype.name == kind.lower()
    assert read.astype(int).tolist() == values


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="only Linux lists open files there")
def test_a_file_of_many_tensors_is_opened_once(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(bytes(400))
    reader = TensorReader(tmp_path)
    before = len(os.listdir("/proc/self/fd"))

    arrays = [reader.read(external_tensor("w", FLOAT, [1], "w.bin", offset=4 * n), "w") for n in range(100)]

    assert len(os.listdir("/proc/self/fd")) <= before + 1
    assert not any(array.flags.writeable for array in arrays)


def test_external_data_in_branches_and_loops(tmp_path: Path) -> None:
    path = tmp_path / "w.bin"
    tensors = [onnx.TensorProto(name="w"), onnx.TensorProto(name="w"), onnx.TensorProto(name="w")]
    for n, tensor in enumerate(tensors):
        move_to_file(tensor, floats(3, 10 * n), path)
    then, other = (
        helper.make_graph(add_node()[:1], "branch", [], [onnx.ValueInfoProto(name="y")], [tensor])
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
    iterations = numpy_helper.from_array(np.array(2), "iterations")
    nodes = [
        helper.make_node("If", ["c"], ["a"], then_branch=then, else_branch=other),
        helper.make_node("Loop", ["iterations", "", "a"], ["y"], body=body),
    ]
    saved = save(model_of(nodes, [iterations]), tmp_path / "m.onnx")

    for condition in (True, False):
        expected = X + floats(3, 0 if condition else 10) + 2 * floats(3, 20)
        np.testing.assert_array_equal(run(saved, c=np.array(condition)), expected)


def test_external_data_in_attributes(tmp_path: Path) -> None:
    value, values = onnx.TensorProto(), onnx.TensorProto(name="v")
    move_to_file(value, floats(3), tmp_path / "w.bin")
    move_to_file(values, floats(1, 7), tmp_path / "w.bin")
    sparse = helper.make_sparse_tensor(values, numpy_helper.from_array(np.array([1])), [3])
    nodes = [
        helper.make_node("Constant", [], ["a"], value=value),
        helper.make_node("Constant", [], ["b"], sparse_value=sparse),
        helper.make_node("Sum", ["x", "a", "b"], ["y"]),
    ]

    output = run(save(model_of(nodes, []), tmp_path / "m.onnx"))

    np.testing.assert_array_equal(output, X + floats(3) + np.array([0, 7, 0]))


def test_sparse_initialisers_in_graph_and_branches(tmp_path: Path) -> None:
    def sparse(name: str, index: int) -> onnx.SparseTensorProto:
        values = numpy_helper.from_array(np.array([9], np.float32), name)
        return helper.make_sparse_tensor(values, numpy_helper.from_array(np.array([index])), [3])

    branches = []
    for index in (1, 2):
        branch = helper.make_graph(add_node("s"), "branch", [], [onnx.ValueInfoProto(name="y")])
        branch.sparse_initializer.append(sparse("s", index))
        branches.append(branch)
    node = helper.make_node("If", ["c"], ["a"], then_branch=branches[0], else_branch=branches[1])
    model = model_of([node, helper.make_node("Add", ["a", "t"], ["y"])], [])
    model.graph.sparse_initializer.append(sparse("t", 0))
    saved = save(model, tmp_path / "m.onnx")

    np.testing.assert_array_equal(run(saved, c=np.array(True)), X + np.array([9, 9, 0]))
    np.testing.assert_array_equal(run(saved, c=np.array(False)), X + np.array([9, 0, 9]))


def with_invalid_location(tensor: onnx.TensorProto) -> onnx.TensorProto:
    """The tensor with a location that is not UTF-8."""
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
    (
        external_tensor("w", FLOAT, [3], "w.bin", length=16),
        r"has length 16, expected 12 bytes for float32\[3\]",
    ),
    (external_tensor("w", FLOAT, [3], "none.bin"), "its data file 'none.bin' is missing beside the model"),
    (
        with_invalid_location(external_tensor("w", FLOAT, [3], "QQQQ")),
        r"its data file .*xff.* is missing beside the model",
    ),
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
    (external_tensor("w", FLOAT, [0, 2**62], "w.bin"), r"numpy cannot hold the dims \[0, 46"),
    (external_tensor("w", FLOAT, [1] * 70, "w.bin"), r"numpy cannot hold the dims \[1, 1"),
    (external_tensor("w", FLOAT, [-3], "w.bin"), r"expected dims of 0 or more, got \[-3\]"),
    (external_tensor("w", TensorProto.STRING, [1], "w.bin"), "strings cannot be external data"),
    (external_tensor("w", TensorProto.UNDEFINED, [1], "w.bin"), "the element type is missing"),
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
        "its elements are not string",
    ),
    (TensorProto(name="w", data_type=FLOAT, dims=[-1], float_data=[1]), "expected dims of 0 or more, got"),
]


@pytest.mark.parametrize(("tensor", "message"), DAMAGED, ids=[message[:40] for _, message in DAMAGED])
def test_a_damaged_initialiser_is_refused(tmp_path: Path, tensor: onnx.TensorProto, message: str) -> None:
    if sys.platform == "win32" and tensor.external_data and tensor.external_data[0].value == "link.bin":
        pytest.skip("symbolic links need special rights on Windows")
    (tmp_path / "w.bin").write_bytes(floats(4).tobytes())
    folder = tmp_path / "model"
    (folder / "sub").mkdir(parents=True)
    (folder / "w.bin").write_bytes(floats(4).tobytes())
    if sys.platform != "win32":
        (folder / "link.bin").symlink_to(tmp_path / "w.bin")
    saved = save(model_of(add_node(), [tensor]), folder / "m.onnx")
    with pytest.raises(ModelParseError, match=rf"m\.onnx: initialiser 'w': .*{message}"):
        lite.load_program(saved)


def test_external_data_of_a_model_buffer_is_refused() -> None:
    model = model_of(add_node(), [external_tensor("w", FLOAT, [3], "w.bin")])
    with pytest.raises(
        ModelParseError, match="initialiser 'w': its data is in another file; give the model as"
    ):
        lite.load_program(model_buffer(model))


def test_external_data_of_an_attribute_outside_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(floats(3).tobytes())
    folder = tmp_path / "model"
    folder.mkdir()
    value = external_tensor("", FLOAT, [3], "../w.bin")
    nodes = [helper.make_node("Constant", [], ["a"], value=value, name="k"), *add_node("a")]
    saved = save(model_of(nodes, []), folder / "m.onnx")
    with pytest.raises(
        ModelParseError, match=r"node k \(Constant\): attribute value: its data is at '\.\./w"
    ):
        lite.load_program(saved)


def model_buffer(model: onnx.ModelProto) -> Any:
    return lite.Config(model_buffer=model.SerializeToString())


@pytest.mark.parametrize("indices", [[1, 5], [[0, 1], [1, 2]]])
def test_a_sparse_tensor_becomes_dense(indices: list[int]) -> None:
    values = numpy_helper.from_array(np.array([4, 7], np.int16))
    sparse = helper.make_sparse_tensor(values, numpy_helper.from_array(np.array(indices)), [2, 3])

    output = TensorReader(None).read_sparse(sparse, "here")

    assert output.dtype == np.int16
    np.testing.assert_array_equal(output, [[0, 4, 0], [0, 0, 7]])


def test_sparse_indices_outside_are_refused() -> None:
    values = numpy_helper.from_array(np.array([4], np.int16))
    sparse = helper.make_sparse_tensor(values, numpy_helper.from_array(np.array([6])), [2, 3])

    with pytest.raises(ModelParseError, match=r"here: its indices and values do not fit its dims \[2, 3\]"):
        TensorReader(None).read_sparse(sparse, "here")


def test_sparse_dims_that_numpy_cannot_hold_are_refused() -> None:
    values = numpy_helper.from_array(np.array([], np.int16))
    sparse = onnx.SparseTensorProto(
        values=values, indices=numpy_helper.from_array(np.array([], np.int64)), dims=[0, 2**62]
    )

    with pytest.raises(ModelParseError, match="here: its indices and values do not fit its dims"):
        TensorReader(None).read_sparse(sparse, "here")


@pytest.mark.parametrize("dims", [[-1], [2**20, 2**20]])
def test_negative_and_huge_sparse_dims_are_refused(dims: list[int]) -> None:
    values = numpy_helper.from_array(np.array([4], np.int16))
    sparse = onnx.SparseTensorProto(values=values, indices=numpy_helper.from_array(np.array([0])), dims=dims)

    with pytest.raises(
        ModelParseError, match="here: expected at most 2147483648 bytes with the zeros, got dims"
    ):
        TensorReader(None).read_sparse(sparse, "here")


def test_a_sparse_initialiser_with_rows_of_indices(tmp_path: Path) -> None:
    model = model_of(add_node("s"), [])
    values = numpy_helper.from_array(np.array([9], np.float32), "s")
    indices = numpy_helper.from_array(np.array([[1]]))
    model.graph.sparse_initializer.append(helper.make_sparse_tensor(values, indices, [3]))

    np.testing.assert_array_equal(run(save(model, tmp_path / "m.onnx")), X + np.array([0, 9, 0]))
