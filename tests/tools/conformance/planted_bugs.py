"""Bugs that vendors make, planted into sim_npu: wrong operators, and a device that breaks its promises."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lite.bridges.sim_npu.device import SimNpu
from lite.bridges.sim_npu.model import NpuGroup, NpuModel
from lite.bridges.sim_npu.sdk import operators  # noqa: F401 - fills the table
from lite.bridges.sim_npu.sdk.operator import OPERATORS, Execute
from lite.ir.graph import Graph
from lite.ir.types import Array
from lite.plugin.device import Evidence, Signature

Values = Mapping[str, Any]
Change = Callable[[list[Array], dict[str, Any]], tuple[list[Array], dict[str, Any]]]
Plant = Callable[[], AbstractContextManager[None]]

RIGHT = {kind: entry.execute for kind, entry in OPERATORS.items()}
"""The operators without a bug."""


@dataclass(frozen=True)
class Bug:
    """A bug, the op or the section of the kit that has to show it, and how to plant it.

    `device` is the device's text; a bug without a plant is an option there.
    """

    name: str
    op: str = ""
    section: str = "ops"
    plant: Plant | None = None
    device: str = "sim_npu"


@contextmanager
def _operator(kind: str, execute: Execute) -> Iterator[None]:
    original = OPERATORS[kind]
    OPERATORS[kind] = replace(original, execute=execute)
    try:
        yield
    finally:
        OPERATORS[kind] = original


def _before(kind: str, change: Change) -> Plant:
    """The operator computes with changed inputs or attributes."""
    right = OPERATORS[kind].execute

    def execute(inputs: Sequence[Array], attributes: Values) -> Sequence[Array]:
        return right(*change(list(inputs), dict(attributes)))

    return lambda: _operator(kind, execute)


def _attribute(kind: str, name: str, change: Callable[[Any], Any]) -> Plant:
    return _before(kind, lambda inputs, attributes: (inputs, {**attributes, name: change(attributes[name])}))


def _instead(kind: str, execute: Callable[[Sequence[Array], Values], Sequence[Array]]) -> Plant:
    return lambda: _operator(kind, execute)


@contextmanager
def _method(cls: type[Any], name: str, new: Callable[..., Any]) -> Iterator[None]:
    old = getattr(cls, name)
    setattr(cls, name, new)
    try:
        yield
    finally:
        setattr(cls, name, old)


def _without_bias(inputs: list[Array], attributes: dict[str, Any]) -> tuple[list[Array], dict[str, Any]]:
    return inputs[:2], attributes


def _weights(change: Callable[[Array], Array]) -> Change:
    return lambda inputs, attributes: ([inputs[0], change(inputs[1]), *inputs[2:]], attributes)


def _same_size(kind: str, name: str, change: Callable[[Any], Any]) -> Plant:
    """A changed attribute, and a result cut or filled to the right size, so that only values are wrong."""
    right = OPERATORS[kind].execute

    def execute(inputs: Sequence[Array], attributes: Values) -> Sequence[Array]:
        expected = right(inputs, dict(attributes))[0].shape
        (wrong,) = right(inputs, {**attributes, name: change(attributes[name])})
        return [np.resize(wrong, expected)]

    return _instead(kind, execute)


def _max_over_zeros(inputs: Sequence[Array], attributes: Values) -> Sequence[Array]:
    right = RIGHT["POOL_2D"]
    top, bottom, left, right_pad = attributes["pads"]
    image = np.pad(inputs[0], ((0, 0), (0, 0), (top, bottom), (left, right_pad)))
    return right([image], {**attributes, "pads": [0, 0, 0, 0]})


def _global_maximum(inputs: list[Array], attributes: dict[str, Any]) -> tuple[list[Array], dict[str, Any]]:
    is_global = list(inputs[0].shape[2:]) == list(attributes["kernel"])
    return inputs, {**attributes, "mode": "MAX"} if is_global else attributes


def _joined_along_the_first(inputs: Sequence[Array], attributes: Values) -> Sequence[Array]:
    (right,) = RIGHT["CONCAT"](inputs, dict(attributes))
    return [np.concatenate([each.reshape(-1) for each in inputs]).reshape(right.shape)]


def _split_from_the_end(inputs: Sequence[Array], attributes: Values) -> Sequence[Array]:
    right = RIGHT["SPLIT"]
    parts = right(inputs, dict(attributes))
    return [np.resize(wrong, part.shape) for wrong, part in zip(parts[::-1], parts, strict=True)]


def _shift_first(inputs: Sequence[Array], _: Values) -> Sequence[Array]:
    x, scale, shift = inputs
    shape = (-1, *(1,) * (x.ndim - 2))
    return [(x + shift.reshape(shape)) * scale.reshape(shape)]


def _normalised(inputs: list[Array], attributes: dict[str, Any]) -> tuple[list[Array], dict[str, Any]]:
    return [inputs[0], inputs[1], np.zeros_like(inputs[2])], attributes


def _overwritten() -> AbstractContextManager[None]:
    right = NpuModel.run
    kept: dict[Any, Any] = {}

    def run(self: NpuModel, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        results = right(self, inputs, outputs)
        return [
            _copied(kept.setdefault((n, each.shape), np.empty_like(each)), each)
            for n, each in enumerate(results)
        ]

    return _method(NpuModel, "run", run)


def _copied(target: Array, source: Array) -> Array:
    target[...] = source
    return target


def _stale() -> AbstractContextManager[None]:
    """A load that returns zeros, as with a weight section that is not read."""
    right = SimNpu.load

    def load(self: SimNpu, blob: bytes) -> NpuModel:
        model = right(self, blob)
        run = model.run

        def zeros(inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
            return [each * 0 for each in run(inputs, outputs)]

        model.run = zeros  # type: ignore[method-assign]
        return model

    return _method(SimNpu, "load", load)


def _swapped_group() -> AbstractContextManager[None]:
    """Models that were compiled together, in another order than their parts."""
    right = SimNpu.compile_all

    def compile_all(self: SimNpu, parts: Sequence[tuple[Graph, Signature]]) -> NpuGroup:
        group = right(self, parts)
        return NpuGroup(group.models[::-1], group.serialize())

    return _method(SimNpu, "compile_all", compile_all)


def _writes_input() -> AbstractContextManager[None]:
    right = NpuModel.run

    def run(self: NpuModel, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> list[Array]:
        results = right(self, inputs, outputs)
        for each in inputs:
            each.setflags(write=True)
            each[...] = 0
        return results

    return _method(NpuModel, "run", run)


def _on_cpu() -> AbstractContextManager[None]:
    def evidence(_: NpuModel) -> Evidence:
        return Evidence("SimNPU's program", 0, ("all nodes on the CPU",))

    return _method(NpuModel, "evidence", evidence)


def _float32(slope: float) -> Callable[[Sequence[Array], Values], Sequence[Array]]:
    return lambda inputs, _: [inputs[0] * np.clip(inputs[0] * np.float32(slope) + np.float32(0.5), 0, 1)]


_SWAPPED = _before("DIV", lambda inputs, attributes: (inputs[::-1], attributes))

BUGS = (
    Bug("convolution without bias", "conv2d", plant=_before("CONV_2D", _without_bias)),
    Bug(
        "convolution with mirrored filter",
        "conv2d",
        plant=_before("CONV_2D", _weights(lambda w: w[:, :, ::-1, ::-1])),
    ),
    Bug("convolution with swapped filters", "conv2d", plant=_before("CONV_2D", _weights(lambda w: w[::-1]))),
    Bug("convolution without dilation", "conv2d", plant=_same_size("CONV_2D", "dilation", lambda _: 1)),
    Bug("convolution without stride", "conv2d", plant=_same_size("CONV_2D", "stride", lambda _: 1)),
    Bug(
        "convolution padded on the wrong sides",
        "conv2d",
        plant=_same_size("CONV_2D", "pads", lambda p: [p[1], p[0], p[3], p[2]]),
    ),
    Bug(
        "depthwise convolution with swapped channels",
        "conv2d",
        plant=_before("CONV_2D", _weights(lambda w: np.roll(w, 1, 0))),
    ),
    Bug(
        "transposed convolution without bias or groups",
        "conv2d_transpose",
        plant=_before("CONV_TRANSPOSE_2D", _weights(lambda w: np.roll(w, 1, 0))),
    ),
    Bug(
        "transposed convolution with mirrored filter",
        "conv2d_transpose",
        plant=_before("CONV_TRANSPOSE_2D", _weights(lambda w: w[:, :, ::-1, ::-1])),
    ),
    Bug(
        "transposed convolution padded on the wrong sides",
        "conv2d_transpose",
        plant=_same_size("CONV_TRANSPOSE_2D", "pads", lambda p: [p[1], p[0], p[3], p[2]]),
    ),
    Bug(
        "average that counts the padding",
        "pool2d",
        plant=_attribute("POOL_2D", "count_padding", lambda flag: not flag),
    ),
    Bug("maximum over padded zeros", "pool2d", plant=_instead("POOL_2D", _max_over_zeros)),
    Bug(
        "pool padded on the wrong sides",
        "pool2d",
        plant=_same_size("POOL_2D", "pads", lambda p: [p[1], p[0], p[3], p[2]]),
    ),
    Bug("global average as maximum", "pool2d", plant=_before("POOL_2D", _global_maximum)),
    Bug("pool with another window", "pool2d", plant=_same_size("POOL_2D", "kernel", lambda k: [k[1], k[0]])),
    Bug(
        "concat in the wrong order",
        "concat",
        plant=_before("CONCAT", lambda inputs, attributes: (inputs[::-1], attributes)),
    ),
    Bug("concat along the wrong axis", "concat", plant=_instead("CONCAT", _joined_along_the_first)),
    Bug("split in the wrong order", "split", plant=_instead("SPLIT", _split_from_the_end)),
    Bug(
        "transpose by the inverse permutation",
        "transpose2",
        plant=_same_size("TRANSPOSE", "order", lambda order: [order.index(n) for n in range(len(order))]),
    ),
    Bug(
        "reshape in the order of columns",
        "reshape2",
        plant=_instead(
            "RESHAPE", lambda inputs, attributes: [inputs[0].reshape(attributes["shape"], order="F")]
        ),
    ),
    Bug(
        "slice without steps",
        "strided_slice",
        plant=_same_size("SLICE", "steps", lambda steps: [1] * len(steps)),
    ),
    Bug("slice from the start", "slice", plant=_same_size("SLICE", "begin", lambda begin: [0] * len(begin))),
    Bug("padding with zeros only", "pad_nd", plant=_attribute("PAD", "value", lambda _: 0.0)),
    Bug(
        "product with a transposed matrix",
        "matmul_v2",
        plant=_attribute("MATMUL", "transpose_b", lambda flag: not flag),
    ),
    Bug(
        "softmax over the last axis",
        "softmax",
        plant=_before(
            "SOFTMAX", lambda inputs, attributes: (inputs, {**attributes, "axis": inputs[0].ndim - 1})
        ),
    ),
    Bug("layer norm without epsilon", "layer_norm", plant=_attribute("LAYER_NORM", "epsilon", lambda _: 0.0)),
    Bug("layer norm without beta", "layer_norm", plant=_before("LAYER_NORM", _normalised)),
    Bug("batch norm that shifts before it scales", "batch_norm", plant=_instead("SCALE_SHIFT", _shift_first)),
    Bug(
        "mean as sum",
        "reduce_mean",
        plant=_instead(
            "REDUCE_MEAN",
            lambda inputs, attributes: [inputs[0].sum(tuple(attributes["axes"]), keepdims=True)],
        ),
    ),
    Bug(
        "resize with other corners",
        "bilinear_interp_v2",
        plant=_attribute("RESIZE", "align", lambda _: "TOP"),
    ),
    Bug(
        "nearest resize with other corners",
        "nearest_interp_v2",
        plant=_attribute("RESIZE", "align", lambda align: "CORNERS" if align == "TOP" else "TOP"),
    ),
    Bug(
        "leaky relu with a fixed slope", "leaky_relu", plant=_attribute("LEAKY_RELU", "alpha", lambda _: 0.01)
    ),
    Bug("relu6 without its upper limit", "relu6", plant=_attribute("CLIP", "high", lambda _: 1e6)),
    Bug(
        "hard sigmoid with a fixed slope",
        "hard_sigmoid",
        plant=_attribute("HARD_SIGMOID", "slope", lambda _: 1 / 6),
    ),
    Bug("hard swish with another slope", "hard_swish", plant=_instead("HARD_SWISH", _float32(0.2))),
    Bug("division with swapped operands", "elementwise_div", plant=_SWAPPED),
    Bug("a stored model with other weights", section="cache", plant=_stale),
    Bug("a group whose models are swapped", section="cache", plant=_swapped_group),
    Bug("a result that the next run overwrites", section="runs", plant=_overwritten),
    Bug("a run that writes to its inputs", section="runs", plant=_writes_input),
    Bug("the CPU instead of the chip", section="runs", plant=_on_cpu),
    Bug("a process that ends", "relu", device="sim_npu{kill=1}"),
    Bug("a constant version", section="device", plant=lambda: _method(SimNpu, "version", lambda _: "SimNPU")),
)
