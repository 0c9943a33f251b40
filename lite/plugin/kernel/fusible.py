"""The ops that a target's kernels can compute as a step of another op, for the fusion passes.

The host's kernels apply every activation as the last step of a convolution, a product or arithmetic.  The
kernels of another target may apply only some of them; a file that they import states which, and which ops
the target's kernel of fusion_group compiles::

    state_activations("npu", ("relu", "relu6"))
    state_instructions("npu", ("elementwise_add", "relu"))
"""

from __future__ import annotations

from collections.abc import Collection

from lite.ir.types import HOST
from lite.ops import SCHEMAS, Trait, ops_with
from lite.plugin.kernel.kernels import kernels_of
from lite.plugin.loader import load_kernels
from lite.plugin.registry import Registry

ACTIVATIONS: Registry[str, frozenset[str]] = Registry("activations of target")
"""What each target states; kernels of a target that states nothing apply every activation."""

INSTRUCTIONS: Registry[str, frozenset[str]] = Registry("fusion_group instructions of target")
"""What each target states; a target that states nothing compiles no programs."""


def state_activations(target: str, ops: Collection[str]) -> None:
    """State the activations that kernels of `target` apply; raises `PluginError` where it is stated twice."""
    ACTIVATIONS.add(target, frozenset(ops), target)


def state_instructions(target: str, ops: Collection[str]) -> None:
    """State the ops that fusion_group of `target` compiles; raises `PluginError` where it is stated twice."""
    INSTRUCTIONS.add(target, frozenset(ops), target)


def fusible_activations(op: str, targets: Collection[str]) -> frozenset[str]:
    """The activations that all kernels of `op` on these targets apply as last step."""
    load_kernels([op], set(targets) - {HOST})
    stated = (
        ACTIVATIONS.find(kernel.place.target) for kernel in kernels_of(op) if kernel.place.target in targets
    )
    current = {name for name in ops_with(Trait.ACTIVATION) if SCHEMAS[name].canonical is None}
    return frozenset(current).intersection(*(ops for ops in stated if ops is not None))


def fusible_instructions(targets: Collection[str]) -> frozenset[str]:
    """The ops that a program of fusion_group may have: those that one of these targets compiles."""
    load_kernels(["fusion_group"], set(targets) - {HOST})
    stated = (INSTRUCTIONS.find(target) for target in targets)
    return frozenset().union(*(ops for ops in stated if ops is not None))
