"""Layouts of pictures: nothing overlaps, arrows point down, frames hold what is theirs."""

from __future__ import annotations

import itertools

from hypothesis import given, settings

from lite.passes.debug.layered_layout import Layout, Rect, arrange
from lite.passes.debug.picture import Arrow, Box, BoxKind, Frame, Picture
from tests.lite.passes.debug.random_pictures import pictures

SLACK = 0.01
"""For rounding, in pixels."""


def overlap(one: Rect, other: Rect) -> bool:
    return (
        min(one.x + one.width, other.x + other.width) - max(one.x, other.x) > SLACK
        and min(one.y + one.height, other.y + other.height) - max(one.y, other.y) > SLACK
    )


def holds(outer: Rect, inner: Rect) -> bool:
    return (
        outer.x <= inner.x + SLACK
        and outer.y <= inner.y + SLACK
        and inner.x + inner.width <= outer.x + outer.width + SLACK
        and inner.y + inner.height <= outer.y + outer.height + SLACK
    )


def frames_around(picture: Picture, frame: str | None) -> list[str]:
    return [] if frame is None else [frame, *frames_around(picture, picture.frames[frame].parent)]


def check_places(picture: Picture, layout: Layout) -> None:
    page = Rect(0, 0, layout.width, layout.height)
    for one, other in itertools.combinations(layout.boxes.values(), 2):
        assert not overlap(one, other)
    for box in picture.boxes.values():
        around = frames_around(picture, box.frame)
        assert holds(page, layout.boxes[box.id])
        for frame in picture.frames:
            if frame in around:
                assert holds(layout.frames[frame], layout.boxes[box.id])
            else:
                assert not overlap(layout.frames[frame], layout.boxes[box.id])
    for one_frame, other_frame in itertools.combinations(picture.frames, 2):
        rects = layout.frames[one_frame], layout.frames[other_frame]
        if one_frame in frames_around(picture, other_frame):
            assert holds(*rects)
        else:
            assert not overlap(*rects)


def check_ends(picture: Picture, layout: Layout) -> None:
    """Arrows start and end at the edges of their boxes, and bends follow one another."""
    for arrow, path in zip(picture.arrows, layout.paths, strict=True):
        for bend, box in ((path[0], arrow.source), (path[-1], arrow.target)):
            rect = layout.boxes[box]
            y = bend.start if bend is path[0] else bend.end
            assert min(abs(y - rect.y), abs(y - rect.y - rect.height)) < SLACK
            assert rect.x - SLACK <= bend.x <= rect.x + rect.width + SLACK


@settings(max_examples=80, deadline=None)
@given(pictures())
def test_nothing_overlaps(picture: Picture) -> None:
    layout = arrange(picture)
    check_places(picture, layout)
    check_ends(picture, layout)


@settings(max_examples=40, deadline=None)
@given(pictures(cyclic=True))
def test_nothing_overlaps_with_cycles(picture: Picture) -> None:
    layout = arrange(picture)
    check_places(picture, layout)
    check_ends(picture, layout)


@settings(max_examples=80, deadline=None)
@given(pictures())
def test_arrows_point_down(picture: Picture) -> None:
    flat = Picture({box.id: Box(box.id, box.kind, box.lines, "") for box in picture.boxes.values()})
    flat.arrows = picture.arrows
    for path in arrange(flat).paths:
        ys = [y for bend in path for y in (bend.start, bend.end)]
        assert all(below - above > -SLACK for above, below in itertools.pairwise(ys))
        assert ys[0] < ys[-1]


@settings(max_examples=80, deadline=None)
@given(pictures())
def test_arrows_pass_beside_boxes(picture: Picture) -> None:
    layout = arrange(picture)
    for arrow, path in zip(picture.arrows, layout.paths, strict=True):
        for bend in path:
            upright = Rect(bend.x, min(bend.start, bend.end), 0.1, abs(bend.end - bend.start))
            for box, rect in layout.boxes.items():
                assert box in (arrow.source, arrow.target) or not overlap(upright, rect)


def test_a_chain_stands_upright_and_its_constants_beside_it() -> None:
    picture = Picture()
    picture.add_box(Box("value0", BoxKind.ARGUMENT, ("x",), ""))
    for number in range(5):
        picture.add_box(Box(f"weight{number}", BoxKind.CONSTANT, (f"a long name {number}",), ""))
        picture.add_box(Box(f"op{number}", BoxKind.OP, ("conv2d",) * (number % 3 + 1), ""))
        picture.add_box(Box(f"value{number + 1}", BoxKind.VARIABLE, ("y" * number,), ""))
        picture.arrows += [
            Arrow(f"value{number}", f"op{number}", ("Input",)),
            Arrow(f"weight{number}", f"op{number}", ("Filter",)),
            Arrow(f"op{number}", f"value{number + 1}", ("Output",)),
        ]
    layout = arrange(picture)
    middles = {name: rect.x + rect.width / 2 for name, rect in layout.boxes.items()}
    chain = [middle for name, middle in middles.items() if not name.startswith("weight")]
    assert max(chain) - min(chain) < SLACK
    for number in range(5):
        weight, value = layout.boxes[f"weight{number}"], layout.boxes[f"value{number}"]
        assert abs((weight.y + weight.height / 2) - (value.y + value.height / 2)) < SLACK
        assert abs(middles[f"weight{number}"] - chain[0]) < 200


def test_an_arrow_into_a_frame_goes_on_where_it_enters() -> None:
    picture = Picture()
    picture.add_frame(Frame("outer", "outer", "white"))
    picture.add_frame(Frame("inner", "inner", "white", "outer"))
    picture.add_box(Box("a", BoxKind.OP, ("a",), ""))
    picture.add_box(Box("b", BoxKind.OP, ("b",), "", "inner"))
    picture.add_box(Box("c", BoxKind.OP, ("c",), ""))
    picture.arrows = [Arrow("a", "b", ("X",)), Arrow("b", "c")]
    layout = arrange(picture)
    for path in layout.paths:
        assert len({round(bend.x, 3) for bend in path}) == 1
    a, outer, inner, b, c = (
        {**layout.boxes, **layout.frames}[name] for name in ("a", "outer", "inner", "b", "c")
    )
    assert a.y + a.height < outer.y < inner.y < b.y
    assert b.y + b.height < inner.y + inner.height < outer.y + outer.height < c.y
    assert layout.labels[0] is not None
    assert inner.y < layout.labels[0][1] < b.y
    assert layout.labels[1] is None


def test_an_empty_picture() -> None:
    assert arrange(Picture()) == Layout(0, 0)


def test_long_graphs_need_time_in_proportion() -> None:
    # Recursion, or time that grows with the square, would end this test.
    picture = Picture()
    for number in range(3000):
        picture.add_box(Box(f"box{number}", BoxKind.OP, ("op",), ""))
        if number:
            picture.arrows.append(Arrow(f"box{number - 1}", f"box{number}"))
    picture.arrows.append(Arrow("box0", "box2999"))
    layout = arrange(picture)
    ys = [layout.boxes[f"box{number}"].y for number in range(3000)]
    assert ys == sorted(ys)
