"""A picture that is too large for one drawing → several that follow the order of the ops."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from lite.passes.debug.picture import BoxKind, Picture

_OPS = (BoxKind.OP, BoxKind.FOLDED)


def parts_of(picture: Picture, limit: int) -> list[Picture]:
    """Pictures of at most `limit` boxes each; the picture itself if it has no more.

    Each op is in one part with all its variables, and again where a later op must wait for it; a variable
    that ops of several parts use is in each of them.  An op with more variables than `limit` has a larger
    part.
    """
    if len(picture.boxes) <= limit:
        return [picture]
    return [_restricted(picture, ids) for ids in _cut(picture, limit)]


def _cut(picture: Picture, limit: int) -> Iterator[set[str]]:
    """The ids of the boxes of each part."""
    groups = _groups(picture)
    alone = picture.boxes.keys() - set().union(*groups)
    part: set[str] = set()
    for group in [*({id} for id in picture.boxes if id in alone), *groups]:
        if part and len(part | group) > limit:
            yield part
            part = set()
        part |= group
    yield part


def _groups(picture: Picture) -> list[set[str]]:
    """The ids of each op and of what is drawn with it."""
    beside: dict[str, list[str]] = defaultdict(list)
    for arrow in picture.arrows:
        if picture.boxes[arrow.target].kind in _OPS:
            beside[arrow.target].append(arrow.source)
        else:
            beside[arrow.source].append(arrow.target)
    groups = []
    for box in picture.boxes.values():
        if box.kind in _OPS:
            near = beside[box.id]
            # The result of a nested graph leads to an output of the op around it.
            further = [id for each in near if picture.boxes[each].kind not in _OPS for id in beside[each]]
            groups.append({box.id, *near, *further})
    return groups


def _restricted(picture: Picture, ids: set[str]) -> Picture:
    """The boxes of `ids`, in their order, with the arrows between them and the frames around them."""
    part = Picture({id: box for id, box in picture.boxes.items() if id in ids})
    part.arrows = [arrow for arrow in picture.arrows if arrow.source in ids and arrow.target in ids]
    frames = {box.frame for box in part.boxes.values()}
    for frame in reversed(picture.frames.values()):
        if frame.id in frames:
            frames.add(frame.parent)
    part.frames = {id: frame for id, frame in picture.frames.items() if id in frames}
    return part
