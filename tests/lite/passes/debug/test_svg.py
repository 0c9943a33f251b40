"""Pictures as SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from hypothesis import given, settings

from lite.ir.text import parse_graph
from lite.passes.debug.graph_picture import picture_of
from lite.passes.debug.picture import ArrowKind, BoxKind, Picture
from lite.passes.debug.style import FILLS, STROKES
from lite.passes.debug.svg import svg_text
from tests.lite.passes.debug.nested_graph import nested_graph
from tests.lite.passes.debug.random_pictures import pictures

SVG = "{http://www.w3.org/2000/svg}"


def graph_group(svg: str) -> ET.Element:
    [group] = [each for each in ET.fromstring(svg) if each.get("id") == "graph"]
    return group


def of_class(group: ET.Element, name: str) -> list[ET.Element]:
    return [each for each in group if name in (each.get("class") or "").split()]


def texts(element: ET.Element) -> list[str]:
    return [span.text or "" for span in element.iter(f"{SVG}tspan")]


def title(element: ET.Element) -> str:
    return element.findtext(f"{SVG}title") or ""


@settings(max_examples=60, deadline=None)
@given(pictures())
def test_everything_is_drawn_once(picture: Picture) -> None:
    svg = svg_text(picture)
    group = graph_group(svg)
    for kind in BoxKind:
        drawn = of_class(group, kind.name.lower())
        boxes = [box for box in picture.boxes.values() if box.kind is kind]
        assert [each.get("id") for each in drawn] == [box.id for box in boxes]
        assert [texts(each) for each in drawn] == [list(box.lines) for box in boxes]
        assert [title(each) for each in drawn] == [box.title for box in boxes]
    assert [each.get("id") for each in of_class(group, "frame")] == list(picture.frames)
    arrows = of_class(group, "arrow")
    assert [texts(each) for each in arrows] == [list(arrow.lines) for arrow in picture.arrows]
    assert svg_text(picture) == svg


def test_shapes_and_colours() -> None:
    group = graph_group(svg_text(picture_of(nested_graph())))
    for kind, shape in ((BoxKind.OP, "rect"), (BoxKind.CONSTANT, "ellipse"), (BoxKind.ARGUMENT, "ellipse")):
        outlines = [each.find(f"{SVG}{shape}") for each in of_class(group, kind.name.lower())]
        assert {None if outline is None else outline.get("fill") for outline in outlines} == {FILLS[kind]}
    doubles = [each.get("id") for each in group if len(each.findall(f"{SVG}ellipse")) == 2]
    results = [box.id for box in picture_of(nested_graph()).boxes.values() if box.is_result]
    assert doubles == results
    frames = {each.find(f"{SVG}rect").get("fill") for each in of_class(group, "frame")}  # type: ignore[union-attr]
    assert frames == {frame.color for frame in picture_of(nested_graph()).frames.values()}


def test_arrows_are_dashed_unless_they_are_data() -> None:
    group = graph_group(svg_text(picture_of(nested_graph())))
    for kind in ArrowKind:
        paths = [each.find(f"{SVG}path") for each in of_class(group, kind.name.lower())]
        assert paths
        for path in paths:
            assert path is not None
            assert path.get("stroke") == STROKES[kind]
            assert (path.get("stroke-dasharray") is None) == (kind is ArrowKind.DATA)
            assert path.get("marker-end") == f"url(#{kind.name.lower()})"


def test_names_that_need_care() -> None:
    graph = parse_graph(
        'graph main(%"<a&b>": float32[1]) { %"q\\"]]>\\u0001" = own_op(X=%"<a&b>") {s="\\u0000<"} '
        'return %"q\\"]]>\\u0001" }'
    )
    group = graph_group(svg_text(picture_of(graph)))
    assert texts(of_class(group, "argument")[0]) == ["<a&b>"]
    assert texts(of_class(group, "variable")[0]) == ['q"]]>\ufffd']
    assert title(of_class(group, "op")[0]).splitlines()[1] == "s='\\x00<'"


def test_the_page_holds_everything() -> None:
    for legend in (True, False):
        root = ET.fromstring(svg_text(picture_of(nested_graph()), legend))
        _, _, width, height = (float(each) for each in (root.get("viewBox") or "").split())
        assert (root.get("width"), root.get("height")) == (f"{width:g}", f"{height:g}")
        for group in (each for each in root if each.get("id") in ("legend", "graph")):
            right, down = (
                float(each) for each in (group.get("transform") or "")[len("translate(") : -1].split()
            )
            for rect in group.iter(f"{SVG}rect"):
                x, y, across, high = (float(rect.get(name) or 0) for name in ("x", "y", "width", "height"))
                assert right + x + across <= width
                assert down + y + high <= height


def test_a_legend_or_none() -> None:
    for legend in (True, False):
        root = ET.fromstring(svg_text(picture_of(nested_graph()), legend))
        [group] = [each for each in root if each.get("id") == "legend"]
        assert ("region on npu" in " ".join(texts(group))) is legend
        assert bool(len(group)) is legend


def test_an_empty_picture() -> None:
    root = ET.fromstring(svg_text(Picture()))
    assert root.get("viewBox") == "0 0 32 32"
