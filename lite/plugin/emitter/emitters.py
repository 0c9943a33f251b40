"""Emitters: a function for each op writes its source code, or answers why it cannot.

::

    @emitter("c", "relu")
    def relu(op: EmitOp, out: Emission) -> str | None:
        x, y = op["X"], op.out("Out")
        if x.dtype is not DType.FLOAT32:
            return f"X must be float32, got {x}"
        out.read(x, "x")
        out.write(y, "y", over="x")
        out.code(f"for (int i = 0; i < {y.size}; i++) y[i] = x[i] > 0.0f ? x[i] : 0.0f;")
        return None

Write the op's name as a string literal in the file, or ``ops_with(Trait.NAME)``: the loader finds the
file by it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lite.dataclass import dataclass
from lite.errors import PluginError, suggest
from lite.ops.schema import SCHEMAS
from lite.plugin.emitter.emission import Emission
from lite.plugin.emitter.emit_op import EmitOp
from lite.plugin.loader import EMITTERS as ROOT
from lite.plugin.loader import load_modules, modules_by_word
from lite.plugin.registry import Registry

EmitFunction = Callable[[EmitOp, Emission], "str | None"]
"""Writes the code of an op to the emission; a sentence says why the op cannot be written."""


@dataclass(frozen=True)
class Emitter:
    """The function, and whether it takes images in NHWC where the op has them in NCHW."""

    emit: EmitFunction
    channels_last: bool = False


EMITTERS: Registry[tuple[str, str], Emitter] = Registry("emitter")
"""Emitters by the names of a language and of an op."""


def emitter(language: str, *ops: str, channels_last: bool = False) -> Callable[[EmitFunction], EmitFunction]:
    """Register the function that emits these ops; raises `PluginError` for a taken or unknown op."""

    def register(emit: EmitFunction) -> EmitFunction:
        owner = emit.__module__
        for op in ops:
            if op not in SCHEMAS:
                near = suggest(op, SCHEMAS)
                raise PluginError(
                    f"emitter {language} {op} in {owner}: no op of that name has a schema{near}"
                )
            EMITTERS.add((language, op), Emitter(emit, channels_last), owner)
        return emit

    return register


def load_emitters(language: str, ops: Iterable[str]) -> None:
    """Import the files of a language, and of packages that join by entry point, that name these op types."""
    index, own = modules_by_word(ROOT), f"{ROOT}.{language}."
    modules = {module for op in ops for module in index.get(op, ())}
    load_modules(sorted(m for m in modules if m.startswith(own) or not m.startswith(f"{ROOT}.")))
