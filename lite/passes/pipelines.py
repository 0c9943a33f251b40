"""Which passes run, in which order."""

from __future__ import annotations

from collections.abc import Iterable

from lite.passes.aliases import resolve
from lite.passes.spec import parse_spec

HEAD = ("canonicalize_pass",)
"""Must come first: every other pass sees one spelling per meaning."""

DEFAULT = (
    "identity_dropout_eliminate_pass",
    "identity_scale_eliminate_pass",
    "constant_fold_pass",
    "dead_code_elimination_pass",
    "conv_elementwise_fuse_pass",
    "conv_bn_fuse_pass",
    "conv_elementwise_fuse_pass",
    "conv_activation_fuse_pass",
    "fc_fuse_pass",
    "dead_code_elimination_pass",
)
"""What is worth doing for the host; a bias before a normalisation is folded first, one behind it later."""

TAIL = (
    "static_kernel_pick_pass",
    "variable_place_inference_pass",
    "memory_optimize_pass",
    "generate_program_pass",
)
"""Must come last: from the graph to the plan."""


def default_pipeline() -> list[str]:
    """The list that runs when the user gives none."""
    return [*HEAD, *DEFAULT, *TAIL]


def complete(names: Iterable[str]) -> list[str]:
    """`names` with the mandatory passes they lack, each in front of the later mandatory ones.

    Lists written for Paddle-Lite have none of the head and not all of the tail.
    """
    completed = list(names)
    present = [resolve(parse_spec(name).name) for name in completed]
    place = len(completed)
    for name in reversed(TAIL):
        if name in present:
            place = present.index(name)
        else:
            completed.insert(place, name)
            present.insert(place, name)
    missing = [name for name in HEAD if name not in present]
    return [*missing, *completed]
