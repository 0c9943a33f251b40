"""Large tensors are taken out of a model before protobuf reads it: the program is the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from lite.errors import ModelParseError
from lite.ir.program import Program
from lite.ir.types import Array
from lite.model_parser.onnx import large_tensors
from lite.model_parser.onnx.read_graph import parse_content, read_model
from lite.plugin.format import map_regular
from tests.model_parser.onnx.small_onnx import small_models

ROWS = 160


def matrix(seed: int) -> Array:
    """A weight that is large."""
    return np.random.default_rng(seed).standard_normal((ROWS, ROWS + 1)).astype(np.float32)


def model(*, opset: int = 17) -> onnx.ModelProto:
    """An initialiser, the constant of a node, a small one, and one that is stored as a list of numbers."""
    listed = helper.make_tensor("listed", TensorProto.FLOAT, [ROWS * 128], np.arange(ROWS * 128.0))
    nodes = [
        helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(matrix(1), "value")),
        helper.make_node("Add", ["w", "c"], ["wc"]),
        helper.make_node("MatMul", ["x", "wc"], ["m"]),
        helper.make_node("Add", ["m", "b"], ["a"]),
        helper.make_node("Mul", ["listed", "half"], ["y"]),
    ]
    initialisers = [
        numpy_helper.from_array(matrix(0), "w"),
        numpy_helper.from_array(np.ones(ROWS + 1, np.float32), "b"),
        numpy_helper.from_array(np.array(0.5, np.float32), "half"),
        listed,
    ]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "g",
        [value("x", TensorProto.FLOAT, [2, ROWS])],
        [value("a", TensorProto.FLOAT, None), value("y", TensorProto.FLOAT, None)],
        initialisers,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def read(content: bytes) -> tuple[Program, int]:
    """The program of a model, and how many tensors were taken out of it."""
    proto, taken = parse_content(content, "m")
    return read_model(proto, "m", None, taken), len(taken)


@pytest.fixture
def any_size(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Takes tensors from a size on out of files of any size."""

    def change(least: int) -> None:
        monkeypatch.setattr(large_tensors, "LEAST_FILE", 0)
        monkeypatch.setattr(large_tensors, "LEAST_TENSOR", least)

    return change


def field(number: int, content: bytes) -> bytes:
    """A field of bytes in the encoding of protocol buffers."""
    size, length = len(content), []
    while size >= 0x80:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes([number << 3 | 2, *length, size]) + content


def assert_same(first: Program, second: Program) -> None:
    """Two programs have the same blocks and weights."""
    assert first.blocks == second.blocks
    assert first.weights.keys() == second.weights.keys()
    for name, weight in first.weights.items():
        other = second.weights[name].array
        assert (weight.array.dtype, weight.array.shape) == (other.dtype, other.shape)
        assert weight.array.tobytes() == other.tobytes()
        assert weight.array.flags.writeable == other.flags.writeable


def test_large_tensors_of_initialisers_and_nodes_are_taken(any_size: Callable[[int], None]) -> None:
    content = model().SerializeToString()
    whole, none = read(content)
    any_size(1 << 16)
    program, taken = read(content)
    assert (none, taken) == (0, 2)
    assert_same(program, whole)


@pytest.mark.parametrize("name", small_models())
@pytest.mark.parametrize("least", [0, 8])
def test_all_tensors_of_small_models(name: str, least: int, any_size: Callable[[int], None]) -> None:
    content = small_models()[name].SerializeToString()
    whole, _ = read(content)
    any_size(least)
    assert_same(read(content)[0], whole)


@pytest.mark.parametrize(
    "dtype", [TensorProto.INT4, TensorProto.INT8, TensorProto.BFLOAT16, TensorProto.BOOL]
)
def test_other_element_types(dtype: int, any_size: Callable[[int], None]) -> None:
    bits = 4 if dtype == TensorProto.INT4 else 16 if dtype == TensorProto.BFLOAT16 else 8
    data = (np.arange(64 * bits // 8, dtype=np.uint8) % 2).tobytes()
    weight = helper.make_tensor("w", dtype, [64], data, raw=True)
    value = helper.make_tensor_value_info("y", dtype, [64])
    graph = helper.make_graph([helper.make_node("Identity", ["w"], ["y"])], "g", [], [value], [weight])
    opsets = [helper.make_opsetid("", 21)]
    content = helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()
    whole, _ = read(content)
    any_size(0)
    program, taken = read(content)
    assert taken == 1
    assert_same(program, whole)


def test_small_files_are_left_to_protobuf() -> None:
    content = model().SerializeToString()
    assert large_tensors.take_large_tensors(content) == (content, [])


def test_old_models_are_converted_with_all_data(any_size: Callable[[int], None]) -> None:
    content = model(opset=6).SerializeToString()
    any_size(1 << 16)
    assert read(content)[1] == 0


def test_wrong_sizes_are_refused_with_the_same_words(any_size: Callable[[int], None]) -> None:
    proto = model()
    proto.graph.initializer[0].dims[0] += 1
    content = proto.SerializeToString()
    with pytest.raises(ModelParseError) as whole:
        read(content)
    any_size(1 << 16)
    with pytest.raises(ModelParseError) as taken:
        read(content)
    assert str(taken.value) == str(whole.value)


def test_content_that_is_not_as_expected_is_left_to_protobuf(any_size: Callable[[int], None]) -> None:
    proto = model()
    content = proto.SerializeToString()
    tensor = numpy_helper.from_array(matrix(2), "w").SerializeToString()
    data_twice = field(7, field(5, tensor + field(9, matrix(3).tobytes())))
    attribute = onnx.AttributeProto(name="value", type=onnx.AttributeProto.TENSOR).SerializeToString()
    tensor_twice = field(7, field(1, field(5, attribute + 2 * field(5, tensor))))
    proto.graph.initializer[0].data_location = TensorProto.EXTERNAL
    any_size(1 << 16)
    for changed in (content[:-9], content + b"\x0b", proto.SerializeToString(), data_twice, tensor_twice):
        assert large_tensors.take_large_tensors(changed) == (changed, [])


def test_a_model_that_names_taken_data_itself_is_refused(tmp_path: Path) -> None:
    proto = model()
    proto.graph.initializer[0].ClearField("raw_data")
    proto.graph.initializer[0].data_location = TensorProto.EXTERNAL
    for key, value in {"location": large_tensors.TAKEN, "offset": "0"}.items():
        proto.graph.initializer[0].external_data.add(key=key, value=value)
    path = tmp_path / "m.onnx"
    path.write_bytes(proto.SerializeToString())
    read_proto, taken = parse_content(map_regular(path), "m")
    with pytest.raises(ModelParseError, match="null byte"):
        read_model(read_proto, "m", tmp_path, taken)


@pytest.mark.parametrize("offset", [None, "", "abc", "-1", "99", "9" * 5000])
def test_a_number_of_taken_data_that_is_not_in_the_file_is_refused(
    offset: str | None, any_size: Callable[[int], None]
) -> None:
    proto = model()
    bias = proto.graph.initializer[1]
    bias.ClearField("raw_data")
    bias.data_location = TensorProto.EXTERNAL
    bias.external_data.add(key="location", value=large_tensors.TAKEN)
    if offset is not None:
        bias.external_data.add(key="offset", value=offset)
    content = proto.SerializeToString()
    any_size(1 << 16)
    read_proto, taken = parse_content(content, "m")
    assert len(taken) == 2
    with pytest.raises(ModelParseError):
        read_model(read_proto, "m", None, taken)
