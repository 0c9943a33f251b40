"""Serialised models of the SDK."""

from __future__ import annotations

import dataclasses
import struct

import numpy as np
import pytest

from lite.bridges.sim_npu import sdk
from lite.bridges.sim_npu.sdk.blob import pack, unpack
from tests.bridges.arrays import floats, integers
from tests.bridges.sim_npu.sdk.program_run import graph_of


def blob() -> bytes:
    return sdk.compile(graph_of("ADD", integers(2, 3), integers(2, 3, seed=1), constants=[1]))


def test_unpack_restores_what_pack_wrote() -> None:
    program = unpack(blob())
    again = unpack(pack(program))

    assert program.sdk_version == sdk.version()
    assert [str(type_) for type_ in program.tensors] == ["int32[2, 3]"] * 3
    assert (program.inputs, program.outputs) == ([0], [2])
    np.testing.assert_array_equal(program.weights[1], integers(2, 3, seed=1))
    assert again.weights.keys() == {1}
    np.testing.assert_array_equal(again.weights[1], program.weights[1])
    assert dataclasses.replace(again, weights={}) == dataclasses.replace(program, weights={})


def test_attributes_are_restored() -> None:
    graph = graph_of("POOL_2D", floats(1, 1, 4, 4), mode="MAX", kernel=(2, 3), count_padding=True)
    (instruction,) = unpack(sdk.compile(graph)).instructions

    assert instruction.attributes == {
        "mode": "MAX",
        "kernel": [2, 3],
        "stride": 1,
        "pads": [0, 0, 0, 0],
        "count_padding": True,
    }


def test_every_truncated_blob_is_an_error() -> None:
    whole = blob()
    for size in range(len(whole)):
        with pytest.raises(sdk.NpuError) as caught:
            unpack(whole[:size])
        assert caught.value.status is sdk.Status.BLOB_CORRUPT


def test_every_flipped_bit_is_an_error() -> None:
    whole = blob()
    for position in range(len(whole)):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << position % 8
        with pytest.raises(sdk.NpuError) as caught:
            unpack(bytes(damaged))
        assert caught.value.status in (sdk.Status.BLOB_CORRUPT, sdk.Status.BLOB_VERSION)


@pytest.mark.parametrize(
    ("damaged", "sentence"),
    [
        (b"", "NPU-201 BLOB_CORRUPT: the blob has 0 bytes, its header alone 24"),
        (b"ELF!" + blob()[4:], "NPU-201 BLOB_CORRUPT: these bytes are not a SimNPU model"),
        (blob() + b"\0", "NPU-201 BLOB_CORRUPT: expected {size} bytes after the header, got {more}"),
        (blob()[:-1] + b"\1", "NPU-201 BLOB_CORRUPT: the checksum of the blob is wrong"),
        (
            blob()[:4] + struct.pack("<I", 2) + blob()[8:],
            "NPU-202 BLOB_VERSION: the blob has format 2, this SDK reads format 1",
        ),
    ],
)
def test_damaged_blobs_have_messages(damaged: bytes, sentence: str) -> None:
    size = len(blob()) - 24

    with pytest.raises(sdk.NpuError) as caught:
        sdk.Npu().load(damaged)

    assert str(caught.value) == sentence.format(size=size, more=size + 1)


def test_a_blob_of_another_major_version_is_an_error() -> None:
    newer = dataclasses.replace(unpack(blob()), sdk_version="3.0.0")
    older = dataclasses.replace(unpack(blob()), sdk_version="2.0.5")

    with pytest.raises(
        sdk.NpuError, match=r"NPU-202 BLOB_VERSION: the blob was made by SDK 3.0.0, this is SDK 2.1.0"
    ):
        unpack(pack(newer))
    assert unpack(pack(older)).sdk_version == "2.0.5"
