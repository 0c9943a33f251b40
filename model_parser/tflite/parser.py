"""The parser of TFLite models, from a file or a buffer."""

from __future__ import annotations

from pathlib import Path

from lite.errors import ModelParseError
from lite.ir.program import Program
from lite.plugin.format import ModelSource, model_parser, open_regular

IDENTIFIER = b"TFL3"
"""The file identifier of a TFLite model, a FlatBuffer, at bytes 4 to 7."""


@model_parser("tflite")
class TfliteParser:
    """TFLite models, which contain their parameters."""

    def sniff(self, source: ModelSource) -> bool:
        """Whether the content has the file identifier."""
        try:
            return _read(source, 8)[4:8] == IDENTIFIER
        except ModelParseError:
            return False

    def parse(self, source: ModelSource) -> Program:
        """The whole model; raises `ModelParseError` for a damaged file and for ops that are not supported."""
        if source.params is not None or source.params_path is not None:
            raise ModelParseError(f"{source}: a TFLite model contains its parameters; name the model only")
        # Imported here: every parser sniffs every model, and only TFLite models need the reader.
        from lite.model_parser.tflite.read_model import read_model

        program = read_model(_read(source), str(source))
        path = _model_path(source)
        program.files = [] if path is None else [str(path)]
        return program

    def save(self, program: Program, directory: Path, *, combined: bool) -> list[Path]:
        """Raises `ModelParseError`: this parser does not write TFLite."""
        raise ModelParseError(
            f"{directory}: programs cannot be saved as TFLite; save as paddle or export to ONNX"
        )


def _model_path(source: ModelSource) -> Path | None:
    """The file of the model; in a directory, the only file with the suffix ``.tflite``."""
    path = source.path
    if path is None or not path.is_dir():
        return path
    models = sorted(path.glob("*.tflite"))
    return models[0] if len(models) == 1 else path


def _read(source: ModelSource, limit: int = -1) -> bytes:
    """The bytes of the model, or its first `limit`."""
    if source.model is not None:
        return source.model if limit < 0 else source.model[:limit]
    path = _model_path(source)
    if path is None:
        raise ModelParseError("the model source has neither a path nor bytes; give one of them")
    try:
        with open_regular(path) as file:
            return file.read(limit)
    except (OSError, ValueError) as error:
        raise ModelParseError(f"{path}: cannot be read: {error}; check the path") from error
