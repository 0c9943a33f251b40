"""The DOT of pictures."""

from __future__ import annotations

import colorsys
import itertools

from lite.ir.text import parse_graph
from lite.passes.debug.colors import block_color, region_color
from lite.passes.debug.dot import MAX_FRAMES, OUTLINE, STROKES, dot_text
from lite.passes.debug.graph_picture import picture_of
from lite.passes.debug.picture import ArrowKind, Box, BoxKind, Frame, Picture
from tests.lite.passes.debug.nested_graph import nested_graph

HEAD = [
    "digraph G {",
    '\tgraph [fontname=Helvetica fontsize=12 labeljust=l size="200,200"]',
    f'\tnode [color="{OUTLINE}" fontname=Helvetica fontsize=12 height=0.3 margin="0.12,0.06" style=filled]',
    "\tedge [arrowsize=0.7 fontname=Helvetica fontsize=10]",
]
DATA, BLOCK = STROKES[ArrowKind.DATA], STROKES[ArrowKind.BLOCK]


def test_ops_are_yellow_boxes_and_variables_ellipses() -> None:
    graph = parse_graph(
        """
        graph main(%x: float32[?,2]) {
          %w = const float32[2] [1.0, 2.0]
          %x#1 = elementwise_add(X=%x, Y=%w) {axis=1} : float32[?,2]
          return %x#1
        }
        """
    )
    assert dot_text(picture_of(graph), legend=False).splitlines() == [
        *HEAD,
        '\tvalue1 [label=x fillcolor=palegreen shape=ellipse tooltip="%x: float32[?,2]"]',
        '\tvalue2 [label=w fillcolor=lightgrey shape=ellipse tooltip="%w: float32[2]\\n[1.0, 2.0]"]',
        (
            '\tvalue3 [label="x#1" fillcolor=white peripheries=2 shape=ellipse '
            'tooltip="%x#1: float32[?,2]\\nresult x"]'
        ),
        (
            '\top4 [label="elementwise_add\\naxis=1" fillcolor=yellow shape=box tooltip="elementwise_add '
            '%x#1\\naxis=1\\nX < %x: float32[?,2]\\nY < %w: float32[2]\\nOut > %x#1: float32[?,2]"]'
        ),
        f'\tvalue1 -> op4 [label=X color="{DATA}"]',
        f'\tvalue2 -> op4 [label=Y color="{DATA}"]',
        f'\top4 -> value3 [label=Out color="{DATA}"]',
        "}",
    ]


def test_block_is_a_cluster() -> None:
    graph = parse_graph(
        """
        graph main(%c: bool[1], %x: float32[1]) {
          %y = conditional_block(Cond=%c, Input=%x) {carried=0}
            graph block1(%x: float32[1]) {
              %z = relu(X=%x)
              return y=%z
            }
          return %y
        }
        """
    )
    [node] = graph
    [block] = node.blocks
    [relu] = block
    argument, result = block.args[0].id, relu.output().id

    lines = dot_text(picture_of(graph), legend=False).splitlines()

    start = lines.index(f"\tsubgraph cluster_{node.id} {{")
    end = lines.index("\t}")
    assert lines[start + 1] == (
        f'\t\tcolor="{OUTLINE}" fillcolor="{block_color(0)}" label="block1: conditional_block" style=filled'
    )
    assert [line.split()[0] for line in lines[start + 2 : end]] == [
        f"op{node.id}",
        f"value{argument}",
        f"value{result}",
        f"op{relu.id}",
    ]
    assert lines[-3:] == [
        f'\top{node.id} -> value{argument} [color="{BLOCK}" style=dashed]',
        f'\tvalue{result} -> value{node.output().id} [color="{BLOCK}" style=dashed]',
        "}",
    ]


def test_no_character_of_a_label_is_interpreted() -> None:
    picture = Picture()
    for number, line in enumerate(("<b>", 'a\\n"b"', "end\\", "")):
        picture.add_box(Box(f"op{number}", BoxKind.OP, (line, line), "é"))
    lines = dot_text(picture, legend=False).splitlines()[len(HEAD) : -1]
    assert [line.partition(" fillcolor")[0] for line in lines] == [
        '\top0 [label="<b>\\n<b>"',
        '\top1 [label="a\\\\n\\"b\\"\\na\\\\n\\"b\\""',
        '\top2 [label="end\\\\\\nend\\\\"',
        '\top3 [label="\\n"',
    ]


def test_legend_is_a_cluster_of_its_own() -> None:
    picture = Picture()
    picture.add_box(Box("op1", BoxKind.OP, ("relu",), ""))
    lines = dot_text(picture).splitlines()[len(HEAD) :]
    assert lines == [
        "\tsubgraph cluster_legend {",
        "\t\tcolor=lightgrey label=legend",
        "\t\tlegend_op [label=op fillcolor=yellow shape=box tooltip=op]",
        "\t}",
        '\top1 [label=relu fillcolor=yellow shape=box tooltip=""]',
        "}",
    ]


def test_legend_has_a_sample_of_everything_in_the_picture() -> None:
    lines = dot_text(picture_of(nested_graph())).splitlines()
    legend = [line.strip() for line in lines[len(HEAD) + 2 : lines.index("\t}")]]
    assert [
        line.partition(" tooltip")[0] for line in legend if " -> " not in line and "point" not in line
    ] == [
        "legend_op [label=op fillcolor=yellow shape=box",
        "legend_variable [label=variable fillcolor=white shape=ellipse",
        "legend_constant [label=constant fillcolor=lightgrey shape=ellipse",
        "legend_argument [label=argument fillcolor=palegreen shape=ellipse",
        "legend_result [label=result fillcolor=white peripheries=2 shape=ellipse",
        f'legend_frame0 [label="block1: conditional_block" fillcolor="{block_color(0)}" shape=box]',
        f'legend_frame1 [label="block2: region on npu" fillcolor="{region_color(0, 0)}" shape=box]',
        f'legend_frame2 [label="block3: region on npu" fillcolor="{region_color(0, 1)}" shape=box]',
    ]
    assert [line.partition(" [label=")[2] for line in legend if " -> " in line] == [
        f'"reads, writes" color="{DATA}"]',
        f'"argument or result of a block" color="{BLOCK}" style=dashed]',
        f'"order of effects" color="{STROKES[ArrowKind.EFFECT]}" style=dashed]',
    ]


def test_legend_lists_only_the_first_frames() -> None:
    picture = Picture()
    for index in range(MAX_FRAMES + 3):
        picture.add_frame(Frame(f"frame{index}", f"block{index}", "azure"))
    frames = [line.strip() for line in dot_text(picture).splitlines() if "legend_frame" in line]
    assert len(frames) == MAX_FRAMES + 1
    assert frames[-1] == f'legend_frame{MAX_FRAMES} [label="… 3 more" fillcolor=white shape=box]'


def test_regions_of_one_device_share_a_hue() -> None:
    colors = {region_color(device, index) for device in range(8) for index in range(3)}
    assert len(colors) == 24
    hues = [[_hue(region_color(device, index)) for index in range(3)] for device in range(8)]
    assert all(max(each) - min(each) < 0.01 for each in hues)
    assert all(abs(a[0] - b[0]) > 0.02 for a, b in itertools.combinations(hues, 2))


def test_nested_graphs_have_different_colours() -> None:
    assert len({block_color(index) for index in range(12)}) == 12


def _hue(color: str) -> float:
    rgb = (int(color[start : start + 2], 16) / 255 for start in (1, 3, 5))
    return colorsys.rgb_to_hls(*rgb)[0]
