"""The default list of passes, and edits of lists."""

from __future__ import annotations

import pytest

from lite.errors import ConfigError
from lite.passes.pipelines import (
    DEFAULT,
    HEAD,
    TAIL,
    complete,
    default_pipeline,
    insert_after,
    insert_before,
    remove,
    with_subgraphs,
)

NAMES = ("conv_bn_fuse_pass", "graph_visualize_pass{svg=false}", "fc_fuse_pass", "lite_conv_bn_fuse_pass")


def test_the_default_list_is_complete() -> None:
    assert default_pipeline() == [*HEAD, *DEFAULT, *TAIL]
    assert complete(default_pipeline()) == default_pipeline()


def test_an_empty_list_gets_the_mandatory_passes() -> None:
    assert complete([]) == [
        "canonicalize_pass",
        "static_kernel_pick_pass",
        "variable_place_inference_pass",
        "type_precision_cast_pass",
        "type_layout_cast_pass",
        "type_target_cast_pass",
        "runtime_context_assign_pass",
        "memory_optimize_pass",
        "generate_program_pass",
    ]


def test_missing_mandatory_passes_are_inserted_before_later_ones() -> None:
    names = ["lite_conv_bn_fuse_pass", "memory_optimize_pass", "graph_visualize_pass"]

    assert complete(names) == [
        "canonicalize_pass",
        "lite_conv_bn_fuse_pass",
        "static_kernel_pick_pass",
        "variable_place_inference_pass",
        "type_precision_cast_pass",
        "type_layout_cast_pass",
        "type_target_cast_pass",
        "runtime_context_assign_pass",
        "memory_optimize_pass",
        "graph_visualize_pass",
        "generate_program_pass",
    ]


def test_a_mandatory_pass_before_an_earlier_one_runs_again() -> None:
    """Paddle-Lite casts targets before types and layouts."""
    names = ["lite_type_target_cast_pass", "type_precision_cast_pass", "type_layout_cast_pass"]

    assert complete(names) == [
        "canonicalize_pass",
        "lite_type_target_cast_pass",
        "static_kernel_pick_pass",
        "variable_place_inference_pass",
        "type_precision_cast_pass",
        "type_layout_cast_pass",
        "type_target_cast_pass",
        "runtime_context_assign_pass",
        "memory_optimize_pass",
        "generate_program_pass",
    ]


def test_passes_with_options_and_aliases_are_recognised() -> None:
    names = ["graph_visualize_pass{svg=false}", "lite_canonicalize_pass", "static_kernel_pick_pass{}"]

    assert complete(names) == [
        "graph_visualize_pass{svg=false}",
        "lite_canonicalize_pass",
        "static_kernel_pick_pass{}",
        "variable_place_inference_pass",
        "type_precision_cast_pass",
        "type_layout_cast_pass",
        "type_target_cast_pass",
        "runtime_context_assign_pass",
        "memory_optimize_pass",
        "generate_program_pass",
    ]


def test_passes_are_inserted_before_the_first_and_after_the_last_of_a_name() -> None:
    new = "graph_visualize_pass{svg=true}"
    assert insert_before(NAMES, "conv_bn_fuse_pass", new) == [new, *NAMES]
    assert insert_after(NAMES, "conv_bn_fuse_pass", new) == [*NAMES, new]
    assert insert_before(NAMES, "lite_fc_fuse_pass", new) == [*NAMES[:2], new, *NAMES[2:]]
    assert insert_after(NAMES, "graph_visualize_pass", new) == [*NAMES[:2], new, *NAMES[2:]]


def test_all_or_the_first_of_a_name_are_removed() -> None:
    assert remove(NAMES, "conv_bn_fuse_pass") == list(NAMES[1:3])
    assert remove(NAMES, "conv_bn_fuse_pass", first_only=True) == list(NAMES[1:])
    assert remove(NAMES, "graph_visualize_pass") == [NAMES[0], *NAMES[2:]]


def test_values_are_quantised_for_regions_only() -> None:
    assert with_subgraphs(["canonicalize_pass", "constant_fold_pass", "fc_fuse_pass"]) == [
        "canonicalize_pass",
        "absorb_quantization_pass",
        "constant_fold_pass",
        "quantization_parameters_propagation_pass",
        "subgraph_pass",
        "restore_quantization_pass",
        "constant_fold_pass",
        "fc_fuse_pass",
    ]
    two = ["canonicalize_pass", "subgraph_pass{device=a}", "subgraph_pass{device=b}", "fc_fuse_pass"]
    absorb, restore = "absorb_quantization_pass", "restore_quantization_pass"
    propagate = "quantization_parameters_propagation_pass"
    assert with_subgraphs(two) == [two[0], absorb, propagate, *two[1:3], restore, two[3]]


def test_a_list_with_fusions_before_the_regions_keeps_ops_that_quantise() -> None:
    names = ["canonicalize_pass", "fc_fuse_pass", "subgraph_pass", "generate_program_pass"]
    assert with_subgraphs(names) == names


def test_a_list_that_absorbs_quantisation_restores_it() -> None:
    names = ["canonicalize_pass", "absorb_quantization_pass", *TAIL]
    assert complete(names) == [*names[:2], "restore_quantization_pass", *TAIL]
    regions = ["subgraph_pass", "restore_quantization_pass"]
    assert with_subgraphs(complete(names)) == [*names[:2], *regions, *TAIL]


def test_edited_lists_can_run() -> None:
    names = insert_after(default_pipeline(), "canonicalize_pass", "graph_visualize_pass")
    assert names[:2] == ["canonicalize_pass", "graph_visualize_pass"]
    assert complete(names) == names
    assert remove(names, "graph_visualize_pass") == default_pipeline()


def test_a_pass_that_the_list_lacks_is_an_error() -> None:
    message = (
        r"no pass 'fc_fus_pass' is in the list; did you mean 'fc_fuse_pass'.*; the list: conv_bn_fuse_pass, "
    )
    with pytest.raises(ConfigError, match=message):
        insert_before(NAMES, "fc_fus_pass", "graph_visualize_pass")
    with pytest.raises(ConfigError, match=message):
        insert_after(NAMES, "fc_fus_pass", "graph_visualize_pass")
    with pytest.raises(ConfigError, match=message):
        remove(NAMES, "fc_fus_pass")
    with pytest.raises(ConfigError, match="the list: empty"):
        remove([], "fc_fuse_pass")


def test_a_text_that_is_not_a_pass_is_an_error() -> None:
    with pytest.raises(ConfigError, match="expected a name"):
        insert_before(NAMES, "fc_fuse_pass", "{svg=false}")


def test_paddle_lites_list_quantises_values_before_the_regions() -> None:
    names = [
        "canonicalize_pass",
        "lite_quant_dequant_fuse_pass",
        "quantization_parameters_removal_pass",
        "nnadapter_subgraph_pass",
        "lite_fc_fuse_pass",
    ]
    assert with_subgraphs(names) == [
        "canonicalize_pass",
        "absorb_quantization_pass",
        "quantization_parameters_propagation_pass",
        "quantization_parameters_removal_pass",
        "nnadapter_subgraph_pass",
        "restore_quantization_pass",
        "lite_quant_dequant_fuse_pass",
        "lite_fc_fuse_pass",
    ]
