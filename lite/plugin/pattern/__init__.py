"""Patterns: describe groups of ops that a device runs as one op.

::

    conv = is_op("conv2d")(Input=wildcard(), Filter=is_constant()).has_attr(groups=1).named("conv")
    fused = conv.optional(lambda x: is_op("batch_norm")(X=x).named("bn"))
    Composite("sim_npu.conv_relu", is_op("relu")(X=fused), lambda match: None)

A pattern describes a value by the op that writes it and by the patterns of that op's inputs.  A
`Composite` is a pattern with a name, for which a device registers a bridge.  docs/composites.md has
examples.
"""

from lite.plugin.pattern.composite import Composite, Match, explain_composites, find_composites
from lite.plugin.pattern.dominates import dominates
from lite.plugin.pattern.language import OpPattern, Pattern, is_constant, is_input, is_op, wildcard

__all__ = [
    "Composite",
    "Match",
    "OpPattern",
    "Pattern",
    "dominates",
    "explain_composites",
    "find_composites",
    "is_constant",
    "is_input",
    "is_op",
    "wildcard",
]
