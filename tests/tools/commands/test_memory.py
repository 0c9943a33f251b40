"""Tables and pictures of `litebridge memory`."""

from __future__ import annotations

from pathlib import Path

from tests.tools.tiny_model import call, call_json

PASSES = ("--passes", "memory_optimize_pass")
"""No fusions: y = relu(x w + b) has three ops, and the results of the first two are planned."""


def test_the_document_has_strategies_arenas_and_weights(workplace: Path) -> None:
    result = call_json("memory", "model_dir", "--shape", "x=16,4", *PASSES)
    weights, strategies = result["weights"], result.pop("strategies")
    assert strategies[0] == {
        "strategy": "compact",
        "arena_bytes": 192,
        "largest_live_set": 192,
        "ratio": 1.0,
        "buffers": 1,
    }
    assert [row["strategy"] for row in strategies] == ["compact", "best_fit", "mru", "plain"]
    assert result == {
        "strategy": "compact",
        "arenas": [
            {
                "block": "main",
                "start": 0,
                "stop": 3,
                "buffers": [{"names": ["xw", "sum"], "offset": 0, "size": 192, "first": 0, "last": 2}],
                "arena_bytes": 192,
                "largest_live_set": 192,
                "at": 0,
            }
        ],
        "scratch": 0,
        "weights": {"bytes": 60, "copied": weights["copied"], "packed": weights["packed"]},
        "written": [],
    }


def test_tables_and_picture_show_the_plan(workplace: Path) -> None:
    result = call(
        "memory", "model_dir", "--shape", "x=16,4", "--strategy", "mru", "--out", "plan.svg", *PASSES
    )
    lines = result.stdout.splitlines()
    assert lines[:9] == [
        "strategies",
        "strategy  arena bytes  largest live set  ratio  buffers  chosen",
        "compact           192               192      1        1  no",
        "best_fit          192               192      1        1  no",
        "mru               192               192      1        1  yes",
        "plain             192               192      1        1  no",
        "",
        "arenas, by instruction",
        "block  from  to  buffers  arena bytes  largest live set  at",
    ]
    assert lines[9] == "main      0   3        1          192               192   0"
    assert [line.split() for line in lines[11:13]] == [["scratch", "0"], ["weights", "60"]]
    assert lines[-1] == "wrote plan.svg"
    assert "xw, sum: 192 bytes at 0, instructions 0 to 2" in (workplace / "plan.svg").read_text(
        encoding="utf-8"
    )


def test_unknown_picture_format_is_an_error(workplace: Path) -> None:
    result = call("memory", "model_dir", "--shape", "x=2,4", "--out", "plan.pdf")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == "litebridge: plan.pdf: the name of a picture ends with .svg, .html, .png\n"


def test_open_sizes_need_a_shape(workplace: Path) -> None:
    result = call("memory", "model_dir")
    assert result.exit_code == 1
    assert "give a shape, such as --shape x=1,4" in result.stderr
