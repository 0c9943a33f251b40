"""The parser of PNNX models, from a pair of files or from buffers."""

from __future__ import annotations

from pathlib import Path

from lite.errors import ModelParseError
from lite.ir.program import Program
from lite.model_parser.pnnx.files import (
    Buffer,
    decode,
    find_bin,
    find_param,
    looks_like_param,
    map_file,
    read_text,
)
from lite.plugin.format import ModelSource, model_parser, open_regular

_PREFIX = 64


@model_parser("pnnx")
class PnnxParser:
    """A ``.pnnx.param`` and a ``.pnnx.bin`` beside it or named explicitly, or a directory with one pair."""

    def sniff(self, source: ModelSource) -> bool:
        """Whether the content begins like an operator list."""
        if source.model is not None:
            return looks_like_param(source.model[:_PREFIX])
        if source.path is None:
            return False
        try:
            with open_regular(find_param(source.path)) as file:
                return looks_like_param(file.read(_PREFIX))
        except (OSError, ValueError, ModelParseError):
            return False

    def parse(self, source: ModelSource) -> Program:
        """The whole model; weights of files are mapped, weights of a buffer are views of it."""
        # Imported here: every model is sniffed by every parser.
        from lite.model_parser.pnnx.read_graph import read_graph

        if source.model is not None:
            data, label, _ = _weights(source, None)
            return read_graph(decode(source.model, str(source)), str(source), data, label)
        if source.path is None:
            raise ModelParseError("the model source has neither a path nor bytes; give one of them")
        param = find_param(source.path)
        data, label, weights = _weights(source, param)
        program = read_graph(read_text(param), str(param), data, label)
        program.files = [str(path) for path in (param, weights) if path is not None]
        return program

    def save(self, program: Program, directory: Path, *, combined: bool) -> list[Path]:
        """Refuses: this parser does not write PNNX."""
        raise ModelParseError(f"{directory}: programs cannot be saved as PNNX; save as paddle")


def _weights(source: ModelSource, param: Path | None) -> tuple[Buffer | None, str, Path | None]:
    """The archive of weights, its name in messages, and its path; None for a model without archive."""
    if source.params is not None:
        return source.params, f"params buffer of {len(source.params)} bytes", None
    path = source.params_path or (None if param is None else find_bin(param))
    return (None, "no weights file", None) if path is None else (map_file(path), str(path), path)
