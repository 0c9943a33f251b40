"""Export of a model as C: plans the steps, and writes the folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lite.codegen.cut import nearest_cut
from lite.codegen.library import compiled_library
from lite.codegen.limits import NO_LIMIT, Limit, argument_bytes, check_limits
from lite.codegen.lower import original
from lite.codegen.project import identifier, render, write_folder
from lite.codegen.schedule import schedule
from lite.codegen.source import write_copies, write_source
from lite.codegen.steps import Refusal
from lite.codegen.targets import BOARDS, TARGETS
from lite.codegen.weights import Weights
from lite.config import Config
from lite.dataclass import dataclass
from lite.errors import CompileError
from lite.ir.graph import Value
from lite.ir.types import DType
from lite.plugin.emitter import EmitValue
from lite.version import VERSION

LANGUAGE = "c"
ARRAY_BYTES = 100_000
"""Weights up to this size are an array in the source; compilers take long for larger ones."""


@dataclass(frozen=True)
class Argument:
    """An input or output of the exported model."""

    name: str
    dtype: DType
    shape: tuple[int, ...]

    @classmethod
    def of(cls, name: str, value: Value) -> Argument:
        """The argument of a value."""
        each = EmitValue(value)
        return cls(name, each.dtype, each.shape)


@dataclass(frozen=True)
class Export:
    """What an export wrote; `arena` and `weights` are in bytes.

    `stripes` has a sentence for each range of layers that computes stripes of rows one after the other.
    """

    name: str
    inputs: Sequence[Argument]
    outputs: Sequence[Argument]
    arena: int
    weights: int
    steps: int
    functions: int
    files: Sequence[str]
    stripes: Sequence[str] = ()

    def facts(self) -> dict[str, object]:
        """Everything as plain values."""
        arguments = {
            kind: [{"name": a.name, "dtype": str(a.dtype), "shape": list(a.shape)} for a in each]
            for kind, each in (("inputs", self.inputs), ("outputs", self.outputs))
        }
        return {**vars(self), **arguments, "files": list(self.files), "stripes": list(self.stripes)}


def export_c(
    config: Config,
    folder: Path,
    target: str = "c",
    name: str = "",
    limit: Limit = NO_LIMIT,
    outputs: Sequence[str] = (),
) -> Export:
    """Write the model of a Config, or the part that computes `outputs`, as C to a folder.

    With the target "shared", the C compiler of this machine, ``$CC`` or gcc, makes a library of it.

    Raises `CompileError` naming all ops that cannot be written, or what exceeds a limit, or why there is no
    library; `ConfigError` for inputs of open shape and for a folder with other files.  Nothing is written
    then.
    """
    kind = TARGETS[target]
    planned = schedule(config, LANGUAGE, kind, limit, outputs)
    graph, steps, plan = planned.graph, planned.steps, planned.plan
    if steps.refusals:
        raise CompileError(_refused(config, steps.refusals))
    weights = Weights(kind.alignment)
    source = write_source(steps, plan, weights)
    copies = write_copies(steps, plan, weights)
    content = weights.content()
    check_limits(limit, graph, steps, plan, weights)
    name = identifier(name or _name(config))
    values = {
        "name": name,
        "NAME": name.upper(),
        "version": VERSION,
        "arena": plan.arena,
        "weights": len(content),
        "arguments": argument_bytes(graph),
        "alignment": kind.alignment,
        "boards": BOARDS,
        "inputs": [_argument(arg, arg.name) for arg in graph.args],
        "outputs": [
            _argument(value, text) for value, text in zip(graph.results, graph.result_names, strict=True)
        ],
        "library": source.library,
        "functions": source.functions,
        "calls": source.calls,
        "labels": [_quoted(label) for label in source.labels],
        "copies": copies,
        "fingerprint": ", ".join(str(byte) for byte in content[40:56]),
        "first": int.from_bytes(content[24:32], "little"),
        "second": int.from_bytes(content[32:40], "little"),
        "array": _array(content) if len(content) <= ARRAY_BYTES else "",
    }
    files = {each: render(template, values) for each, template in kind.files.items()}
    files["weights.bin"] = content
    if kind.library:
        files[f"lib{name}.so"] = compiled_library(files, f"lib{name}.so")
    write_folder(folder, files)
    return Export(
        name,
        [Argument.of(arg.name, arg) for arg in graph.args],
        [Argument.of(text, value) for text, value in zip(graph.result_names, graph.results, strict=True)],
        plan.arena,
        len(content),
        len(source.calls),
        len(source.functions),
        tuple(files),
        planned.stripes,
    )


def _refused(config: Config, refusals: Sequence[Refusal]) -> str:
    lines = "\n".join(f"  {refusal}" for refusal in refusals)
    count = "1 op" if len(refusals) == 1 else f"{len(refusals)} ops"
    names = {value.name for each in refusals for value in (each.outer or each.node).all_outputs()}
    return f"{count} cannot be written as C:\n{lines}\n{nearest_cut(original(config), names)}"


def _name(config: Config) -> str:
    path = config.model_file or config.model_dir
    return "model" if path is None else Path(path).name.split(".")[0]


def _argument(value: Value, label: str) -> dict[str, object]:
    each = EmitValue(value)
    clean = "".join(c if c.isprintable() and c not in "\\*/|`" else "_" for c in label)
    return {
        "label": clean,
        "quoted": _quoted(label),
        "text": str(each),
        "dtype": str(each.dtype),
        "shape": list(each.shape),
        "bytes": each.bytes,
        "file": f"{identifier(label)}.bin",
    }


def _quoted(text: str) -> str:
    plain = "".join(c if c.isascii() and c.isprintable() and c not in '\\"?' else "_" for c in text)
    return f'"{plain}"'


def _array(content: bytes) -> str:
    lines = [content[n : n + 24] for n in range(0, len(content), 24)]
    return ",\n".join(",".join(map(str, line)) for line in lines)
