"""Everything that the author of an emitter imports."""

from lite.plugin.emitter.emission import Emission, Parameter, Source
from lite.plugin.emitter.emit_op import EmitOp, EmitValue
from lite.plugin.emitter.emitters import EMITTERS, Emitter, emitter, load_emitters

__all__ = [
    "EMITTERS",
    "Emission",
    "EmitOp",
    "EmitValue",
    "Emitter",
    "Parameter",
    "Source",
    "emitter",
    "load_emitters",
]
