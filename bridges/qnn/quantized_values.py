"""What the HTP takes of quantised values."""

from __future__ import annotations

from lite.ir.types import DType
from lite.plugin.device import BridgeOp

_STORAGES = (DType.INT8, DType.UINT8)


def why_not_quantized(op: BridgeOp) -> str | None:
    """Why a quantised input or output of an op does not fit; None when all do."""
    values = [*op.node.all_inputs(), *(value for value in op.node.all_outputs() if value.is_used)]
    for value in values:
        quant = value.quant
        if quant is None or value.data is not None:
            continue
        if quant.per_axis or quant.storage not in _STORAGES:
            return f"{value!r} is quantised as {quant}; the HTP's activations are int8 or uint8 of one scale"
    return None
