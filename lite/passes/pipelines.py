"""Which passes run, in which order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lite.errors import ConfigError, suggest
from lite.passes.aliases import resolve
from lite.spec.grammar import parse_spec

HEAD = ("canonicalize_pass",)
"""Must come first: every other pass sees one spelling per meaning."""

CLEANUP = (
    "identity_dropout_eliminate_pass",
    "identity_scale_eliminate_pass",
    "constant_fold_pass",
    "dynamic_slice_fold_pass",
    "reshape_sizes_fold_pass",
    "dead_code_elimination_pass",
    "interpolate_fuse_pass",
    "identity_op_eliminate_pass",
    "redundant_cast_eliminate_pass",
    "redundant_transpose_eliminate_pass",
    "squeeze_sink_pass",
    "redundant_view_eliminate_pass",
    "common_subexpression_elimination_pass",
)
"""What is worth doing for every device: constants, sizes, what does nothing, what is there twice."""

SUBGRAPH_PASS = "subgraph_pass"
"""Gives regions to devices; stands between the two."""

FUSIONS = (
    "adaptive_1x1_pool2d_convert_global_pass",
    "conv_elementwise_fuse_pass",
    "conv_bn_fuse_pass",
    "conv_elementwise_fuse_pass",
    "scalar_elementwise_to_scale_pass",
    "sigmoid_elementmul_fuse_pass",
    "hard_sigmoid_fuse_pass",
    "hard_swish_fuse_pass",
    "gelu_fuse_pass",
    "layer_norm_fuse_pass",
    "elementwise_pow_to_square_pass",
    "scales_fuse_pass",
    "gate_residual_fuse_pass",
    "conv_scale_fuse_pass",
    "conv_conv_fuse_pass",
    "conv_elementwise_tree_fuse_pass",
    "conv_activation_fuse_pass",
    "conv_scale_fuse_pass",
    "conv_activation_scale_fold_pass",
    "conv_input_scale_fuse_pass",
    "squeeze_excite_fuse_pass",
    "shuffle_channel_fuse_pass",
    "transpose_softmax_transpose_fuse_pass",
    "unsqueeze2_pad3d_squeeze2_fuse_pass",
    "transpose2_matmul_fuse_pass",
    "attention_fuse_pass",
    "fc_fuse_pass",
    "matmul_fuse_pass",
    "flatten_fc_fuse_pass",
    "fc_scale_fuse_pass",
    "fc_activation_fuse_pass",
    "fc_prelu_fuse_pass",
    "embedding_eltwise_layernorm_fuse_pass",
    "skip_layernorm_fuse_pass",
    "elementwise_scale_fuse_pass",
    "scale_activation_fuse_pass",
    "scales_fuse_pass",
    "elementwise_activation_fuse_pass",
    "fusion_group_pass",
    "dead_code_elimination_pass",
)
"""What is worth doing for ops that stay on the host.

First parts of one function are put together, at last ops take their neighbours in.  A bias before a
normalisation is folded first, one behind it later.
"""

DEFAULT = (*CLEANUP, SUBGRAPH_PASS, *FUSIONS)

TAIL = (
    "static_kernel_pick_pass",
    "variable_place_inference_pass",
    "type_precision_cast_pass",
    "type_layout_cast_pass",
    "type_target_cast_pass",
    "runtime_context_assign_pass",
    "memory_optimize_pass",
    "generate_program_pass",
)
"""Must come last: from the graph to the plan."""


def default_pipeline() -> list[str]:
    """The list that runs when the user gives none."""
    return [*HEAD, *DEFAULT, *TAIL]


def complete(names: Iterable[str]) -> list[str]:
    """`names` with the mandatory passes they lack, each in front of the later mandatory ones.

    Lists written for Paddle-Lite have none of the head and not all of the tail, and cast in another
    order: a mandatory pass that stands only before an earlier one runs once more, behind it.  One of the
    tail that stands before an optional pass runs behind it instead: those know neither the axes of NHWC
    nor the kernels that were picked.
    """
    completed = list(names)
    present = [resolve(parse_spec(name).name) for name in completed]
    optional = max((n for n, name in enumerate(present) if name in DEFAULT), default=0)
    late = [n for n, name in enumerate(present) if n >= optional or name not in TAIL]
    completed, present = [completed[n] for n in late], [present[n] for n in late]
    place = len(completed)
    for n, name in reversed(list(enumerate(TAIL))):
        earliest = max((present.index(other) for other in TAIL[:n] if other in present), default=-1)
        if name in present[earliest + 1 : place]:
            place = present.index(name, earliest + 1)
        else:
            completed.insert(place, name)
            present.insert(place, name)
    missing = [name for name in HEAD if name not in present]
    return [*missing, *completed]


def with_subgraphs(names: Sequence[str]) -> list[str]:
    """`names` with a `subgraph_pass`, unless there is one: before the first fusion, or before the tail."""
    resolved = [resolve(parse_spec(name).name) for name in names]
    if SUBGRAPH_PASS in resolved:
        return list(names)
    late = (*FUSIONS, *TAIL)
    place = next((n for n, name in enumerate(resolved) if name in late and name not in CLEANUP), len(names))
    return [*names[:place], SUBGRAPH_PASS, *names[place:]]


def subgraph_passes(names: Sequence[str]) -> list[str]:
    """The `subgraph_pass`es of a list, with their options."""
    return [name for name in names if resolve(parse_spec(name).name) == SUBGRAPH_PASS]


def after_subgraphs(names: Sequence[str]) -> list[str]:
    """The passes after the last `subgraph_pass` of a list."""
    resolved = [resolve(parse_spec(name).name) for name in names]
    place = len(names) - resolved[::-1].index(SUBGRAPH_PASS) if SUBGRAPH_PASS in resolved else 0
    return list(names[place:])


def insert_before(names: Sequence[str], anchor: str, new: str) -> list[str]:
    """`names` with `new`, a pass with or without options, in front of the first pass called `anchor`.

    >>> insert_before(["conv_bn_fuse_pass", "fc_fuse_pass"], "fc_fuse_pass", "graph_visualize_pass")
    ['conv_bn_fuse_pass', 'graph_visualize_pass', 'fc_fuse_pass']

    In this and the functions below, names of Paddle-Lite are followed, options do not count when a
    pass is looked for, and the list that is given stays as it is.  Raises `ConfigError` with near names
    when the list has no such pass, and for text that is no pass with options.
    """
    place = _positions(names, anchor)[0]
    return [*names[:place], str(parse_spec(new)), *names[place:]]


def insert_after(names: Sequence[str], anchor: str, new: str) -> list[str]:
    """`names` with `new` behind the last pass called `anchor`; raises like `insert_before`."""
    place = _positions(names, anchor)[-1] + 1
    return [*names[:place], str(parse_spec(new)), *names[place:]]


def remove(names: Sequence[str], name: str, *, first_only: bool = False) -> list[str]:
    """`names` without the passes called `name`, or without the first of them; raises like `insert_before`."""
    positions = _positions(names, name)
    removed = positions[:1] if first_only else positions
    return [text for place, text in enumerate(names) if place not in removed]


def _positions(names: Sequence[str], name: str) -> list[int]:
    """Where passes called `name` stand: once or more."""
    present = [resolve(parse_spec(text).name) for text in names]
    wanted = resolve(parse_spec(name).name)
    found = [place for place, text in enumerate(present) if text == wanted]
    if not found:
        near = suggest(wanted, list(dict.fromkeys(present)))
        raise ConfigError(f"no pass {name!r} is in the list{near}; the list: {', '.join(names) or 'empty'}")
    return found
