"""Convolutions of blocks, as TensorFlow writes dilation, equal TensorFlow Lite's interpreter in one op."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lite
from lite.dataclass import dataclass
from lite.plugin.format import ModelSource
from tests.model_parser.tflite.builder import TfliteBuilder
from tests.model_parser.tflite.compare import check
from tests.model_parser.tflite.models import Array, Case, Scale, ints, noise, quantised

IN, OUT = (0.03, -5), (0.1, 3)


@dataclass(frozen=True)
class Windows:
    """The blocks, what is added before and after each axis, and what is cut there in the end."""

    blocks: tuple[int, ...]
    paddings: tuple[int, ...]
    crops: tuple[int, ...]


IMAGE = Windows((2, 3), (2, 3, 3, 5), (0, 1, 0, 2))
LINE = Windows((3,), (6, 8), (0, 2))


class Blocks:
    """Builds SPACE_TO_BATCH_ND → convolution → BATCH_TO_SPACE_ND of two images, or of two lines."""

    def __init__(self, windows: Windows, *, is_int8: bool = False, unknown: bool = True) -> None:
        self.builder = TfliteBuilder()
        self.windows, self.is_int8, self.unknown = windows, is_int8, unknown
        self.x = noise(*((2, 5, 7, 4) if len(windows.blocks) == 2 else (2, 10, 4)))

    def tensor(self, name: str, shape: tuple[int, ...], scale: Scale) -> int:
        """A computed tensor, of which the batch is unknown."""
        keys: dict[str, Any] = {"signature": (-1, *shape[1:])} if self.unknown else {}
        if self.is_int8:
            return self.builder.tensor(name, shape, "int8", scale=scale[0], zero=scale[1], **keys)
        return self.builder.tensor(name, shape, **keys)

    def parameters(self, kernel: Array, axis: int) -> list[int]:
        """The filters and the bias."""
        count = kernel.shape[axis]
        if not self.is_int8:
            bias = self.builder.constant("b", noise(count, seed=3))
            return [self.builder.constant("w", kernel), bias]
        scales = np.linspace(0.02, 0.03, count).astype(np.float32)
        integers = np.clip(np.rint(kernel / 0.025), -127, 127).astype(np.int8)
        filters = self.builder.constant("w", integers, scale=scales, zero=[0] * count, axis=axis)
        numbers, in_scale = np.arange(-200, 200, 400 // count)[:count].astype(np.int32), np.float32(IN[0])
        bias = self.builder.constant("b", numbers, scale=scales * in_scale, zero=[0] * count)
        return [filters, bias]

    def case(
        self, kernel: Array, options: dict[int, Any], op: str = "CONV_2D", back: str = "RESHAPE"
    ) -> Case:
        """The model; `back` makes the lines of images of height 1."""
        builder, windows = self.builder, self.windows
        blocks = windows.blocks
        pairs, crops = (ints(*each).reshape(-1, 2) for each in (windows.paddings, windows.crops))
        count = self.x.shape[0] * int(np.prod(blocks))
        padded = [size + int(sum(pair)) for size, pair in zip(self.x.shape[1:], pairs, strict=False)]
        split = [size // block for size, block in zip(padded, blocks, strict=True)]
        x = self.tensor("x", self.x.shape, IN)
        moved = self.tensor("moved", (count, *split, 4), IN)
        constant = builder.constant("blocks", ints(*blocks))
        builder.op("SPACE_TO_BATCH_ND", [x, constant, builder.constant("paddings", pairs)], [moved])
        if len(blocks) == 1:
            image = self.tensor("image", (count, 1, *split, 4), IN)
            builder.op("EXPAND_DIMS", [moved, builder.constant("axis", np.array(-3, np.int32))], [image])
            moved, split = image, [1, *split]
        axis = 0 if op == "CONV_2D" else 3
        steps = [options[2][1], options[1][1]]
        outs = [
            -(-(size - width + 1) // step)
            for size, width, step in zip(split, kernel.shape[1:3], steps, strict=True)
        ]
        channels = kernel.shape[axis]
        y = self.tensor("y", (count, *outs, channels), OUT)
        builder.op(op, [moved, *self.parameters(kernel, axis)], [y], options)
        if len(blocks) == 1:
            line = self.tensor("line", (count, outs[1], channels), OUT)
            shape = builder.constant("shape", ints(-1, outs[1], channels))
            squeezed = back == "SQUEEZE"
            builder.op(back, [y] if squeezed else [y, shape], [line], {0: ints(1)} if squeezed else {})
            y, outs = line, outs[1:]
        whole = [size * block - int(sum(crop)) for size, block, crop in zip(outs, blocks, crops, strict=True)]
        result = self.tensor("result", (self.x.shape[0], *whole, channels), OUT)
        builder.op("BATCH_TO_SPACE_ND", [y, constant, builder.constant("crops", crops)], [result])
        array = quantised(self.x, IN) if self.is_int8 else self.x
        return Case("dilated", builder.model([x], [result]), [array])


def dense(strides: int = 1, activation: int = 0) -> dict[int, Any]:
    """The options of CONV_2D with VALID padding."""
    return {0: ("b", 1), 1: ("i", strides), 2: ("i", strides), 3: ("b", activation)}


DEPTHWISE = {0: ("b", 1), 1: ("i", 1), 2: ("i", 1), 3: ("i", 2), 4: ("b", 1)}


def dilations(case: Case) -> list[Any]:
    """The dilations of the convolution that writes the result."""
    program = lite.load_program(ModelSource(model=case.model))
    return [op.attrs["dilations"].value for op in program.blocks[0].ops if op.type == "conv2d"][1:]


@pytest.mark.parametrize("unknown", [True, False])
@pytest.mark.parametrize("is_int8", [False, True])
def test_an_image_with_dilation(is_int8: bool, unknown: bool) -> None:
    case = Blocks(IMAGE, is_int8=is_int8, unknown=unknown).case(
        noise(6, 2, 3, 4, seed=1), dense(activation=1)
    )
    assert dilations(case) == [[2, 3]]
    check(case, step=1)


@pytest.mark.parametrize("is_int8", [False, True])
def test_an_image_with_dilation_and_a_filter_per_channel(is_int8: bool) -> None:
    case = Blocks(IMAGE, is_int8=is_int8).case(noise(1, 2, 3, 8, seed=1), DEPTHWISE, "DEPTHWISE_CONV_2D")
    assert dilations(case) == [[2, 3]]
    check(case, step=1)


@pytest.mark.parametrize("is_int8", [False, True])
@pytest.mark.parametrize("back", ["RESHAPE", "SQUEEZE"])
def test_a_line_with_dilation(back: str, is_int8: bool) -> None:
    case = Blocks(LINE, is_int8=is_int8).case(noise(6, 1, 3, 4, seed=1), dense(), back=back)
    assert dilations(case) == [[1, 3]]
    check(case, step=1)


@pytest.mark.parametrize(
    ("windows", "strides"),
    [(Windows((2, 3), (0, 1, 1, 1), (1, 0, 0, 0)), 1), (IMAGE, 2)],
    ids=["cut more than added", "strides"],
)
def test_other_convolutions_of_blocks_stay(windows: Windows, strides: int) -> None:
    case = Blocks(windows).case(noise(6, 2, 3, 4, seed=1), dense(strides))
    assert dilations(case) == []
    check(case)
