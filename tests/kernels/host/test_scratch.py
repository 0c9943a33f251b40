"""Kernels that work in the plan's scratch compute what they compute without, whatever lies there before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lite.ir.program import AttrValue
from lite.ir.types import Array
from lite.kernels.host.workspace import cut, elements
from lite.ops import Meta, get_schema, infer
from lite.plugin.kernel import Attributes, PrepareContext, host_kernel
from lite.plugin.kernel.scratch import ScratchRequests
from lite.runtime.allocation import aligned_bytes


def draw(*shape: int, dtype: Any = np.float32) -> Array:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)


def in_scratch(
    op: str, inputs: Mapping[str, Array], attrs: Mapping[str, AttrValue], constants: Sequence[str]
) -> tuple[list[Array], list[Array], int]:
    """The outputs, unprepared and prepared with a workspace full of NaN, and the size of the workspace."""
    schema, kernel = get_schema(op), host_kernel(op)
    values = schema.attr_values(attrs)
    metas = {slot: [Meta.of(array, known=slot in constants)] for slot, array in inputs.items()}
    outputs = dict.fromkeys(list(schema.outputs)[: 3 if op == "layer_norm" else 1], 1)
    found = infer(schema, metas, values, outputs)
    requests = ScratchRequests()
    assert kernel.prepare is not None
    run = kernel.prepare(
        PrepareContext(
            metas, found, Attributes(op, values), lambda _, make: make(), request_scratch=requests.add
        )
    )
    assert run is not None
    workspace = aligned_bytes(requests.size, 64)
    workspace.fill(255)
    requests.place(workspace)
    arguments: list[Any] = [inputs.get(slot) for slot in kernel.slots]
    plain = kernel.run(*arguments, **kernel.keywords(values))
    buffers = [np.full([int(dim) for dim in meta[0].dims], 7, meta[0].dtype.numpy) for meta in found.values()]
    run(*arguments, out=buffers[0] if len(buffers) == 1 else tuple(buffers))
    own = run(*arguments)
    for one, other in zip(buffers, [own] if len(buffers) == 1 else own, strict=True):
        np.testing.assert_array_equal(one, other)
    return [plain] if len(buffers) == 1 else list(plain), buffers, requests.size


def pooling(kind: str, **more: AttrValue) -> dict[str, AttrValue]:
    return {"pooling_type": kind, "ksize": [3, 2], "strides": [2, 1], "paddings": [1, 0], **more}


def convolution(activation: str = "", **more: AttrValue) -> dict[str, AttrValue]:
    return {"activation": activation, "paddings": [1, 1], **more}


F16, BF16 = np.float16, ml_dtypes.bfloat16
CASES: dict[str, tuple[str, dict[str, Array], dict[str, AttrValue]]] = {
    "maximum": ("pool2d", {"X": draw(2, 3, 7, 8)}, pooling("max")),
    "average": ("pool2d", {"X": draw(2, 3, 7, 8)}, pooling("avg")),
    "average with its border": ("pool2d", {"X": draw(2, 3, 7, 8)}, pooling("avg", exclusive=False)),
    "average, ceil mode": ("pool2d", {"X": draw(1, 2, 8, 8)}, pooling("avg", ceil_mode=True)),
    "maximum of windows without borders": (
        "pool2d",
        {"X": draw(1, 2, 9, 8)},
        pooling("max", paddings=[0, 0]),
    ),
    "average in half precision": ("pool2d", {"X": draw(2, 3, 7, 8, dtype=F16)}, pooling("avg")),
    "maximum in NHWC": ("pool2d", {"X": draw(2, 7, 8, 3)}, pooling("max", data_format="NHWC")),
    "softmax of rows": ("softmax", {"X": draw(4, 5, 33)}, {"axis": -1}),
    "softmax of columns": ("softmax", {"X": draw(4, 5, 33)}, {"axis": 1}),
    "softmax in half precision": ("softmax", {"X": draw(4, 33, dtype=BF16)}, {"axis": -1}),
    "softmax of nothing": ("softmax", {"X": draw(0, 3)}, {"axis": -1}),
    "layer norm": (
        "layer_norm",
        {"X": draw(2, 3, 20), "Scale": draw(20), "Bias": draw(20)},
        {"begin_norm_axis": 2},
    ),
    "layer norm in half precision": ("layer_norm", {"X": draw(2, 20, dtype=F16)}, {"begin_norm_axis": 1}),
    "layer norm of a sum": (
        "skip_layernorm",
        {"X": draw(2, 3, 20), "Y": draw(2, 3, 20), "Scale": draw(20), "Bias": draw(20)},
        {"begin_norm_axis": 2},
    ),
    "fc": ("fc", {"Input": draw(6, 5), "W": draw(5, 4), "Bias": draw(4)}, {"activation": "hard_swish"}),
    "attention": ("fused_qkv_attention", {"QKV": draw(2, 7, 24)}, {"head_number": 2, "scale": 0.3}),
    "pixels repeated": (
        "nearest_interp_v2",
        {"X": draw(2, 3, 4, 5)},
        {"scale": [2.0, 3.0], "align_corners": False},
    ),
    "1×1": ("conv2d", {"Input": draw(2, 4, 6, 5), "Filter": draw(8, 4, 1, 1)}, {"activation": "swish"}),
    "1×1 with strides": (
        "conv2d",
        {"Input": draw(2, 4, 6, 5), "Filter": draw(8, 4, 1, 1)},
        {"strides": [2, 2]},
    ),
    "columns": ("conv2d", {"Input": draw(2, 4, 6, 5), "Filter": draw(8, 4, 3, 3)}, convolution("gelu")),
    "columns of groups": (
        "conv2d",
        {"Input": draw(2, 4, 6, 5), "Filter": draw(8, 2, 3, 3), "Bias": draw(8)},
        convolution("hard_swish", groups=2),
    ),
    "taps": ("conv2d", {"Input": draw(2, 16, 9, 9), "Filter": draw(8, 16, 3, 3)}, convolution("swish")),
    "one filter a channel": (
        "conv2d",
        {"Input": draw(2, 4, 6, 7), "Filter": draw(8, 1, 3, 3)},
        convolution("leaky_relu", groups=4, strides=[2, 1]),
    ),
    "transposed": (
        "conv2d_transpose",
        {"Input": draw(2, 4, 3, 5), "Filter": draw(4, 6, 3, 3)},
        convolution("hard_swish", strides=[2, 2]),
    ),
    "transposed, tiled": (
        "conv2d_transpose",
        {"Input": draw(2, 4, 3, 5), "Filter": draw(4, 6, 2, 2)},
        {"strides": [2, 2], "activation": "elu"},
    ),
}


@pytest.mark.parametrize(("op", "inputs", "attrs"), list(CASES.values()), ids=list(CASES))
def test_a_prepared_kernel_equals_an_unprepared_one(
    op: str, inputs: dict[str, Array], attrs: dict[str, AttrValue]
) -> None:
    plain, found, size = in_scratch(op, inputs, attrs, ["Filter"])
    assert size or not next(iter(inputs.values())).size
    for one, other in zip(plain, found, strict=True):
        assert one.dtype == other.dtype
        rough = one.dtype.itemsize < 4
        np.testing.assert_allclose(
            other.astype(np.float64), one.astype(np.float64), rtol=1e-2 if rough else 1e-5, atol=1e-6
        )


def test_arrays_of_a_workspace_do_not_overlap() -> None:
    shapes = [(3, 5), (0, 2), (), (17,)]
    workspace = np.zeros(elements(*shapes), np.float32)
    parts = list(cut(workspace, *shapes))
    assert [part.shape for part in parts] == shapes
    for number, part in enumerate(parts, 1):
        part.fill(number)
    assert [int((workspace == number).sum()) for number in range(5)] == [len(workspace) - 33, 15, 0, 1, 17]
    assert workspace.size == 16 + 0 + 16 + 32
