"""Naive buffers: recognition, the three layouts, and damage."""

from __future__ import annotations

import os
import random
import struct
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.errors import LiteError, ModelParseError
from lite.ir.program import Program, Weight
from lite.model_parser.paddlelite_nb.parser import NaiveBufferParser
from lite.plugin.format import ModelSource
from tests.model_parser.paddlelite_nb.programs import noise, op, program
from tests.model_parser.paddlelite_nb.writer import VERSION, naive_buffer

PARSER = NaiveBufferParser()
LAYOUTS = [0, 1, 2]


def scaled_product() -> Program:
    """tanh(2 x · w), with attributes of all types."""
    ops = [
        op("mul", {"X": "x", "Y": "w"}, {"Out": "a"}, x_num_col_dims=1, list=[1, 2], name="\N{SNOWMAN}"),
        op("scale", {"X": "a"}, {"Out": "a"}, scale=2.0, bias_after_scale=True, numbers=[0.5, 1.5]),
        op("tanh", {"X": "a"}, {"Out": "y"}, names=["a", "b"]),
    ]
    return program((2, 3), ops, {"w": noise(1, 3, 4)})


def parse(data: bytes) -> Program:
    return PARSER.parse(ModelSource(model=data))


def message(data: bytes) -> str:
    """The error for a model, without its name."""
    with pytest.raises(ModelParseError) as caught:
        parse(data)
    prefix = f"model buffer of {len(data)} bytes: "
    assert str(caught.value).startswith(prefix)
    return str(caught.value).removeprefix(prefix)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_model_is_recognised_by_its_header(layout: int, tmp_path: Path) -> None:
    data = naive_buffer(scaled_product(), layout)
    (tmp_path / "m.nb").write_bytes(data)
    assert PARSER.sniff(ModelSource(tmp_path))
    assert PARSER.sniff(ModelSource(tmp_path / "m.nb"))
    assert PARSER.sniff(ModelSource(model=data))
    read = lite.load_program(tmp_path / "m.nb")
    assert read.files == [str(tmp_path / "m.nb")]
    assert read.origin == {"producer": f"Paddle-Lite v2.13-rc, layout {layout}"}


@pytest.mark.parametrize(
    "head",
    [
        b"",
        struct.pack("<H16s", 2, VERSION),
        struct.pack("<H16sQ", 3, VERSION, 9),
        struct.pack("<H16sQ", 2, VERSION, 0),
        struct.pack("<H16sQ", 2, b"\0" * 16, 9),
        struct.pack("<H16sQ", 1, b"\xff\xfe", 9),
        b"\x0a" + b"a" * 40,
    ],
)
def test_other_content_is_not_a_naive_buffer(head: bytes) -> None:
    assert not PARSER.sniff(ModelSource(model=head))


def test_a_pipe_is_no_model(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "m.nb")
    assert not PARSER.sniff(ModelSource(tmp_path / "m.nb"))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_gives_attributes_and_weights_as_they_were_written(layout: int) -> None:
    written, read = scaled_product(), parse(naive_buffer(scaled_product(), layout))
    for before, after in zip(written.blocks[0].ops, read.blocks[0].ops, strict=True):
        before.attrs.pop("__@kernel_type_attr@__", None)
        assert (after.type, after.inputs, after.outputs) == (before.type, before.inputs, before.outputs)
        assert after.attrs == before.attrs
    np.testing.assert_array_equal(read.weights["w"].array, written.weights["w"].array)
    assert read.weights["w"].array.flags.aligned
    assert not read.weights["w"].array.flags.writeable
    x = read.blocks[0].vars["x"]
    assert (str(x.dtype), x.shape) == ("float32", (2, 3))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_runs(layout: int) -> None:
    x, w = noise(2, 2, 3), noise(1, 3, 4)
    predictor = lite.create_predictor(lite.Config(model_buffer=naive_buffer(scaled_product(), layout)))
    np.testing.assert_allclose(predictor.run({"x": x})["y"], np.tanh(2 * (x @ w)), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_missing_parameter_is_named(layout: int) -> None:
    made = scaled_product()
    made.weights = {"v": Weight(noise(1, 3, 4))}
    assert message(naive_buffer(made, layout)).startswith("the parameter 'w' is missing")


def test_parameters_beside_a_model_are_refused() -> None:
    with pytest.raises(ModelParseError, match="a naive buffer contains its parameters; name the model only"):
        PARSER.parse(ModelSource(model=naive_buffer(scaled_product()), params=b""))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_program_longer_than_the_file_is_refused(layout: int) -> None:
    data = naive_buffer(scaled_product(), layout)
    assert "follow the header; the file is cut short" in message(data[:100])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_file_that_is_cut_short_is_refused(layout: int) -> None:
    data = naive_buffer(scaled_product(), layout)
    for size in range(26, len(data) - 8, 7):
        assert message(data[:size])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_damaged_bytes_are_refused_or_read(layout: int) -> None:
    data, source = naive_buffer(scaled_product(), layout), random.Random(layout)
    refused = 0
    for _ in range(600):
        damaged = bytearray(data)
        for _ in range(source.choice((1, 1, 4))):
            place = source.randrange(26, len(damaged))
            damaged[place] = source.choice((0, 1, 0x7F, 0xFF, source.randrange(256)))
        try:
            parse(bytes(damaged))
        except LiteError:
            refused += 1
    assert 0 < refused < 600


def test_a_block_that_is_its_own_parent_is_refused() -> None:
    made = program((2,), [op("relu", {"X": "x"}, {"Out": "y"})], {}, blocks=[[], []])
    made.blocks[1].parent = 2
    made.blocks[2].parent = 1
    assert "are parents of one another" in message(naive_buffer(made))
