"""The parser of naive buffers, from a file or a buffer."""

from __future__ import annotations

from pathlib import Path

from lite.errors import ModelParseError
from lite.ir.program import Program
from lite.model_parser.paddlelite_nb.container import HEADER, Container, engine_version, open_container
from lite.plugin.format import ModelSource, map_regular, model_parser, open_regular

SUFFIX = ".nb"


@model_parser("paddlelite_nb")
class NaiveBufferParser:
    """Models that Paddle-Lite's ``opt`` wrote, which contain their parameters."""

    def sniff(self, source: ModelSource) -> bool:
        """Whether the content begins with a layout and a version of Paddle-Lite."""
        if source.model is not None:
            return engine_version(source.model[: HEADER.size]) is not None
        path = _model_path(source)
        if path is None:
            return False
        try:
            with open_regular(path) as file:
                return engine_version(file.read(HEADER.size)) is not None
        except OSError:
            return False

    def parse(self, source: ModelSource) -> Program:
        """The whole model as Paddle's ops; raises `ModelParseError` for damage and for ops of one device."""
        if source.params is not None or source.params_path is not None:
            raise ModelParseError(f"{source}: a naive buffer contains its parameters; name the model only")
        # Imported here: every model is sniffed by every parser.
        from lite.model_parser.paddlelite_nb.translate import translate

        path = _model_path(source)
        try:
            container = open_container(_content(source, path))
            program = _read(container, str(source))
            translate(program)
        except ModelParseError as error:
            raise ModelParseError(f"{source}: {error}") from error
        program.files = [] if path is None else [str(path)]
        program.origin = {"producer": f"Paddle-Lite {container.engine}, layout {container.layout}"}
        return program

    def save(self, program: Program, directory: Path, *, combined: bool) -> list[Path]:
        """Refuses: this parser does not write naive buffers."""
        raise ModelParseError(
            f"{directory}: programs cannot be saved as naive buffers; save as paddle or export to ONNX"
        )


def _model_path(source: ModelSource) -> Path | None:
    """The model's file: in a directory the only one with the suffix ``.nb``."""
    path = source.path
    if path is None or not path.is_dir():
        return path
    models = sorted(path.glob(f"*{SUFFIX}"))
    return models[0] if len(models) == 1 else path


def _content(source: ModelSource, path: Path | None) -> memoryview:
    if source.model is not None:
        return memoryview(source.model)
    if path is None:
        raise ModelParseError("the model source has neither a path nor bytes; give one of them")
    try:
        return memoryview(map_regular(path))
    except OSError as error:
        raise ModelParseError(f"cannot be read: {error.strerror}; check the path") from error


def _read(container: Container, label: str) -> Program:
    """The program as the file states it, with its weights."""
    if container.layout == 0:
        from lite.model_parser.paddlelite_nb.field_program import read_field_parameters, read_field_program

        program = read_field_program(container.program, label)
        program.weights = read_field_parameters(container.parameters)
        return program
    from lite.model_parser.paddlelite_nb.flat_parameters import read_buffers, read_one_buffer
    from lite.model_parser.paddlelite_nb.flat_program import read_flat_program
    from lite.model_parser.paddlelite_nb.translate import refuse_device_ops

    program = read_flat_program(container.program, label)
    refuse_device_ops(program)
    read = read_one_buffer if container.layout == 1 else read_buffers
    program.weights = read(container.parameters)
    return program
