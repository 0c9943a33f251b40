"""Op schemas: slots, attributes, shape rules, traits.  Importing this package declares every op."""

from lite.ops import defs as defs  # declares the ops
from lite.ops.infer import check_slots, infer
from lite.ops.schema import (
    SCHEMAS,
    OpSchema,
    Trait,
    canonical_op,
    clamp_of,
    get_schema,
    has_trait,
    ops_with,
)
from lite.ops.view import Meta, OpView

__all__ = [
    "SCHEMAS",
    "Meta",
    "OpSchema",
    "OpView",
    "Trait",
    "canonical_op",
    "check_slots",
    "clamp_of",
    "get_schema",
    "has_trait",
    "infer",
    "ops_with",
]
