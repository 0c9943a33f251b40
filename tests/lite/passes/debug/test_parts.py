"""Pictures in parts: each op once, all arrows, and the frames of what is there."""

from __future__ import annotations

import pytest

from lite.ir.text import parse_graph
from lite.passes.debug.graph_picture import picture_of
from lite.passes.debug.parts import parts_of
from lite.passes.debug.picture import BoxKind, Picture
from tests.lite.passes.debug.nested_graph import nested_graph

OPS = (BoxKind.OP, BoxKind.FOLDED)


def chain(length: int) -> Picture:
    """Ops that each add one constant, which is listed before all ops."""
    constants = "\n".join(f"  %c{n} = const float32[1] [1.0]" for n in range(length))
    ops = "\n".join(
        f"  %x{n + 1} = elementwise_add(X=%x{n}, Y=%c{n}) {{axis=-1}} : float32[1]" for n in range(length)
    )
    return picture_of(
        parse_graph(f"graph main(%x0: float32[1]) {{\n{constants}\n{ops}\n  return %x{length}\n}}\n")
    )


def assert_complete(picture: Picture, parts: list[Picture]) -> None:
    """Together the parts show all of the picture, each op with its arrows in one of them."""
    assert {id for part in parts for id in part.boxes} == picture.boxes.keys()
    assert {arrow for part in parts for arrow in part.arrows} == set(picture.arrows)
    for part in parts:
        assert all(part.boxes[id] is picture.boxes[id] for id in part.boxes)
        assert {box.frame for box in part.boxes.values()} <= {None, *part.frames}
        assert {frame.parent for frame in part.frames.values()} <= {None, *part.frames}


def test_a_small_picture_is_its_only_part() -> None:
    picture = chain(3)
    (part,) = parts_of(picture, len(picture.boxes))
    assert part is picture


def test_a_long_chain_is_cut_between_ops() -> None:
    picture = chain(10)
    parts = parts_of(picture, 9)
    assert_complete(picture, parts)
    shown = [sum(box.kind in OPS for box in part.boxes.values()) for part in parts]
    # Two boxes an op and its constant, one its result, one the value before the first op.
    assert shown == [2, 2, 2, 2, 2]
    assert [len(part.boxes) for part in parts] == [7, 7, 7, 7, 7]


@pytest.mark.parametrize("limit", [1, 5, 8, 12, 21])
def test_nested_graphs_keep_their_frames_and_arrows(limit: int) -> None:
    picture = picture_of(nested_graph())
    parts = parts_of(picture, limit)
    assert len(parts) > 1
    assert_complete(picture, parts)
    groups = parts_of(picture, 1)
    assert max(len(part.boxes) for part in parts) <= max(limit, *(len(group.boxes) for group in groups))
