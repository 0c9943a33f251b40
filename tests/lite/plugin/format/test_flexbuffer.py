"""Scalars of FlexBuffers written by the FlatBuffers project's own library, and damaged ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lite.errors import ModelParseError
from lite.plugin.format.flexbuffer import read_map


def written(values: dict[str, Any]) -> bytes:
    flexbuffers = pytest.importorskip("flatbuffers.flexbuffers", reason="it writes the buffers")
    return bytes(flexbuffers.Dumps(values))


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"a": 1},
        {"flag": True, "off": False, "small": -3, "large": 2**40, "half": 0.5, "third": 1 / 3},
        {f"key {n}": n * 1000 for n in range(300)},
        {"z": 2**62 + 1, "a": -(2**62)},
    ],
)
def test_numbers_and_booleans_are_read(values: dict[str, Any]) -> None:
    found = read_map(written(values))
    assert found == values
    assert {key: type(value) for key, value in found.items()} == {k: type(v) for k, v in values.items()}


def test_other_values_are_left_out() -> None:
    data = written({"list": [1, 2], "map": {"x": 1}, "nothing": None, "number": 7, "text": "word"})
    assert read_map(data) == {"number": 7}


def test_a_root_that_is_no_map_is_refused() -> None:
    flexbuffers = pytest.importorskip("flatbuffers.flexbuffers", reason="it writes the buffers")
    with pytest.raises(
        ModelParseError, match="expected a map of FlexBuffers, got 3 bytes: the root has type 1"
    ):
        read_map(bytes(flexbuffers.Dumps(7)))


def test_damaged_bytes_are_refused_or_read() -> None:
    data = np.frombuffer(written({"flag": True, "half": 0.1, "large": 2**40, "word": "text"}), np.uint8)
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(2000):
        damaged = data[: rng.integers(len(data) + 1)].copy()
        for _ in range(rng.integers(3)):
            if len(damaged):
                damaged[rng.integers(len(damaged))] = rng.integers(256)
        try:
            read_map(damaged.tobytes())
        except ModelParseError:
            refused += 1
    assert refused > 1000


def test_a_number_of_an_impossible_width_is_refused() -> None:
    data = bytearray(written({"half": 0.5}))
    # The number becomes a reference to a number of one byte, which is the byte before it.
    data[-8:-3] = bytes([1, 0, 0, 0, 8 << 2])
    with pytest.raises(ModelParseError, match="expected a map of FlexBuffers"):
        read_map(bytes(data))
