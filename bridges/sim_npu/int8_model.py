"""A compiled region in int8: its edges are real numbers, which the host makes of the chip's integers."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lite.bridges.sim_npu.faults import Injector
from lite.bridges.sim_npu.model import NpuModel
from lite.ir.graph import Quant
from lite.ir.quantized_arrays import dequantized, quantized
from lite.ir.types import Array, DType

if TYPE_CHECKING:
    from lite.bridges.sim_npu import sdk

_SIZE = struct.Struct("<I")


def pack_int8(inputs: Sequence[Quant], outputs: Sequence[Quant], blob: bytes) -> bytes:
    """The SDK's blob, after the scales and zero points of the edges."""
    edges = [[[quant.scale[0], quant.zero_point[0]] for quant in quants] for quants in (inputs, outputs)]
    text = json.dumps(edges).encode()
    return _SIZE.pack(len(text)) + text + blob


class Int8Model(NpuModel):
    """Quantises inputs and dequantises outputs on the host; the chip computes in integers."""

    def __init__(self, npu: sdk.Npu, blob: bytes, faults: Injector) -> None:
        (size,) = _SIZE.unpack_from(blob)
        inputs, outputs = json.loads(blob[_SIZE.size : _SIZE.size + size])
        super().__init__(npu, blob[_SIZE.size + size :], faults)
        self._stored = blob
        self._inputs, self._outputs = ([_quant(*pair) for pair in pairs] for pairs in (inputs, outputs))

    def run(self, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        integers = [quantized(array, quant) for array, quant in zip(inputs, self._inputs, strict=True)]
        results = super().run(integers, [None] * len(outputs))
        reals = [
            dequantized(result, quant, DType.FLOAT32) if result.dtype == np.int8 else result
            for result, quant in zip(results, self._outputs, strict=True)
        ]
        for real, output in zip(reals, outputs, strict=True):
            if output is not None and output.shape == real.shape:
                output[...] = real
        return [
            real if output is None or output.shape != real.shape else output
            for real, output in zip(reals, outputs, strict=True)
        ]

    def serialize(self) -> bytes:
        return self._stored


def _quant(scale: float, zero: int) -> Quant:
    return Quant((scale,), (zero,), -1, DType.INT8)
