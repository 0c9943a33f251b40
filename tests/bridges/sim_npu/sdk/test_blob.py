from __future__ import annotations

import dataclasses
import struct

import numpy as np
import pytest

from lite.bridges.sim_npu import sdk
from lite.bridges.sim_npu.sdk.blob import pack, unpack
from tests.bridges.sim_npu.sdk.program_run import built, floats, integers


def blob() -> bytes:
    return sdk.compile(built("ADD", integers(2, 3), integers(2, 3, seed=1), constants=[1]))


def test_what_is_packed_is_unpacked() -> None:
    program = unpack(blob())
    again = unpack(pack(program))

    assert program.sdk_version == sdk.version()
    assert [str(found) for found in program.tensors] == ["int32[2, 3]"] * 3
    assert (program.inputs, program.outputs) == ([0], [2])
    np.testing.assert_array_equal(program.weights[1], integers(2, 3, seed=1))
    assert again.weights.keys() == {1}
    np.testing.assert_array_equal(again.weights[1], program.weights[1])
    assert dataclasses.replace(again, weights={}) == dataclasses.replace(program, weights={})


def test_attributes_survive() -> None:
    graph = built("POOL_2D", floats(1, 1, 4, 4), mode="MAX", kernel=(2, 3), count_padding=True)
    (instruction,) = unpack(sdk.compile(graph)).instructions

    assert instruction.attributes == {
        "mode": "MAX",
        "kernel": [2, 3],
        "stride": 1,
        "pads": [0, 0, 0, 0],
        "count_padding": True,
    }


def test_every_truncation_is_refused() -> None:
    whole = blob()
    for size in range(len(whole)):
        with pytest.raises(sdk.NpuError) as caught:
            unpack(whole[:size])
        assert caught.value.status is sdk.Status.BLOB_CORRUPT


def test_every_flipped_bit_is_refused() -> None:
    whole = blob()
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        with pytest.raises(sdk.NpuError) as caught:
            unpack(bytes(damaged))
        assert caught.value.status in (sdk.Status.BLOB_CORRUPT, sdk.Status.BLOB_VERSION)


@pytest.mark.parametrize(
    ("damaged", "sentence"),
    [
        (b"", "NPU-201 BLOB_CORRUPT: a header has 24 bytes, the blob 0"),
        (b"ELF!" + blob()[4:], "NPU-201 BLOB_CORRUPT: this is no blob of a SimNPU model"),
        (blob() + b"\0", "NPU-201 BLOB_CORRUPT: {size} bytes should follow the header, got {more}"),
        (blob()[:-1] + b"\1", "NPU-201 BLOB_CORRUPT: the checksum is wrong"),
        (
            blob()[:4] + struct.pack("<I", 2) + blob()[8:],
            "NPU-202 BLOB_VERSION: the blob has format 2, this SDK reads 1",
        ),
    ],
)
def test_what_is_said_of_damage(damaged: bytes, sentence: str) -> None:
    size = len(blob()) - 24

    with pytest.raises(sdk.NpuError) as caught:
        sdk.Npu().load(damaged)

    assert str(caught.value) == sentence.format(size=size, more=size + 1)


def test_a_blob_of_another_major_version() -> None:
    newer = dataclasses.replace(unpack(blob()), sdk_version="3.0.0")
    older = dataclasses.replace(unpack(blob()), sdk_version="2.0.5")

    with pytest.raises(
        sdk.NpuError, match=r"NPU-202 BLOB_VERSION: the blob is of SDK 3.0.0, this is SDK 2.1.0"
    ):
        unpack(pack(newer))
    assert unpack(pack(older)).sdk_version == "2.0.5"
