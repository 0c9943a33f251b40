"""Which passes run, in which order."""

from __future__ import annotations

from lite.passes.pipelines import DEFAULT, HEAD, TAIL, complete, default_pipeline


def test_default() -> None:
    assert default_pipeline() == [*HEAD, *DEFAULT, *TAIL]
    assert complete(default_pipeline()) == default_pipeline()


def test_an_empty_list_gets_what_is_mandatory() -> None:
    assert complete([]) == [
        "canonicalize_pass",
        "static_kernel_pick_pass",
        "variable_place_inference_pass",
        "memory_optimize_pass",
        "generate_program_pass",
    ]


def test_mandatory_passes_go_before_later_ones_that_are_there() -> None:
    given = ["lite_conv_bn_fuse_pass", "memory_optimize_pass", "graph_visualize_pass"]

    assert complete(given) == [
        "canonicalize_pass",
        "lite_conv_bn_fuse_pass",
        "static_kernel_pick_pass",
        "variable_place_inference_pass",
        "memory_optimize_pass",
        "graph_visualize_pass",
        "generate_program_pass",
    ]


def test_options_and_aliases_count_as_there() -> None:
    given = ["graph_visualize_pass{svg=false}", "lite_canonicalize_pass", "static_kernel_pick_pass{}"]

    assert complete(given) == [
        "graph_visualize_pass{svg=false}",
        "lite_canonicalize_pass",
        "static_kernel_pick_pass{}",
        "variable_place_inference_pass",
        "memory_optimize_pass",
        "generate_program_pass",
    ]
