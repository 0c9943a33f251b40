"""Passes, graphs and files of `litebridge opt`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import lite
from lite.ir.text import parse_graph
from lite.passes.pipelines import default_pipeline
from tests.tools.tiny_model import X, call, call_json, reference

PASSES = ("-p", "canonicalize_pass,lite_fc_fuse_pass,dead_code_elimination_pass")

START = """\
graph main(%x: float32[?,4]) {
  %w = const float32[4,3] [1.0, 0.0, -1.0, 2.0, 1.0, 0.0, 0.0, -3.0, 1.0, 0.5, 0.0, 4.0]
  %b = const float32[3] [0.0, 10.0, -1.0]
  %xw = mul(X=%x, Y=%w) {x_num_col_dims=1, y_num_col_dims=1} : float32[?,3]
  %sum = elementwise_add(X=%xw, Y=%b) {axis=1} : float32[?,3]
  %y = relu(X=%sum) : float32[?,3]
  return %y
}
"""

LISTED = [
    ("canonicalize_pass", 3, 3),
    ("fc_fuse_pass", 3, 1),
    ("dead_code_elimination_pass", 1, 1),
    ("static_kernel_pick_pass", 1, 1),
    ("variable_place_inference_pass", 1, 1),
    ("type_precision_cast_pass", 1, 1),
    ("type_layout_cast_pass", 1, 1),
    ("type_target_cast_pass", 1, 1),
    ("runtime_context_assign_pass", 1, 1),
    ("memory_optimize_pass", 1, 1),
    ("generate_program_pass", 1, 1),
]


def test_the_document_has_a_record_per_pass(workplace: Path) -> None:
    result = call_json("opt", "model_dir", *PASSES)
    passes = result.pop("passes")
    assert [(row["name"], row["ops_before"], row["ops_after"]) for row in passes] == LISTED
    assert [row["name"] for row in passes if row["changed"]][:2] == [
        "fc_fuse_pass",
        "static_kernel_pick_pass",
    ]
    assert all(row["seconds"] > 0 for row in passes)
    assert result == {
        "ops": {"before": {"mul": 1, "elementwise_add": 1, "relu": 1}, "after": {"fc": 1}},
        "graphs": [],
        "diff": "",
        "written": [],
    }


def test_the_output_has_tables_of_passes_and_ops(workplace: Path) -> None:
    lines = call("opt", "model_dir", *PASSES).stdout.splitlines()
    assert lines[0] == "passes"
    # The width of the last column depends on the times.
    assert lines[1].startswith("number  pass                           changed  ops before  ops after  ")
    assert re.fullmatch(
        r"     1  fc_fuse_pass                   yes               3          1 +[\d.e-]+", lines[2]
    )
    end = lines.index("")
    assert all(re.fullmatch(r" +\d+  \w+ +yes .*", line) for line in lines[2 : end - 1])
    unchanged = len(LISTED) - (end - 3)
    assert re.fullmatch(
        rf"{unchanged} others changed nothing, in [\d.]+ ms \(--wide shows them\)", lines[end - 1]
    )
    assert lines[end:] == [
        "",
        "ops by type",
        "type             as loaded  optimised",
        "elementwise_add          1          0",
        "fc                       0          1",
        "mul                      1          0",
        "relu                     1          0",
    ]


def test_without_p_the_default_list_runs(workplace: Path) -> None:
    assert [row["name"] for row in call_json("opt", "model_dir")["passes"]] == default_pipeline()


def test_print_before_the_first_pass_is_the_graph_as_loaded(workplace: Path) -> None:
    out = call("opt", "model_dir", *PASSES, "--print-before", "canonicalize_pass").stdout
    assert out.startswith(f"// before canonicalize_pass\n{START}\npasses\n")


def test_graphs_before_and_after_a_pass_are_printed(workplace: Path) -> None:
    result = call_json(
        "opt", "model_dir", *PASSES, "--print-before", "fc_fuse_pass", "--print-after", "fc_fuse_pass"
    )
    before, after = result["graphs"]
    assert (before["when"], before["name"]) == ("before", "fc_fuse_pass")
    assert [node.op for node in parse_graph(before["text"])] == ["mul", "elementwise_add", "relu"]
    assert (after["when"], after["name"]) == ("after", "fc_fuse_pass")
    assert [node.op for node in parse_graph(after["text"])] == ["fc"]


def test_print_after_all_prints_the_graph_after_each_pass(workplace: Path) -> None:
    out = call("opt", "model_dir", *PASSES, "--print-after", "all").stdout
    assert re.findall(r"^// after (\w+)$", out, re.MULTILINE) == [name for name, _, _ in LISTED]


def test_a_pass_outside_the_list_is_refused(workplace: Path) -> None:
    result = call("opt", "model_dir", "-p", "", "--print-after", "fc_fuse_pass")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(
        "litebridge: no pass 'fc_fuse_pass' is in the list; litebridge opt MODEL --show-passes shows the list"
    )


@pytest.mark.parametrize(
    ("name", "options"),
    [("saved.lbm", []), ("saved", ["--optimize-out-type", "lbm"])],
    ids=["name", "option"],
)
def test_an_artifact_gives_the_same_result(workplace: Path, name: str, options: list[str]) -> None:
    result = call_json("opt", "model_dir", "--save", name, *options)
    assert result["written"] == [name]
    outputs = lite.create_predictor(lite.Config(name)).run({"x": X})
    np.testing.assert_allclose(outputs["y"], reference(X), rtol=1e-6)


def test_a_type_without_a_place_to_save_is_wrong_usage(workplace: Path) -> None:
    result = call("opt", "model_dir", "--optimize-out-type", "lbm")
    assert (result.exit_code, "--optimize-out-type needs --save" in result.stderr) == (2, True)


def test_the_saved_model_gives_the_same_result(workplace: Path) -> None:
    result = call_json("opt", "model_dir", "--save", "saved")
    assert sorted(result["written"]) == ["saved/inference.pdiparams", "saved/inference.pdmodel"]

    program = lite.load_program("saved")
    assert [op.type for op in program.blocks[0].ops] == ["feed", "fc", "fetch"]
    outputs = lite.create_predictor(lite.Config("saved")).run({"x": X})
    assert list(outputs) == ["y"]
    np.testing.assert_array_equal(outputs["y"], reference(X))


def test_dump_has_the_graph_as_loaded_and_after_each_change(workplace: Path) -> None:
    written = call_json("opt", "model_dir", *PASSES, "--dump", "texts")["written"]
    assert written[:2] == ["texts/00_start.txt", "texts/02_fc_fuse_pass.txt"]
    assert sorted(written) == sorted(str(path) for path in Path("texts").iterdir())
    assert Path("texts/00_start.txt").read_text() == START


def test_diff_compares_the_text_of_two_steps(workplace: Path) -> None:
    difference = call_json("opt", "model_dir", *PASSES, "--diff", "loaded", "lite_fc_fuse_pass")["diff"]
    lines = difference.splitlines()
    assert lines[:3] == ["--- loaded", "+++ fc_fuse_pass", "@@ -3,5 +3,3 @@"]
    loaded = START.splitlines()
    removed = [f"-{line}" for line in loaded[3:6]]
    assert [*lines[3:7], lines[-1]] == [f" {loaded[2]}", *removed, f" {loaded[6]}"]
    assert [line.split("(")[0] for line in lines[7:-1]] == ["+  %y = fc"]
    assert call_json("opt", "model_dir", *PASSES, "--diff", "loaded", "loaded")["diff"] == ""
    refused = call("opt", "model_dir", *PASSES, "--diff", "loaded", "gelu_fuse_pass")
    assert refused.exit_code == 1
    assert "no pass 'gelu_fuse_pass' is in the list" in refused.stderr


def test_dot_draws_the_loaded_and_the_optimised_graph(workplace: Path) -> None:
    result = call("opt", "model_dir", *PASSES, "--dot", "pictures", "--json")
    # Without Graphviz, the first picture of a process says once that only the DOT files are written.
    assert result.exit_code == 0
    assert result.stderr == "" or "Graphviz" in result.stderr
    written = json.loads(result.stdout)["written"]
    assert [path for path in written if path.endswith(".dot")] == [
        "pictures/00_start.dot",
        "pictures/01_generate_program_pass.dot",
    ]
    assert all(Path(path).read_text() for path in written)


def test_input_shape_is_checked(workplace: Path) -> None:
    shape = ("--input-shape", "x=7,4")
    result = call_json("opt", "model_dir", *shape, "--print-after", "generate_program_pass")
    assert len(result["graphs"]) == 1
    result = call("opt", "model_dir", "--input-shape", "X=7,4")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith("litebridge: input_shapes: the model has no input 'X'")


def test_show_passes_does_not_run_them(workplace: Path) -> None:
    listed = ("-p", "constant_fold_pass{max_bytes=8},remove_scale1_pass", "--show-passes")
    assert call("opt", "no_model", *listed).stdout == (
        "number  pass                           options\n"
        "     0  canonicalize_pass\n"
        "     1  constant_fold_pass             max_bytes=8\n"
        "     2  identity_scale_eliminate_pass\n"
        "     3  static_kernel_pick_pass\n"
        "     4  variable_place_inference_pass\n"
        "     5  type_precision_cast_pass\n"
        "     6  type_layout_cast_pass\n"
        "     7  type_target_cast_pass\n"
        "     8  runtime_context_assign_pass\n"
        '     9  memory_optimize_pass           strategy="", order=model\n'
        "    10  generate_program_pass\n"
    )
    assert call_json("opt", "no_model", *listed)["passes"][1] == {
        "name": "constant_fold_pass",
        "options": {"max_bytes": "8"},
    }


def test_a_malformed_list_is_refused(workplace: Path) -> None:
    result = call("opt", "model_dir", "-p", "fc_fuse_pass dead")
    assert result.exit_code == 1
    assert result.stderr == (
        "litebridge: expected ',' or the end of the list after a spec:\n"
        "  fc_fuse_pass dead\n"
        "               ^\n"
    )
