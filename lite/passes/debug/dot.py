"""A picture as DOT, the language of Graphviz."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from lite.passes.debug.legend import Legend, legend_of
from lite.passes.debug.picture import Arrow, ArrowKind, Box, Frame, Picture
from lite.passes.debug.style import FILLS, FONT, FONT_SIZE, LABEL_SIZE, OUTLINE, STROKES


def dot_text(picture: Picture, legend: bool = True) -> str:
    """DOT with a yellow box for each op, an ellipse for each variable, a cluster for each frame."""
    import graphviz

    dot = graphviz.Digraph("G")
    font = {"fontname": FONT, "fontsize": str(FONT_SIZE)}
    dot.attr("graph", labeljust="l", **font)
    dot.attr("node", color=OUTLINE, style="filled", height="0.3", margin="0.12,0.06", **font)
    dot.attr("edge", fontname=FONT, fontsize=str(LABEL_SIZE), arrowsize="0.7")
    if legend:
        _add_legend(dot, legend_of(picture))
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
    options = {"shape": "box" if box.kind.is_ops else "ellipse", "fillcolor": FILLS[box.kind]}
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


def _add_legend(dot: Any, legend: Legend) -> None:
    with dot.subgraph(name="cluster_legend") as cluster:
        cluster.attr(label="legend", color="lightgrey")
        for box in legend.boxes:
            _add_box(cluster, box)
        for number, (label, color) in enumerate(legend.frames):
            cluster.node(f"legend_frame{number}", label=_text([label]), shape="box", fillcolor=color)
        for kind in legend.arrows:
            start, end = (f"legend_{kind.name.lower()}_{side}" for side in ("from", "to"))
            for name in (start, end):
                cluster.node(name, shape="point", width="0.05", height="0.05")
            _add_arrow(cluster, Arrow(start, end, (kind.value,), kind))


def _text(lines: Iterable[str]) -> str:
    """Lines of which every character, also at the ends, stands for itself."""
    import graphviz

    text: str = graphviz.nohtml(r"\n".join(line.replace("\\", r"\\") for line in lines))
    return text
