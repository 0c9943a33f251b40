"""Pictures as DOT."""

from __future__ import annotations

from lite.ir.text import parse_graph
from lite.passes.debug.dot import dot_text
from lite.passes.debug.graph_picture import picture_of
from lite.passes.debug.picture import ArrowKind, Box, BoxKind, Picture
from lite.passes.debug.style import OUTLINE, STROKES, block_color

HEAD = [
    "digraph G {",
    "\tgraph [fontname=Helvetica fontsize=12 labeljust=l]",
    f'\tnode [color="{OUTLINE}" fontname=Helvetica fontsize=12 height=0.3 margin="0.12,0.06" style=filled]',
    "\tedge [arrowsize=0.7 fontname=Helvetica fontsize=10]",
]
DATA, BLOCK = STROKES[ArrowKind.DATA], STROKES[ArrowKind.BLOCK]


def test_a_small_graph() -> None:
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


def test_a_block_is_a_cluster() -> None:
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


def test_text_stands_for_itself() -> None:
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


def test_a_legend_of_its_own_cluster() -> None:
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
