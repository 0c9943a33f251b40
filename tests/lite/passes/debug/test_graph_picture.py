"""Boxes, frames and arrows of graphs."""

from __future__ import annotations

from lite.ir.graph import Graph
from lite.ir.text import parse_graph, print_graph
from lite.passes.debug.colors import block_color, region_color
from lite.passes.debug.folding import Folding
from lite.passes.debug.graph_picture import PictureOptions, picture_of
from lite.passes.debug.picture import BoxKind, Picture
from tests.lite.passes.debug.nested_graph import TEXT, nested_graph


def named(picture: Picture) -> dict[str, str]:
    """Box id → its first line, with a prime for each earlier box of the same line."""
    names: dict[str, str] = {}
    for box in picture.boxes.values():
        earlier = sum(each.rstrip("'") == box.lines[0] for each in names.values())
        names[box.id] = box.lines[0] + "'" * earlier
    return names


def arrows(picture: Picture) -> list[str]:
    names = named(picture)
    return [
        f"{names[arrow.source]} -{'/'.join(arrow.lines)}> {names[arrow.target]} {arrow.kind.name}"
        for arrow in picture.arrows
    ]


def boxes(picture: Picture) -> list[str]:
    return [
        f"{box.kind.name} {' | '.join(box.lines)} in {box.frame}{' result' * box.is_result}"
        for box in picture.boxes.values()
    ]


def test_graph_has_a_box_per_op_and_version_and_a_frame_per_block() -> None:
    graph = nested_graph()
    condition, region, last = (f"cluster_{node.id}" for node in graph if node.blocks)

    picture = picture_of(graph)

    assert boxes(picture) == [
        "ARGUMENT c in None",
        "ARGUMENT x in None",
        "CONSTANT w in None",
        "VARIABLE x#1 in None result",
        "OP elementwise_add | axis=0 in None",
        "OP print in None",
        "VARIABLE y in None",
        f"OP conditional_block in {condition}",
        f"ARGUMENT x in {condition}",
        f"VARIABLE z in {condition} result",
        f"OP relu in {condition}",
        "VARIABLE r in None",
        f"OP subgraph | device='npu' in {region}",
        f"ARGUMENT y in {region}",
        f"VARIABLE p in {region} result",
        f"OP relu in {region}",
        "VARIABLE s in None result",
        f"OP subgraph | device='npu' in {last}",
        f"ARGUMENT r in {last}",
        f"VARIABLE q in {last} result",
        f"OP relu in {last}",
        "OP print in None",
    ]
    assert [(frame.id, frame.label, frame.color, frame.parent) for frame in picture.frames.values()] == [
        (condition, "block1: conditional_block", block_color(0), None),
        (region, "block2: region on npu", region_color(0, 0), None),
        (last, "block3: region on npu", region_color(0, 1), None),
    ]
    assert print_graph(graph) == TEXT


def test_arrows_follow_data_blocks_and_effects() -> None:
    assert arrows(picture_of(nested_graph())) == [
        "x' -X> relu DATA",
        "relu -Out> z DATA",
        "y' -X> relu' DATA",
        "relu' -Out> p DATA",
        "r' -X> relu'' DATA",
        "relu'' -Out> q DATA",
        "x -X> elementwise_add DATA",
        "w -Y> elementwise_add DATA",
        "elementwise_add -Out> x#1 DATA",
        "x#1 -In> print DATA",
        "c -Cond> conditional_block DATA",
        "x#1 -Input> conditional_block DATA",
        "conditional_block -= x#1> x' BLOCK",
        "z -> y BLOCK",
        "y -X> subgraph DATA",
        "subgraph -> y' BLOCK",
        "p -> r BLOCK",
        "r -X> subgraph' DATA",
        "subgraph' -> r' BLOCK",
        "q -> s BLOCK",
        "s -In> print' DATA",
        "print -> print' EFFECT",
    ]


def test_each_version_has_a_box_and_each_read_an_arrow() -> None:
    graph = parse_graph(
        """
        graph main(%x: float32[1]) {
          %x#1 = relu(X=%x)
          %x#2 = concat(X=[%x#1, %x#1])
          return %x#2
        }
        """
    )
    assert arrows(picture_of(graph)) == [
        "x -X> relu DATA",
        "relu -Out> x#1 DATA",
        "x#1 -X> concat DATA",
        "x#1 -X> concat DATA",
        "concat -Out> x#2 DATA",
    ]


def test_options_add_types_and_remove_attributes() -> None:
    graph = parse_graph(
        "graph main(%x: float32[?,2]) { %y = scale(X=%x) {scale=2.0} return %y }",
    )
    picture = picture_of(graph, PictureOptions(types=True, attributes=False))
    assert arrows(picture) == ["x -X/float32[?,2]> scale DATA", "scale -Out/?[*]> y DATA"]
    [op] = [box for box in picture.boxes.values() if box.kind is BoxKind.OP]
    assert op.lines == ("scale",)
    assert "scale=2.0" in op.title


def test_loop_has_arrows_for_its_carried_values() -> None:
    graph = parse_graph(
        """
        graph main(%c: bool[1], %x: float32[1]) {
          %c#1, %x#1 = while(Condition=%c, X=%x) {carried=2}
            graph block1(%c: bool[1], %x: float32[1]) {
              %x#1 = relu(X=%x)
              return %c, %x#1
            }
          return %x#1
        }
        """
    )
    assert arrows(picture_of(graph)) == [
        "x' -X> relu DATA",
        "relu -Out> x#1' DATA",
        "c -Condition> while DATA",
        "x -X> while DATA",
        "while -> c' BLOCK",
        "while -> x' BLOCK",
        "c' -> c#1 BLOCK",
        "x#1' -> x#1 BLOCK",
    ]


def test_each_of_two_blocks_has_a_frame_inside_the_frame_of_its_op() -> None:
    graph = nested_graph()
    condition, region, _ = (node for node in graph if node.blocks)
    condition.blocks.append(region.blocks[0])
    region.blocks.clear()

    frames = picture_of(graph).frames

    outer = f"cluster_{condition.id}"
    assert [(frame.label, frame.parent) for frame in list(frames.values())[:3]] == [
        ("block1, block2: conditional_block", None),
        ("block1", outer),
        ("block2", outer),
    ]


def folded(graph: Graph, *patterns: str) -> Picture:
    return picture_of(graph, PictureOptions(folding=Folding(patterns)))


def test_folded_block_is_part_of_the_box_of_its_op() -> None:
    graph = nested_graph()

    picture = folded(graph, "block2", "block3")

    subgraphs = [box for box in picture.boxes.values() if box.kind is BoxKind.FOLDED]
    assert [box.lines for box in subgraphs] == [
        ("subgraph", "device='npu'", "block2:", "1 op", "1 × relu"),
        ("subgraph", "device='npu'", "block3:", "1 op", "1 × relu"),
    ]
    assert [frame.label for frame in picture.frames.values()] == ["block1: conditional_block"]
    assert arrows(picture)[-6:] == [
        "y -X> subgraph DATA",
        "subgraph -Out> r DATA",
        "r -X> subgraph' DATA",
        "subgraph' -Out> s DATA",
        "s -In> print' DATA",
        "print -> print' EFFECT",
    ]


def test_folded_prefix_is_one_box_with_its_inputs_and_outputs() -> None:
    graph = parse_graph(
        """
        graph main(%x: float32[1]) {
          %w = const float32[1] [2.0]
          %v = const float32[1] [2.0]
          %a_1 = relu(X=%x)
          %a_2 = elementwise_add(X=%a_1, Y=%w)
          %b = elementwise_add(X=%a_2, Y=%v)
          %a_3 = elementwise_add(X=%b, Y=%a_2)
          %a_4 = elementwise_add(X=%a_3, Y=%x)
          return %a_4, %v
        }
        """
    )

    picture = folded(graph, "prefix:a_")

    assert boxes(picture) == [
        "ARGUMENT x in None",
        "CONSTANT v in None result",
        "FOLDED a_* | 4 ops | 3 × elementwise_add | 1 × relu in None",
        "VARIABLE a_2 in None",
        "VARIABLE b in None",
        "OP elementwise_add in None",
        "VARIABLE a_4 in None result",
    ]
    assert arrows(picture) == [
        "a_2 -X> elementwise_add DATA",
        "v -Y> elementwise_add DATA",
        "elementwise_add -Out> b DATA",
        "x -> a_* DATA",
        "a_* -> a_2 DATA",
        "b -> a_* DATA",
        "a_* -> a_4 DATA",
    ]


def test_effect_order_within_a_group_has_no_arrow() -> None:
    graph = parse_graph(
        """
        graph main(%x: float32[1]) {
          %a_1 = print(In=%x) effect
          %a_2 = print(In=%a_1) effect
          %b = print(In=%a_2) effect
          return %b
        }
        """
    )
    assert [text for text in arrows(folded(graph, "prefix:a_")) if text.endswith("EFFECT")] == [
        "a_* -> print EFFECT"
    ]
