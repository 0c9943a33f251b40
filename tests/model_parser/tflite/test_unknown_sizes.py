"""Ops on tensors whose sizes are unknown before the run equal TensorFlow Lite's interpreter."""

from __future__ import annotations

import numpy as np
import pytest

import lite
from lite.errors import ModelParseError
from lite.plugin.format import ModelSource
from tests.model_parser.tflite.builder import TfliteBuilder
from tests.model_parser.tflite.compare import check
from tests.model_parser.tflite.models import IMAGE, Case, case, f32, ints, noise, quantised

SAME, VALID = 0, 1
SCALE = (0.03, -5)
FREE = (-1, -1, -1, -1)


def transposed_size(size: int, step: int, width: int, padding: int) -> int:
    """The size that Keras computes."""
    return size * step if padding == SAME else (size - 1) * step + width


def transposed(
    padding: int, strides: tuple[int, int], more: int, signature: tuple[int, ...], *, bias: bool
) -> Case:
    """TRANSPOSE_CONV with filters [3, 2] to a computed shape, `more` than Keras computes."""
    size = [
        transposed_size(*each, padding) + more for each in zip(IMAGE.shape[1:3], strides, (3, 2), strict=True)
    ]
    options = {0: ("b", padding), 1: ("i", strides[1]), 2: ("i", strides[0]), 3: ("b", 1 if bias else 0)}
    constants = {1: noise(5, 3, 2, 4, seed=1)} | ({3: noise(5, seed=2)} if bias else {})
    return case(
        "transposed",
        "TRANSPOSE_CONV",
        [ints(1, *size, 5), IMAGE],
        f32(1, *size, 5),
        options,
        constants=constants,
        signatures={1: signature},
        out_signature=[-1, *((-1, -1) if signature == FREE else size), 5],
    )


@pytest.mark.parametrize("signature", [(-1, 5, 6, 4), (-1, -1, -1, 4), (1, -1, -1, 4)])
@pytest.mark.parametrize("padding", [SAME, VALID])
@pytest.mark.parametrize("strides", [(2, 2), (1, 3), (4, 1)])
def test_transposed_convolution_to_a_computed_shape(
    padding: int, strides: tuple[int, int], signature: tuple[int, ...]
) -> None:
    check(transposed(padding, strides, 0, signature, bias=False))
    check(transposed(padding, strides, 0, signature, bias=True))


@pytest.mark.parametrize(("padding", "more"), [(SAME, -1), (SAME, -2), (VALID, 1), (VALID, 2)])
def test_transposed_convolution_to_another_computed_size(padding: int, more: int) -> None:
    check(transposed(padding, (3, 3), more, FREE, bias=True))


def of_formula(padding: int, width: int, steps: list[tuple[str, int]], *, number_first: bool = False) -> Case:
    """TRANSPOSE_CONV of stride 3 with filters [width, width] to sizes that ops with a number compute."""
    builder = TfliteBuilder()
    x = builder.tensor("x", IMAGE.shape, signature=(1, -1, -1, 4))
    shape = builder.tensor("sizes", (4,), "int32")
    builder.op("SHAPE", [x], [shape], {0: ("b", 2)})
    results, expected = [], []
    one = builder.constant("one", ints(1))
    for axis in (1, 2):
        size = builder.tensor(f"size{axis}", (), "int32")
        ends = [builder.constant("end", ints(axis + more)) for more in range(2)]
        builder.op("STRIDED_SLICE", [shape, *ends, one], [size], {4: ("i", 1)})
        number = IMAGE.shape[axis]
        for op, by in steps:
            operands = [size, builder.constant("by", np.array(by, np.int32))]
            size = builder.tensor(op, (), "int32")
            builder.op(op, operands[::-1] if number_first else operands, [size])
            number = {"ADD": number + by, "SUB": number - by, "MUL": number * by}[op]
        results.append(size)
        expected.append(number)
    ends = [builder.constant("end", np.array(n, np.int32)) for n in (1, 5)]
    joined = builder.tensor("shape", (4,), "int32")
    builder.op("PACK", [ends[0], *results, ends[1]], [joined], {0: ("i", 4)})
    y = builder.tensor("y", (1, *expected, 5), signature=(1, -1, -1, 5))
    inputs = [joined, builder.constant("w", noise(5, width, width, 4, seed=1)), x]
    builder.op("TRANSPOSE_CONV", inputs, [y], {0: ("b", padding), 1: ("i", 3), 2: ("i", 3)})
    return Case("formula", builder.model([x], [y]), [IMAGE])


@pytest.mark.parametrize(
    ("padding", "width", "steps", "paddings"),
    [
        (SAME, 4, [("MUL", 3)], [0, 1, 0, 1]),
        (SAME, 2, [("MUL", 3)], [0, 0, 0, 0]),
        (SAME, 4, [("MUL", 3), ("SUB", 2)], [1, 2, 1, 2]),
        (SAME, 5, [("SUB", 1), ("MUL", 3), ("ADD", 1)], [2, 2, 2, 2]),
        (VALID, 4, [("MUL", 3), ("ADD", 1)], [0, 0, 0, 0]),
        (VALID, 4, [("MUL", 3), ("ADD", 2)], [0, 0, 0, 0]),
    ],
)
def test_transposed_convolution_to_a_size_that_follows_from_the_image(
    padding: int, width: int, steps: list[tuple[str, int]], paddings: list[int]
) -> None:
    model = of_formula(padding, width, steps)
    ops = lite.load_program(ModelSource(model=model.model)).blocks[0].ops
    assert [op.attrs["paddings"].value for op in ops if op.type == "conv2d_transpose"] == [paddings]
    check(model)


def test_numbers_may_come_first() -> None:
    check(of_formula(SAME, 4, [("MUL", 3)], number_first=True))


def test_a_size_that_follows_otherwise_is_cut_in_the_run() -> None:
    model = of_formula(SAME, 3, [("MUL", 2), ("ADD", 5)])
    ops = lite.load_program(ModelSource(model=model.model)).blocks[0].ops
    assert [sorted(op.attrs) for op in ops if op.type == "conv2d_transpose"] == [
        ["output_padding", "strides"]
    ]
    check(model)


def test_transposed_convolution_of_volumes_to_a_computed_shape() -> None:
    volume, shape = noise(2, 3, 4, 5, 3), ints(2, 6, 8, 10, 4)
    options = {0: ("b", SAME), **dict.fromkeys((1, 2, 3), ("i", 2)), **dict.fromkeys((5, 6, 7), ("i", 1))}
    check(
        case(
            "volume",
            "CONV_3D_TRANSPOSE",
            [shape, volume],
            f32(*shape),
            options,
            constants={1: noise(3, 2, 2, 4, 3)},
            signatures={1: (-1, 3, 4, 5, 3)},
            out_signature=(-1, 6, 8, 10, 4),
        )
    )


def test_a_shape_of_another_rank_is_refused() -> None:
    options = {0: ("b", SAME), 1: ("i", 1), 2: ("i", 1)}
    constants = {1: noise(5, 3, 2, 4)}
    wrong = case(
        "wrong", "TRANSPOSE_CONV", [ints(1, 5, 5), IMAGE], f32(1, 5, 5), options, constants=constants
    )
    with pytest.raises(ModelParseError, match=r"expected an output shape of 4 sizes, got \[1, 5, 5\]"):
        lite.load_program(ModelSource(model=wrong.model))


@pytest.mark.parametrize(
    ("shape", "blocks", "before"),
    [
        ((2, 7, 3), (3,), (2,)),
        ((2, 8, 3), (2,), (0,)),
        ((1, 5, 6, 4), (2, 3), (0, 1)),
        ((2, 4, 6, 4), (1, 2), (2, 0)),
    ],
)
@pytest.mark.parametrize("batch", ["known", "unknown"])
@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_space_to_batch_and_back(
    shape: tuple[int, ...], blocks: tuple[int, ...], before: tuple[int, ...], batch: str, dtype: str
) -> None:
    source, scale = noise(*shape), SCALE if dtype == "int8" else None
    image, count = shape[1 : 1 + len(blocks)], int(np.prod(blocks))
    after = [-(size + first) % block for size, first, block in zip(image, before, blocks, strict=True)]
    widths = np.array([before, after], np.int32).T.copy()
    split = [(size + sum(pair)) // block for size, pair, block in zip(image, widths, blocks, strict=True)]
    moved = [shape[0] * count, *split, shape[-1]]
    signatures = [(-1, *shape[1:]), (-1, *moved[1:])] if batch == "unknown" else [shape, moved]
    constants, scales = {1: ints(*blocks), 2: widths}, {0: scale} if scale else None
    for op, given, out, signature in (
        ("SPACE_TO_BATCH_ND", source, moved, signatures),
        ("BATCH_TO_SPACE_ND", noise(*moved, seed=1), shape, signatures[::-1]),
    ):
        array = quantised(given, scale) if scale else given
        check(
            case(
                op,
                op,
                [array],
                [(out, dtype)],
                constants=constants,
                scales=scales,
                out_scale=scale,
                signatures={0: signature[0]},
                out_signature=signature[1],
            )
        )


@pytest.mark.parametrize("dtype", ["float32", "int32", "int8"])
@pytest.mark.parametrize("shape", [(4,), (2, 3)])
def test_matrix_diag_of_vectors_of_unknown_size(shape: tuple[int, ...], dtype: str) -> None:
    source = (9 * noise(*shape)).astype(dtype)
    free = [-1] * len(shape)
    out = [((*shape, shape[-1]), dtype)]
    check(case("diag", "MATRIX_DIAG", [source], out, signatures={0: free}, out_signature=[*free, -1]))


def test_matrix_diag_of_no_vectors_is_refused() -> None:
    wrong = case("wrong", "MATRIX_DIAG", [np.array(1, np.float32)], f32())
    with pytest.raises(ModelParseError, match="expected vectors, got a number"):
        lite.load_program(ModelSource(model=wrong.model))


@pytest.mark.parametrize("dtype", ["float32", "int8"])
@pytest.mark.parametrize("signature", [None, (-1, -1, -1)])
@pytest.mark.parametrize("widths", [(0, 0, 1, 2, 0, 4), (2, 1, 3, 3, 1, 0), (0, 0, 0, 0, 0, 0)])
def test_symmetric_padding(widths: tuple[int, ...], signature: tuple[int, ...] | None, dtype: str) -> None:
    scale = SCALE if dtype == "int8" else None
    source = quantised(noise(2, 3, 4), scale) if scale else noise(2, 3, 4)
    paddings = ints(*widths).reshape(3, 2)
    out = [([size + sum(pair) for size, pair in zip(source.shape, paddings, strict=True)], dtype)]
    check(
        case(
            "symmetric",
            "MIRROR_PAD",
            [source],
            out,
            {0: ("b", 1)},
            constants={1: paddings},
            scales={0: scale} if scale else None,
            out_scale=scale,
            signatures={0: signature} if signature else None,
            out_signature=signature,
        )
    )


def test_symmetric_padding_of_more_than_the_axis_is_refused() -> None:
    paddings = ints(0, 0, 4, 0).reshape(2, 2)
    wrong = case("wrong", "MIRROR_PAD", [noise(2, 3)], f32(2, 7), {0: ("b", 1)}, constants={1: paddings})
    with pytest.raises(ModelParseError, match=r"expected 0 to 3 on axis 1, got \[4, 0\]"):
        lite.load_program(ModelSource(model=wrong.model))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
def test_fill_copies_a_quantised_value(dtype: str) -> None:
    scale = (0.03, 0 if dtype == "int16" else 5)
    value, out = np.array(77, dtype), [((2, 3), dtype)]
    check(case("computed", "FILL", [ints(2, 3), value], out, scales={1: scale}, out_scale=scale))
    builder = TfliteBuilder()
    number = builder.constant("value", value, scale=scale[0], zero=scale[1])
    shape = builder.tensor("shape", (2,), "int32")
    y = builder.tensor("y", (2, 3), dtype, scale=scale[0], zero=scale[1], signature=(-1, 3))
    builder.op("FILL", [shape, number], [y])
    check(Case("fill", builder.model([shape], [y]), [ints(2, 3)]))
