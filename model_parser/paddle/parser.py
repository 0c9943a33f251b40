"""The parser of classic and PIR models, with combined or separate parameters, from files or buffers."""

from __future__ import annotations

from pathlib import Path

from lite.errors import ModelParseError
from lite.ir.program import Program
from lite.model_parser.paddle.files import PREFIX, Content, detect_content, find_model, read_file
from lite.plugin.format import ModelSource, model_parser


@model_parser("paddle")
class PaddleParser:
    """Classic programs (``__model__``, ``*.pdmodel``) with combined or separate parameters, and PIR programs
    (``inference.json``) with combined ones."""

    def sniff(self, source: ModelSource) -> bool:
        """Whether the content is Paddle's; true also for parameters, which `parse` refuses with advice."""
        try:
            prefix, has_paddle_name = _prefix(source)
        except ModelParseError:
            return False
        content = detect_content(prefix)
        return has_paddle_name if content in (Content.EMPTY, Content.OTHER) else True

    def parse(self, source: ModelSource) -> Program:
        """The whole model; weights of files are mapped, weights of a buffer are views of it."""
        # Imported here: every model is sniffed by every parser.
        from lite.model_parser.paddle.read_model import read_model

        return read_model(source)

    def save(self, program: Program, directory: Path, *, combined: bool) -> list[Path]:
        """Write ``inference.pdmodel`` and ``inference.pdiparams``, or ``__model__`` and a file per weight."""
        # Imported here: most processes that load a model save none.
        from lite.model_parser.paddle.write_model import write_model

        return write_model(program, directory, combined=combined)


def _prefix(source: ModelSource) -> tuple[bytes, bool]:
    """The first bytes of the program, and whether it was found in a directory by a name that Paddle uses."""
    if source.model is not None:
        return source.model[:PREFIX], False
    if source.path is None:
        return b"", False
    path = find_model(source.path)
    has_paddle_name = path != source.path and (path.name == "__model__" or path.suffix == ".pdmodel")
    return read_file(path, PREFIX), has_paddle_name
