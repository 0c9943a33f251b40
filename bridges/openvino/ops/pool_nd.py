"""pool_nd: ONNX's poolings over any number of axes."""

from __future__ import annotations

from lite.bridges.openvino.builder import Builder, Tensor
from lite.bridges.openvino.row import Row
from lite.plugin.device import BridgeOp, bridge


def _why_not(op: BridgeOp) -> str | None:
    if not 3 <= op["X"].rank <= 5:
        return f"X is {op['X']}: OpenVINO pools over one to three axes"
    kind = op.text("pooling_type")
    if kind == "lp":
        return "its windows make p-norms (pooling_type='lp')"
    if kind == "avg" and any(step != 1 for step in op.integers("dilations")):
        return f"averages of dilated windows, dilations are {op.integers('dilations')}"
    if kind == "avg" and op.flag("ceil_mode"):
        return "averages of windows that may end outside of the image (ceil_mode=true)"
    if op.text("padding_algorithm") == "SAME" and not op.flag("exclusive"):
        return "averages over padding SAME that count it"
    if min(op.integers("paddings")) < 0:
        return f"paddings are {op.integers('paddings')}; OpenVINO takes none below 0"
    return None


def _pool(b: Builder, op: BridgeOp, x: Tensor) -> Tensor:
    axes = op["X"].rank - 2
    ksize, strides = op.integers("ksize"), op.integers("strides")
    pads, dilations = op.integers("paddings"), op.integers("dilations")
    step = len(pads) // axes
    before, after = pads[::step], pads[step - 1 :: step]
    auto = {"SAME": "same_upper", "VALID": "valid"}.get(op.text("padding_algorithm"), "explicit")
    if op.text("pooling_type") == "avg":
        return b.op.avg_pool(x, strides, before, after, ksize, op.flag("exclusive"), "floor", auto)
    rounding = "ceil_torch" if op.flag("ceil_mode") else "floor"
    if auto == "same_upper":
        dilations = [1] * axes
    return b.op.max_pool(x, strides, dilations, before, after, ksize, rounding, auto).output(0)


bridge("openvino", "pool_nd")(Row("X", _pool, why=_why_not))
