"""The default list of passes, and edits of such lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lite.errors import ConfigError, suggest
from lite.passes.aliases import resolve
from lite.spec.grammar import parse_spec

HEAD = ("canonicalize_pass",)
"""Must come first: later passes expect one spelling per meaning."""

CLEANUP = (
    "identity_dropout_eliminate_pass",
    "identity_scale_eliminate_pass",
    "constant_fold_pass",
    "branch_fold_pass",
    "array_split_fold_pass",
    "dynamic_slice_fold_pass",
    "reshape_sizes_fold_pass",
    "einsum_to_matmul_pass",
    "dead_code_elimination_pass",
    "interpolate_fuse_pass",
    "identity_op_eliminate_pass",
    "redundant_cast_eliminate_pass",
    "redundant_transpose_eliminate_pass",
    "squeeze_sink_pass",
    "redundant_view_eliminate_pass",
    "common_subexpression_elimination_pass",
)
"""Clean-up for every device: folds constants and sizes, removes ops without effect and duplicates.

Einsum becomes products of matrices here, which more devices have.
"""

ABSORB, RESTORE = "absorb_quantization_pass", "restore_quantization_pass"
"""Devices see quantised values; the host's passes and kernels see ops that quantise and dequantise."""

PROPAGATE = "quantization_parameters_propagation_pass"
REMOVE = "quantization_parameters_removal_pass"
FOLD = "constant_fold_pass"

SUBGRAPH_PASS = "subgraph_pass"
"""Gives regions to devices, after the clean-up and before the fusions for the host."""

FUSIONS = (
    "unroll_loops_pass",
    "item_slice_to_gather_pass",
    "cheap_branch_to_select_pass",
    "growing_concat_to_array_pass",
    "constant_fold_pass",
    "dynamic_slice_fold_pass",
    "identity_op_eliminate_pass",
    "redundant_view_eliminate_pass",
    "resize_to_interp_pass",
    "qlinear_conv_split_pass",
    "quantized_float32_pass",
    "unsigned_codes_pass",
    "quantized_moves_pass",
    "pad_conv_fuse_pass",
    "quantized_lookup_fuse_pass",
    "quant_dequant_fuse_pass",
    "integer_matmul_fuse_pass",
    "weight_storage_fuse_pass",
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
    "reshape_softmax_reshape_fuse_pass",
    "transpose_softmax_transpose_fuse_pass",
    "reshape_transpose_reshape_fuse_pass",
    "unsqueeze2_pad3d_squeeze2_fuse_pass",
    "transpose2_matmul_fuse_pass",
    "attention_fuse_pass",
    "attention_split_pass",
    "plain_attention_fuse_pass",
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
    "requantize_fuse_pass",
    "fusion_group_pass",
    "quantized_group_fuse_pass",
    "dead_code_elimination_pass",
)
"""Fusions for the ops that stay on the host.

Passes that assemble a function from its parts come before passes that fuse ops with their neighbours.
``conv_elementwise_fuse_pass`` runs twice: for a bias before a normalisation, and for one after it.
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
"""Must come last: these passes lead from the graph to the plan."""


def default_pipeline() -> list[str]:
    """The list of passes for a Config without one."""
    return [*HEAD, *DEFAULT, *TAIL]


def complete(names: Iterable[str]) -> list[str]:
    """`names` with all mandatory passes, those of `HEAD` and `TAIL`, in their order.

    A list that absorbs quantisation restores it, too, because kernels have no quantised values.

    Lists for Paddle-Lite lack the head and parts of the tail, and have their casts in another order.  So
    a mandatory pass that comes only before an earlier one of the tail is repeated after it.  A pass of
    the tail that comes before an optional pass is moved after all optional passes, because these support
    neither the axes of NHWC nor picked kernels.
    """
    completed = list(names)
    present = [resolve(parse_spec(name).name) for name in completed]
    optional = max((n for n, name in enumerate(present) if name in DEFAULT), default=0)
    kept = [n for n, name in enumerate(present) if n >= optional or name not in TAIL]
    completed, present = [completed[n] for n in kept], [present[n] for n in kept]
    place = len(completed)
    for n, name in reversed(list(enumerate(TAIL))):
        earliest = max((present.index(other) for other in TAIL[:n] if other in present), default=-1)
        if name in present[earliest + 1 : place]:
            place = present.index(name, earliest + 1)
        else:
            completed.insert(place, name)
            present.insert(place, name)
    if ABSORB in present and RESTORE not in present:
        completed.insert(next(n for n, name in enumerate(present) if name in TAIL), RESTORE)
    missing = [name for name in HEAD if name not in present]
    return [*missing, *completed]


def with_subgraphs(names: Sequence[str]) -> list[str]:
    """`names` with a `subgraph_pass` before the first fusion or the tail, unless they contain one.

    Between the first pass and the last `subgraph_pass`, values are quantised, and no longer ops; not so in a
    list with fusions for the host before it.
    """
    resolved = _resolved(names)
    if SUBGRAPH_PASS not in resolved:
        place = next((n for n, name in enumerate(resolved) if name in _FOR_HOST), len(names))
        names = [*names[:place], SUBGRAPH_PASS, *names[place:]]
    return _with_quantized_values(names)


def _with_quantized_values(names: Sequence[str]) -> list[str]:
    names = _with_integers_on_the_host(names)
    resolved = _resolved(names)
    last = len(names) - resolved[::-1].index(SUBGRAPH_PASS)
    first = resolved.index(HEAD[0]) + 1 if HEAD[0] in resolved[:last] else last
    absorbs = ABSORB in resolved
    before, regions, rest = list(names[:first]), list(names[first:last]), list(names[last:])
    if not absorbs and first < last and not _FOR_HOST.intersection(resolved[:last]):
        absorbs = True
        before.append(ABSORB)
        at = next(n for n, name in enumerate(_resolved(regions)) if name in (REMOVE, SUBGRAPH_PASS))
        regions.insert(at, PROPAGATE)
    if absorbs and RESTORE not in resolved:
        # Folding computes what it could not compute of quantised constants.
        regions += [RESTORE, FOLD] if FOLD in resolved else [RESTORE]
    return [*before, *regions, *rest]


def _with_integers_on_the_host(names: Sequence[str]) -> Sequence[str]:
    """Paddle-Lite's list begins with the fusion of quantisation; here devices see quantised values first."""
    resolved = _resolved(names)
    last = len(names) - resolved[::-1].index(SUBGRAPH_PASS)
    early = [n for n in range(last) if resolved[n] == _INTEGERS]
    if not early:
        return names
    rest = [text for n, text in enumerate(names[:last]) if n not in early]
    return [*rest, names[early[0]], *names[last:]]


_INTEGERS = "quant_dequant_fuse_pass"
_FOR_HOST = frozenset({*FUSIONS, *TAIL, RESTORE} - {*CLEANUP})


def _resolved(names: Iterable[str]) -> list[str]:
    return [resolve(parse_spec(name).name) for name in names]


def subgraph_passes(names: Sequence[str]) -> list[str]:
    """The entries of a list that are a `subgraph_pass`, with their options."""
    return [name for name in names if resolve(parse_spec(name).name) == SUBGRAPH_PASS]


def after_subgraphs(names: Sequence[str]) -> list[str]:
    """The passes after the last `subgraph_pass` of a list."""
    resolved = [resolve(parse_spec(name).name) for name in names]
    place = len(names) - resolved[::-1].index(SUBGRAPH_PASS) if SUBGRAPH_PASS in resolved else 0
    return list(names[place:])


def insert_before(names: Sequence[str], anchor: str, new: str) -> list[str]:
    """`names` with `new`, a pass with or without options, before the first pass called `anchor`.

    >>> insert_before(["conv_bn_fuse_pass", "fc_fuse_pass"], "fc_fuse_pass", "graph_visualize_pass")
    ['conv_bn_fuse_pass', 'graph_visualize_pass', 'fc_fuse_pass']

    This function and the following ones resolve names of Paddle-Lite, ignore the options of passes when
    they search, and return a new list.  They raise `ConfigError`, with similar names, if the list has no
    such pass, and for a text that is not a pass with options.
    """
    place = _positions(names, anchor)[0]
    return [*names[:place], str(parse_spec(new)), *names[place:]]


def insert_after(names: Sequence[str], anchor: str, new: str) -> list[str]:
    """`names` with `new` after the last pass called `anchor`; see `insert_before`."""
    place = _positions(names, anchor)[-1] + 1
    return [*names[:place], str(parse_spec(new)), *names[place:]]


def remove(names: Sequence[str], name: str, *, first_only: bool = False) -> list[str]:
    """`names` without the passes called `name`, or without the first of them; see `insert_before`."""
    positions = _positions(names, name)
    removed = positions[:1] if first_only else positions
    return [text for place, text in enumerate(names) if place not in removed]


def _positions(names: Sequence[str], name: str) -> list[int]:
    """The positions of the passes called `name`, at least one."""
    present = [resolve(parse_spec(text).name) for text in names]
    resolved = resolve(parse_spec(name).name)
    positions = [position for position, text in enumerate(present) if text == resolved]
    if not positions:
        near = suggest(resolved, list(dict.fromkeys(present)))
        raise ConfigError(f"no pass {name!r} is in the list{near}; the list: {', '.join(names) or 'empty'}")
    return positions
