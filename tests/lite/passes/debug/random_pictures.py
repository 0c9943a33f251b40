"""Pictures for property tests: directed acyclic graphs in frames within frames."""

from __future__ import annotations

from hypothesis import strategies as st

from lite.passes.debug.picture import Arrow, ArrowKind, Box, BoxKind, Frame, Picture

NAMES = st.text("abcXYZ_.<>&\"'é漢 ", min_size=1, max_size=12)
LINES = st.lists(NAMES, min_size=1, max_size=3).map(tuple)


@st.composite
def pictures(draw: st.DrawFn, cyclic: bool = False) -> Picture:
    """Up to 14 boxes in up to 4 frames; arrows run from earlier boxes to later ones, unless `cyclic`.

    The order of the boxes within a frame is one with those around it: as in graphs, where an op with
    a block comes before the op that reads its result.
    """
    picture = Picture()
    frames: list[str | None] = [None]
    for number in range(draw(st.integers(0, 4))):
        picture.add_frame(Frame(f"frame{number}", draw(NAMES), "white", draw(st.sampled_from(frames))))
        frames.append(f"frame{number}")
    # A frame whose boxes stand apart in the order could not be drawn without an arrow upwards.
    count = draw(st.integers(1, 14))
    places = sorted(draw(st.integers(0, len(frames) - 1)) for _ in range(count))
    for number, place in enumerate(places):
        kind = draw(st.sampled_from(BoxKind))
        box = Box(f"box{number}", kind, draw(LINES), draw(NAMES), frames[place], draw(st.booleans()))
        picture.add_box(box)
    for _ in range(draw(st.integers(0, 30)) if count > 1 else 0):
        ends = draw(st.lists(st.integers(0, count - 1), min_size=2, max_size=2, unique=True))
        source, target = ends if cyclic else sorted(ends)
        lines = draw(st.one_of(st.just(()), LINES))
        picture.arrows.append(Arrow(f"box{source}", f"box{target}", lines, draw(st.sampled_from(ArrowKind))))
    return picture
