"""The editable list of passes."""

from __future__ import annotations

from lite.compat.paddle_inference.pass_builder import PassStrategy, default_passes
from lite.passes.pipelines import HEAD, TAIL, default_pipeline


def test_the_default_list_has_all_passes_but_the_mandatory_ones() -> None:
    builder = PassStrategy(default_passes())

    assert [*HEAD, *builder.all_passes(), *TAIL] == default_pipeline()
    assert builder.analysis_passes() == [*HEAD, *TAIL]
    assert builder.ignored == []


def test_passes_are_added_inserted_deleted_and_replaced() -> None:
    builder = PassStrategy(["fc_fuse_pass", "dead_code_elimination_pass"])
    builder.append_pass("dead_code_elimination_pass")
    builder.insert_pass(1, "conv_bn_fuse_pass")
    assert builder.all_passes() == [
        "fc_fuse_pass",
        "conv_bn_fuse_pass",
        "dead_code_elimination_pass",
        "dead_code_elimination_pass",
    ]

    builder.delete_pass("dead_code_elimination_pass")
    assert builder.all_passes() == ["fc_fuse_pass", "conv_bn_fuse_pass"]

    builder.set_passes(["constant_fold_pass"])
    assert builder.all_passes() == ["constant_fold_pass"]

    builder.clear_passes()
    assert builder.all_passes() == []


def test_names_of_other_projects_are_replaced_and_options_kept() -> None:
    builder = PassStrategy([])
    builder.append_pass("lite_conv_bn_fuse_pass")
    builder.append_pass("conv_elementwise_add_fuse_pass")
    builder.append_pass("graph_visualize_pass{svg=false}")
    assert builder.all_passes() == [
        "conv_bn_fuse_pass",
        "conv_elementwise_fuse_pass",
        "graph_visualize_pass{svg=false}",
    ]

    builder.delete_pass("graph_visualize_pass")
    builder.delete_pass("lite_conv_elementwise_fuse_pass")
    assert builder.all_passes() == ["conv_bn_fuse_pass"]


def test_an_unknown_name_is_recorded_once_and_changes_nothing() -> None:
    builder = PassStrategy(["fc_fuse_pass"])
    builder.delete_pass("matmul_transpose_reshape_fuse_pass")
    builder.append_pass("matmul_transpose_reshape_fuse_pass")
    builder.insert_pass(0, "seqpool_concat_fuse_pass")

    assert builder.all_passes() == ["fc_fuse_pass"]
    assert builder.ignored == ["matmul_transpose_reshape_fuse_pass", "seqpool_concat_fuse_pass"]


def test_a_copy_keeps_debug_and_ignored_and_is_independent() -> None:
    builder = PassStrategy(["fc_fuse_pass", "unknown_pass"])
    builder.turn_on_debug()
    copied = builder.copy()
    copied.append_pass("conv_bn_fuse_pass")

    assert (copied.debug, copied.ignored) == (True, ["unknown_pass"])
    assert builder.debug_string() == "Passes to apply:\n  - fc_fuse_pass"
    assert not builder.use_gpu()
