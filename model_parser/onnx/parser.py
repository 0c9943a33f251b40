"""The parser of ONNX models, from a file with external data beside it or from a buffer."""

from __future__ import annotations

from pathlib import Path

from lite.errors import ModelParseError
from lite.extras import require
from lite.ir.program import Program
from lite.plugin.format import ModelSource, map_regular, model_parser, open_regular

_IR_VERSION = 0x08
"""The first byte of a ModelProto, the tag of ``ir_version``.  Paddle's programs begin with 0x0a."""


@model_parser("onnx")
class OnnxParser:
    """ONNX models, opset 7 and newer, in one file or with external data beside it."""

    def sniff(self, source: ModelSource) -> bool:
        """Whether the content begins like a ModelProto."""
        if source.model is not None:
            return _looks_like_onnx(source.model[:64])
        path = _model_path(source)
        if path is None or not path.is_file():
            return False
        try:
            with open_regular(path) as file:
                return _looks_like_onnx(file.read(64))
        except OSError:
            return False

    def parse(self, source: ModelSource) -> Program:
        """The whole model; large weights are mapped."""
        if source.params is not None or source.params_path is not None:
            raise ModelParseError(f"{source}: an ONNX model contains its parameters; name the model only")
        require("onnx", "onnx", f"{source}: reading ONNX models")
        # Imported here: every model is sniffed by every parser, and onnx is slow to import.
        from lite.model_parser.onnx.read_graph import parse_content, read_model

        path = _model_path(source)
        if path is None:
            model, taken = parse_content(source.model or b"", str(source))
            return read_model(model, str(source), None, taken)
        try:
            model, taken = parse_content(map_regular(path), str(path))
        except OSError as error:
            raise ModelParseError(
                f"{path}: cannot be read: {error.strerror}; check its permissions"
            ) from error
        program = read_model(model, str(path), path.parent, taken)
        program.files.insert(0, str(path))
        return program

    def save(self, program: Program, directory: Path, *, combined: bool) -> list[Path]:
        """Refuses: this parser does not write ONNX."""
        raise ModelParseError(f"{directory}: programs cannot be saved as ONNX; save as paddle")


def _model_path(source: ModelSource) -> Path | None:
    path = source.path
    if path is None or not path.is_dir():
        return path
    models = sorted(path.glob("*.onnx"))
    return models[0] if len(models) == 1 else path


def _looks_like_onnx(prefix: bytes) -> bool:
    return len(prefix) > 2 and prefix[0] == _IR_VERSION and 0 < prefix[1] < 64
