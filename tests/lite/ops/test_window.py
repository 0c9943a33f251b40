"""Windows on known and symbolic sizes, and the shape rules built on them."""

from __future__ import annotations

from typing import Any

import pytest

from lite.errors import GraphError
from lite.ir.types import DType, Shape
from lite.ops import Meta, get_schema, infer
from lite.ops.window import Window, channels, image_shape, spatial, windows


@pytest.mark.parametrize(
    ("window", "size", "ceil", "out"),
    [
        (Window(3, 1, 1, 1, 1), 7, False, 7),
        (Window(3, 2, 1, 1, 1), 7, False, 4),
        (Window(3, 2, 2, 0, 1), 8, False, 3),
        (Window(3, 2, 1, 0, 0), 8, False, 3),
        (Window(3, 2, 1, 0, 0), 8, True, 4),
        (Window(3, 1, 1, 1, 1), "h", False, "h"),
        (Window(1, 1, 1, 0, 0), "h", True, "h"),
        (Window(3, 1, 1, 0, 1), "h", False, "?"),
        (Window(3, 2, 1, 1, 1), "h", False, "?"),
        (Window(3, 1, 1, 0, 0, same=True), "h", False, "h"),
    ],
)
def test_out_counts_positions(window: Window, size: int | str, ceil: bool, out: int | str) -> None:
    assert window.out(size, ceil) == out


@pytest.mark.parametrize(("size", "extra", "out"), [(4, 0, 7), (4, 2, 9), ("h", 0, "?")])
def test_transposed_is_the_inverse_of_out(size: int | str, extra: int, out: int | str) -> None:
    assert Window(3, 2, 1, 1, 1).transposed(size, extra) == out


@pytest.mark.parametrize(
    ("paddings", "algorithm", "wanted"),
    [
        ([1, 2], "EXPLICIT", [Window(3, 2, 2, 1, 1), Window(2, 1, 1, 2, 2)]),
        ([1, 2, 3, 4], "EXPLICIT", [Window(3, 2, 2, 1, 2), Window(2, 1, 1, 3, 4)]),
        ([1, 2], "VALID", [Window(3, 2, 2, 0, 0), Window(2, 1, 1, 0, 0)]),
        ([1, 2], "SAME", [Window(3, 2, 1, 0, 1, same=True), Window(2, 1, 1, 0, 1, same=True)]),
    ],
)
def test_padding_algorithms_are_those_of_paddle(
    paddings: list[int], algorithm: str, wanted: list[Window]
) -> None:
    assert windows([6, 5], [3, 2], [2, 1], [2, 1], paddings, algorithm) == wanted


@pytest.mark.parametrize("layout", ["NCHW", "nchw", "AnyLayout", "NHWC", "nhwc"])
def test_layouts_have_their_spatial_axes(layout: str) -> None:
    dims = (1, 5, 6, 3) if layout.lower() == "nhwc" else (1, 3, 5, 6)

    assert channels(layout, dims) == 3
    assert spatial(layout, dims) == [5, 6]
    assert image_shape(layout, 1, 3, [5, 6]) == dims


def shape_of(op: str, inputs: dict[str, Shape | None], attrs: dict[str, Any]) -> Shape | None:
    schema = get_schema(op)
    metas = {slot: [Meta(DType.FLOAT32, shape)] for slot, shape in inputs.items()}
    (output,) = [slot for slot, spec in schema.outputs.items() if not spec.optional]
    return infer(schema, metas, schema.attr_values(attrs), {output: 1})[output][0].shape


@pytest.mark.parametrize(
    ("op", "inputs", "attrs", "shape"),
    [
        (
            "conv2d",
            {"Input": ("n", 3, "h", 8), "Filter": (4, 3, 3, 3)},
            {"paddings": [1, 1]},
            ("n", 4, "h", 8),
        ),
        (
            "conv2d",
            {"Input": ("n", 3, "h", 8), "Filter": (4, 3, 3, 3)},
            {"padding_algorithm": "SAME", "strides": [1, 2]},
            ("n", 4, "h", 4),
        ),
        (
            "conv2d",
            {"Input": ("n", "h", 8, 3), "Filter": (4, 3, 1, 1)},
            {"data_format": "NHWC"},
            ("n", "h", 8, 4),
        ),
        ("conv2d", {"Input": (1, 3, 8, 8), "Filter": ("o", 3, "k", "k")}, {}, (1, "o", "?", "?")),
        ("conv2d", {"Input": None, "Filter": (4, 3, 3, 3)}, {}, None),
        (
            "conv2d_transpose",
            {"Input": ("n", 3, "h", 8), "Filter": (3, 2, 2, 2)},
            {"strides": [2, 2], "groups": 3},
            ("n", 6, "?", 16),
        ),
        ("pool2d", {"X": ("n", 3, "h", "w")}, {"adaptive": True, "ksize": [2, 3]}, ("n", 3, 2, 3)),
        ("pool2d", {"X": ("n", 3, "h", "w")}, {"global_pooling": True}, ("n", 3, 1, 1)),
        ("pool2d", {"X": ("n", "c", "h", 9)}, {"ksize": [3, 3], "strides": [1, 2]}, ("n", "c", "?", 4)),
        (
            "max_pool2d_with_index",
            {"X": ("n", 3, 8, "w")},
            {"ksize": [2, 2], "strides": [2, 2]},
            ("n", 3, 4, "?"),
        ),
        ("nearest_interp_v2", {"X": ("n", 3, "h", 8)}, {"scale": [2.0, 2.0]}, ("n", 3, "?", 16)),
        (
            "nearest_interp_v2",
            {"X": ("n", "h", "w", 3)},
            {"out_h": 4, "out_w": 5, "data_layout": "NHWC"},
            ("n", 4, 5, 3),
        ),
        ("linear_interp_v2", {"X": ("n", 3, "w")}, {"out_w": 5}, ("n", 3, 5)),
        ("pad", {"X": ("n", 3)}, {"paddings": [0, 0, 1, 1]}, ("n", 5)),
        ("pad2d", {"X": ("n", 3, "h", 4)}, {"paddings": [1, 0, 1, 1]}, ("n", 3, "?", 6)),
        ("pad3d", {"X": ("n", 3, "d", 4, 5)}, {"paddings": [1, 2, 0, 0, 0, 0]}, ("n", 3, "d", 4, 8)),
        ("layer_norm", {"X": ("n", "t", 8)}, {"begin_norm_axis": 2}, ("n", "t", 8)),
        ("p_norm", {"X": ("n", "t", 8)}, {"axis": 1}, ("n", 8)),
        ("pixel_shuffle", {"X": ("n", 8, "h", 3)}, {"upscale_factor": 2}, ("n", 2, "?", 6)),
        ("unfold", {"X": ("n", 2, 4, 4)}, {"kernel_sizes": [2, 2]}, ("n", 8, 9)),
        ("im2sequence", {"X": ("n", 2, 4, 4)}, {"kernels": [2, 2]}, ("?", 8)),
        ("grid_sampler", {"X": ("n", 2, "h", "w"), "Grid": ("n", 5, "v", 2)}, {}, ("n", 2, 5, "v")),
        ("affine_grid", {"Theta": ("n", 2, 3)}, {"output_shape": [1, 3, 4, 5]}, ("n", 4, 5, 2)),
        (
            "correlation",
            {"Input1": ("n", 3, 9, "w"), "Input2": ("n", 3, 9, "w")},
            {"pad_size": 1},
            ("n", 1, 11, "?"),
        ),
    ],
)
def test_symbolic_sizes_are_kept_where_they_are_equal(
    op: str, inputs: dict[str, Shape | None], attrs: dict[str, Any], shape: Shape | None
) -> None:
    assert shape_of(op, inputs, attrs) == shape


@pytest.mark.parametrize(
    ("op", "inputs", "slot", "shape"),
    [
        ("affine_grid", {"Theta": ("n", 2, 3)}, "OutputShape", ("n", "?", "?", 2)),
        ("nearest_interp_v2", {"X": ("n", 3, 4, 4)}, "OutSize", ("n", 3, "?", "?")),
        ("conv2d_transpose", {"Input": (1, 2, 4, 4), "Filter": (2, 3, 2, 2)}, "OutputSize", (1, 3, "?", "?")),
        ("pad2d", {"X": ("n", 3, 4, 4)}, "Paddings", ("n", 3, "?", "?")),
    ],
)
def test_sizes_in_unknown_tensors_are_unknown(
    op: str, inputs: dict[str, Shape], slot: str, shape: Shape
) -> None:
    schema = get_schema(op)
    metas = {name: [Meta(DType.FLOAT32, known)] for name, known in inputs.items()}
    metas[slot] = [Meta(DType.INT32, (4,) if op == "affine_grid" else (2,))]
    output = next(iter(schema.outputs))

    assert infer(schema, metas, schema.attr_values({}), {output: 1})[output][0].shape == shape


@pytest.mark.parametrize(
    ("op", "attrs", "said"),
    [
        ("pool2d", {"ksize": [0, 1]}, "pool2d: attribute ksize: expected positive numbers"),
        ("pool2d", {"pooling_type": "sum"}, "pool2d: attribute pooling_type: expected one of"),
        ("pad2d", {"mode": "wrap"}, "pad2d: attribute mode: expected one of"),
        ("unfold", {"strides": [1, 1, 1]}, "unfold: attribute strides: expected 2 numbers"),
    ],
)
def test_wrong_attributes_are_refused(op: str, attrs: dict[str, Any], said: str) -> None:
    with pytest.raises(GraphError, match=said):
        shape_of(op, {"X": (1, 1, 4, 4)}, attrs)
