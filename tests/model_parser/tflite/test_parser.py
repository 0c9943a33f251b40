"""TFLite files: recognition, messages for damage, and random damage."""

from __future__ import annotations

import os
import random
import struct
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.errors import LiteError, ModelParseError
from lite.model_parser.tflite.parser import TfliteParser
from lite.plugin.format import ModelSource
from lite.plugin.format.flatbuffer import Table
from tests.model_parser.tflite.builder import Table as Fields
from tests.model_parser.tflite.builder import TfliteBuilder
from tests.model_parser.tflite.models import float_cases, network, quantised_cases

PARSER = TfliteParser()
SMALL = network("float32").model


def message(data: bytes) -> str:
    """The error for a model, without its name."""
    with pytest.raises(ModelParseError) as caught:
        PARSER.parse(ModelSource(model=data))
    prefix = f"model buffer of {len(data)} bytes: "
    assert str(caught.value).startswith(prefix)
    return str(caught.value).removeprefix(prefix)


def relu() -> tuple[TfliteBuilder, int, int]:
    """relu of an input, with the numbers of its tensors."""
    builder = TfliteBuilder()
    x, y = builder.tensor("x", (2, 3)), builder.tensor("y", (2, 3))
    builder.op("RELU", [x], [y])
    return builder, x, y


def test_models_are_recognised_by_the_file_identifier(tmp_path: Path) -> None:
    (tmp_path / "net.tflite").write_bytes(SMALL)
    assert PARSER.sniff(ModelSource(tmp_path))
    assert PARSER.sniff(ModelSource(tmp_path / "net.tflite"))
    assert PARSER.sniff(ModelSource(model=SMALL))
    assert not PARSER.sniff(ModelSource(model=b"TFL3" + SMALL[8:]))
    assert not PARSER.sniff(ModelSource(tmp_path / "other.tflite"))
    assert lite.load_program(tmp_path).files == [str(tmp_path / "net.tflite")]


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "net.tflite")
    assert not PARSER.sniff(ModelSource(tmp_path / "net.tflite"))


def test_parameters_beside_a_model_are_refused() -> None:
    with pytest.raises(ModelParseError, match="a TFLite model contains its parameters; name the model only"):
        PARSER.parse(ModelSource(model=SMALL, params=b""))


def test_saving_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelParseError, match="programs cannot be saved as TFLite; save as paddle"):
        PARSER.save(lite.load_program(ModelSource(model=SMALL)), tmp_path, combined=True)


def test_inputs_and_outputs_have_the_names_of_the_file() -> None:
    builder = TfliteBuilder()
    same = [builder.tensor("x", (2,)), builder.tensor("x", (2,)), builder.tensor("y", (2,))]
    builder.op("ADD", same[:2], same[2:])
    predictor = lite.create_predictor(lite.Config(model_buffer=builder.model(same[:2], same[2:])))
    assert predictor.input_names == ["x", "x.1"]
    assert predictor.output_names == ["y"]


def test_another_version_is_refused() -> None:
    builder, x, y = relu()
    assert message(builder.model([x], [y], version=2)) == (
        "expected version 3 of the schema, got 2; convert the model again"
    )


def test_all_unsupported_ops_are_listed_at_once() -> None:
    builder, x, y = relu()
    builder.op("CUSTOM", [x], [y])
    builder.codes[-1][1] = "Convolution2DTransposeBias"
    builder.operators.append(Fields({0: ("I", 2)}))
    builder.codes.append(Fields({0: ("b", 127), 3: ("i", 136)}))
    text = message(builder.model([x], [y]))
    assert (
        text == "2 TFLite op types are not supported: CUSTOM:Convolution2DTransposeBias (1x), HASHTABLE (1x)"
    )


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        (1, ("b", 5), "tensor 'y': the element type of number 5 is not supported"),
        (0, np.array([-2], np.int32), "tensor 'y': expected at most 32 sizes from 0 on, got [-2]"),
        (2, ("I", 9), "tensor 'y': expected a buffer from 0 to 0, got 9"),
        (
            5,
            ("?", True),
            "tensor 'y': variable tensors are not supported as outputs; export a model without state",
        ),
        (3, b"\xff", "field 3: a string is not UTF-8: invalid start byte"),
    ],
)
def test_tensors_that_cannot_be_read_are_refused(field: int, value: object, expected: str) -> None:
    builder, x, y = relu()
    builder.tensors[y][field] = value
    assert message(builder.model([x], [y])) == expected


@pytest.mark.parametrize(
    ("quantisation", "expected"),
    [
        ({2: np.array([0.0], np.float32)}, "tensor 'y': expected positive scales, got [0.]"),
        ({2: np.array([np.nan], np.float32)}, "tensor 'y': expected positive scales, got [nan]"),
        (
            {2: np.ones(2, np.float32), 6: ("i", 1)},
            "tensor 'y': expected one scale or one per slice of axis 1 of [2, 3], got 2",
        ),
        (
            {2: np.ones(1, np.float32), 3: np.array([200], np.int64)},
            "tensor 'y': expected 1 zero points of type int8, got [200]",
        ),
    ],
)
def test_wrong_quantisation_is_refused(quantisation: dict[int, object], expected: str) -> None:
    builder, x, y = relu()
    builder.tensors[y] |= {1: ("b", 9), 4: Fields(quantisation)}
    assert message(builder.model([x], [y])) == expected


def test_a_constant_of_another_size_is_refused() -> None:
    builder = TfliteBuilder()
    x = builder.constant("x", np.ones(3, np.float32))
    y = builder.tensor("y", (3,))
    builder.buffers[1] = Fields({0: b"123"})
    builder.op("RELU", [x], [y])
    assert message(builder.model([], [y])) == "tensor 'x': expected 12 bytes for float32[3], got 3"


def test_an_input_that_is_not_constant_is_refused_where_it_must_be() -> None:
    builder = TfliteBuilder()
    x, order, y = builder.tensor("x", (2, 3)), builder.tensor("o", (2,), "int32"), builder.tensor("y", (3, 2))
    builder.op("TRANSPOSE", [x, order], [y])
    text = message(builder.model([x, order], [y]))
    assert text == "operator 0 (TRANSPOSE): input 1 ('o'): expected a constant"


def test_a_tensor_that_no_op_computes_is_refused() -> None:
    builder, x, y = relu()
    builder.op("RELU", [builder.tensor("z", (2,))], [y])
    assert message(builder.model([x], [y])) == (
        "operator 1 (RELU): tensor 'z' is not computed before it is used"
    )


def test_references_outside_of_the_file_are_refused() -> None:
    for data in (b"\xff\0\0\0TFL3", struct.pack("<I", 8) + b"TFL3" + struct.pack("<i", 100)):
        assert "a reference leads to byte" in message(data)
    assert message(b"1234") == "expected at least 8 bytes, got 4"


def test_a_vector_that_exceeds_the_file_is_refused() -> None:
    data = struct.pack("<IIHHHxxiII", 16, 0, 6, 8, 4, 8, 4, 1000)
    with pytest.raises(
        ModelParseError, match="a vector at byte 24 has 1000 elements of 4 bytes, which exceed"
    ):
        Table.root(data).numbers(0, "i")


def test_damaged_models_load_or_are_refused() -> None:
    source = random.Random(1)
    cases = [*float_cases(), *quantised_cases()]
    refused = 0
    for _ in range(500):
        data = bytearray(source.choice(cases).model)
        for _ in range(source.randint(1, 4)):
            data[source.randrange(8, len(data))] = source.choice((0, 1, 2, 127, 128, 255))
        try:
            lite.create_predictor(lite.Config(model_buffer=bytes(data)))
        except LiteError:
            refused += 1
    assert 250 < refused < 500


def test_a_model_that_is_cut_short_is_refused(memory: None) -> None:
    for length in range(8, len(SMALL) // 2, 16):
        assert message(SMALL[:length])
