"""Operators that pnnx leaves as ``aten::``: the inputs are the arguments of torch's schema, in its order."""

from __future__ import annotations

from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import TRANSLATIONS, pnnx_op
from lite.model_parser.pnnx.value import Results, Value

_SCHEMAS = {
    "instance_norm": ("F.instance_norm", "input weight bias running_mean running_var use_input_stats _ eps"),
    "channel_shuffle": ("F.channel_shuffle", "input groups"),
    **{f"_upsample_nearest_exact{n}d": ("F.interpolate mode=nearest-exact", "input size") for n in (1, 2, 3)},
}
"""Operator → the type that it is read as, with parameters, and the names of its inputs."""

_OPERATORS = {f"aten::{name}": row for name, row in _SCHEMAS.items()}


@pnnx_op(*_OPERATORS)
def by_schema(call: Call) -> Value | Results:
    """The translation of another type, whose names the inputs get."""
    target, names = _OPERATORS[call.type]
    type_name, *params = target.split()
    pairs = (param.split("=") for param in params)
    renamed = call.as_type(type_name, names.split(), {key: value for key, value in pairs})
    return TRANSLATIONS.get(type_name)(renamed)
