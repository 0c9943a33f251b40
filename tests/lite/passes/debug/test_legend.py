"""Legends."""

from __future__ import annotations

from lite.passes.debug.graph_picture import picture_of
from lite.passes.debug.legend import MAX_FRAMES, Legend, legend_of
from lite.passes.debug.picture import ArrowKind, Box, BoxKind, Frame, Picture
from lite.passes.debug.style import block_color, region_color
from lite.passes.debug.svg_legend import legend_elements
from tests.lite.passes.debug.nested_graph import nested_graph


def test_all_that_is_in_the_picture() -> None:
    legend = legend_of(picture_of(nested_graph()))
    assert [(box.id, box.kind, box.lines, box.is_result) for box in legend.boxes] == [
        ("legend_op", BoxKind.OP, ("op",), False),
        ("legend_variable", BoxKind.VARIABLE, ("variable",), False),
        ("legend_constant", BoxKind.CONSTANT, ("constant",), False),
        ("legend_argument", BoxKind.ARGUMENT, ("argument",), False),
        ("legend_result", BoxKind.VARIABLE, ("result",), True),
    ]
    assert legend.arrows == (ArrowKind.DATA, ArrowKind.BLOCK, ArrowKind.EFFECT)
    assert legend.frames == (
        ("block1: conditional_block", block_color(0)),
        ("block2: region on npu", region_color(0, 0)),
        ("block3: region on npu", region_color(0, 1)),
    )


def test_nothing_that_is_not() -> None:
    assert legend_of(Picture()) == Legend((), (), ())
    assert legend_elements(Legend((), (), ()), 100) == ([], 0, 0)


def test_many_frames_are_cut() -> None:
    picture = Picture()
    for number in range(MAX_FRAMES + 3):
        picture.add_frame(Frame(f"frame{number}", f"block{number}", "azure"))
    frames = legend_of(picture).frames
    assert len(frames) == MAX_FRAMES + 1
    assert frames[-1] == ("… 3 more", "white")


def test_a_narrow_legend_has_more_rows() -> None:
    boxes = tuple(Box(f"op{number}", BoxKind.OP, ("op",), "") for number in range(4))
    legend = Legend(boxes, (ArrowKind.EFFECT,), (("block1", "azure"),))
    wide, wide_width, wide_height = legend_elements(legend, 1000)
    narrow, narrow_width, narrow_height = legend_elements(legend, 100)
    assert len(wide) == len(narrow)
    assert wide_width > 2 * narrow_width
    assert wide_height * 2 < narrow_height


def test_regions_of_one_device_share_a_hue_and_devices_do_not() -> None:
    colors = {region_color(device, number) for device in range(8) for number in range(3)}
    assert len(colors) == 24
    assert len({block_color(number) for number in range(12)}) == 12
