"""Picture → DOT, the language of Graphviz."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from lite.extras import require
from lite.passes.debug.picture import Arrow, ArrowKind, Box, BoxKind, Frame, Picture

FILLS: Mapping[BoxKind, str] = {
    BoxKind.OP: "yellow",
    BoxKind.FOLDED: "gold",
    BoxKind.VARIABLE: "white",
    BoxKind.CONSTANT: "lightgrey",
    BoxKind.ARGUMENT: "palegreen",
}
STROKES: Mapping[ArrowKind, str] = {
    ArrowKind.DATA: "#404040",
    ArrowKind.BLOCK: "#6a51a3",
    ArrowKind.EFFECT: "#d62728",
}
"""Arrows of another kind than `ArrowKind.DATA` are dashed."""

OUTLINE = "#404040"

MAX_SIDE = 200
"""The longest side of a drawing in inches: what a page of PDF may have."""

MAX_FRAMES = 12
"""The most frames that the legend lists."""

_FONT = {"fontname": "Helvetica", "fontsize": "12"}
_LABEL_FONT = {"fontname": "Helvetica", "fontsize": "10"}


def dot_text(picture: Picture, legend: bool = True) -> str:
    """DOT with a yellow box for each op, an ellipse for each variable and a cluster for each frame."""
    require("graphviz", "dot", "writing pictures of graphs")
    import graphviz

    dot = graphviz.Digraph("G")
    dot.attr("graph", labeljust="l", size=f"{MAX_SIDE},{MAX_SIDE}", **_FONT)
    dot.attr("node", color=OUTLINE, style="filled", height="0.3", margin="0.12,0.06", **_FONT)
    dot.attr("edge", arrowsize="0.7", **_LABEL_FONT)
    if legend:
        _add_legend(dot, picture)
    boxes: dict[str | None, list[Box]] = defaultdict(list)
    for box in picture.boxes.values():
        boxes[box.frame].append(box)
    frames: dict[str | None, list[Frame]] = defaultdict(list)
    for frame in picture.frames.values():
        frames[frame.parent].append(frame)
    _add_level(dot, None, boxes, frames)
    for arrow in picture.arrows:
        _add_arrow(dot, arrow)
    return str(dot.source)


def _add_level(
    dot: Any, frame: str | None, boxes: dict[str | None, list[Box]], frames: dict[str | None, list[Frame]]
) -> None:
    for box in boxes[frame]:
        _add_box(dot, box)
    for inner in frames[frame]:
        with dot.subgraph(name=inner.id) as cluster:
            cluster.attr(label=_text([inner.label]), style="filled", fillcolor=inner.color, color=OUTLINE)
            _add_level(cluster, inner.id, boxes, frames)


def _add_box(dot: Any, box: Box) -> None:
    is_ops = box.kind in (BoxKind.OP, BoxKind.FOLDED)
    options = {"shape": "box" if is_ops else "ellipse", "fillcolor": FILLS[box.kind]}
    if box.is_result:
        options["peripheries"] = "2"
    dot.node(box.id, label=_text(box.lines), tooltip=_text(box.title.splitlines()), **options)


def _add_arrow(dot: Any, arrow: Arrow) -> None:
    options = {"color": STROKES[arrow.kind]}
    if arrow.kind is not ArrowKind.DATA:
        options["style"] = "dashed"
    if arrow.lines:
        options["label"] = _text(arrow.lines)
    dot.edge(arrow.source, arrow.target, **options)


def _add_legend(dot: Any, picture: Picture) -> None:
    """Add a cluster with a sample of each kind of box, arrow and frame in the picture."""
    box_kinds = {box.kind for box in picture.boxes.values()}
    arrow_kinds = {arrow.kind for arrow in picture.arrows}
    frames = [(frame.label, frame.color) for frame in picture.frames.values()]
    if len(frames) > MAX_FRAMES:
        frames[MAX_FRAMES:] = [(f"… {len(frames) - MAX_FRAMES} more", "white")]
    with dot.subgraph(name="cluster_legend") as cluster:
        cluster.attr(label="legend", color="lightgrey")
        for kind in (kind for kind in BoxKind if kind in box_kinds):
            _add_box(cluster, Box(f"legend_{kind.name.lower()}", kind, (kind.value,), kind.value))
        if any(box.is_result for box in picture.boxes.values()):
            _add_box(cluster, Box("legend_result", BoxKind.VARIABLE, ("result",), "result", is_result=True))
        for index, (label, color) in enumerate(frames):
            cluster.node(f"legend_frame{index}", label=_text([label]), shape="box", fillcolor=color)
        for arrow in (kind for kind in ArrowKind if kind in arrow_kinds):
            start, end = (f"legend_{arrow.name.lower()}_{side}" for side in ("from", "to"))
            for name in (start, end):
                cluster.node(name, shape="point", width="0.05", height="0.05")
            _add_arrow(cluster, Arrow(start, end, (arrow.value,), arrow))


def _text(lines: Iterable[str]) -> str:
    """A label of these lines, escaped so that DOT interprets none of their characters."""
    import graphviz

    text: str = graphviz.nohtml(r"\n".join(line.replace("\\", r"\\") for line in lines))
    return text
