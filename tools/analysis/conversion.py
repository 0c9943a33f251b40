"""Converts a model to another format, and compares the results of both models."""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path

import numpy as np

from lite.config import Config
from lite.dataclass import dataclass
from lite.errors import ConfigError, InputError, suggest
from lite.io.load import load_program
from lite.io.save import export_program, find_writer, save_program
from lite.ir.types import Array, Shape
from lite.plugin.format import PARSERS, ModelSource
from lite.plugin.loader import load_parsers
from lite.session.predictor import create_predictor
from lite.tools.analysis.declared_shapes import with_input_shapes
from lite.tools.arrays.comparison import Comparison, compare
from lite.tools.options.feeds import FeedOptions

FORMATS = ("paddle", "onnx")
"""The formats that can be written."""

TOLERANCE, FLOOR = 1e-3, 1e-6
"""The outputs of both models are equal within these, as in `compare`."""

_FILE_TYPE = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,11}")


@dataclass(frozen=True)
class Conversion:
    """A converted model.

    `ops` has the number of ops as loaded, after clean-up (None if the program is written without
    changes) and as written.  `bytes` has the sizes of the weights and of the written files.  `unchecked`
    is the reason why the results were not compared, or None.
    """

    source: str
    source_format: str | None
    format: str
    written: Sequence[Path]
    ops: Mapping[str, int | None]
    bytes: Mapping[str, int]
    details: Mapping[str, object]
    outputs: Sequence[Comparison] = ()
    unchecked: str | None = None
    types: Mapping[str, int] = field(default_factory=dict)

    @property
    def differs(self) -> bool:
        """Whether an output of the converted model differs."""
        return any(each.problem for each in self.outputs)


def format_of(source: ModelSource) -> str | None:
    """The name of the format that recognises a model, or None."""
    load_parsers()
    return next((name for name in PARSERS if PARSERS.get(name).sniff(source)), None)


def target_format(path: Path, name: str | None) -> str:
    """The format `name`, or the one that the suffix of `path` implies.

    Raises `ConfigError` where the suffix names a type of file that is not written, or not by the format.
    """
    if name == "onnx" and path.suffix != ".onnx" and _FILE_TYPE.fullmatch(path.suffix) and not path.is_dir():
        raise ConfigError(
            f"{path}: no ONNX file ends with {path.suffix}; write a name with .onnx, or one without an "
            "ending for a folder with model.onnx"
        )
    if name is not None or path.suffix == ".onnx":
        return name or "onnx"
    if _FILE_TYPE.fullmatch(path.suffix) and not path.is_dir():
        raise ConfigError(
            f"{path}: no format is written to files that end with {path.suffix}; a name with .onnx makes an "
            f"ONNX file, one without an ending a folder with a Paddle model, and --format decides otherwise"
        )
    return "paddle"


def convert_model(
    config: Config,
    target: Path,
    format: str,
    input_shapes: Mapping[str, Shape],
    advance: Callable[[], None] = lambda: None,
) -> Conversion:
    """Load a model, clean it up if the format needs that, and write it; `advance` is called after each pass.

    Raises `ConfigError` for an unknown format, and the errors of `load_program` and `export_program`.
    """
    if format not in FORMATS:
        raise ConfigError(f"no model format is called {format!r}{suggest(format, FORMATS)}")
    program = load_program(config)
    types = Counter(op.type for block in program.blocks for op in block.ops)
    for name in ("feed", "fetch"):
        types.pop(name, None)
    cleaned: int | None = None
    details: Mapping[str, object] = {}
    if find_writer(format) is not None:
        result = export_program(program, target, format=format, input_shapes=input_shapes, after_pass=advance)
        written, cleaned, ops, details = result.files, result.cleaned, result.ops, result.details
    else:
        if input_shapes:
            program = with_input_shapes(program, input_shapes)
        written, ops = save_program(program, target, format=format), types.total()
    weights = sum(weight.array.nbytes for weight in program.weights.values())
    size = sum(path.stat().st_size for path in written)
    return Conversion(
        program.source,
        format_of(config.source),
        format,
        written,
        {"as loaded": types.total(), "cleaned": cleaned, "written": ops},
        {"weights": weights, "written": size},
        details,
        types=dict(sorted(types.items())),
    )


def check_conversion(
    config: Config, target: Path, conversion: Conversion, feed: FeedOptions
) -> tuple[list[Comparison], str | None]:
    """The outputs of both models compared, or the reason why they were not compared.

    ONNX Runtime runs an ONNX file, if it is installed.
    """
    predictor = create_predictor(config)
    try:
        inputs = feed.arrays(predictor, draws=True)
    except InputError as error:
        if feed.sources or feed.shapes:
            raise
        return [], str(error)
    if conversion.format == "onnx" and importlib.util.find_spec("onnxruntime") is None:
        return [], "onnxruntime is not installed; run pip install 'litebridge[onnxruntime]'"
    lods = {name: tuple(levels) for name, levels in feed.levels.items()}
    before = predictor.run(inputs, lods=lods)
    if conversion.format == "onnx":
        after: Mapping[str, Array] = _run_in_onnxruntime(conversion.written[0], inputs)
    else:
        after = create_predictor(Config(target)).run(inputs, lods=lods)
    pairs = zip(before.items(), after.values(), strict=True)
    return [
        compare(name, np.asarray(got), expected, TOLERANCE, FLOOR) for (name, expected), got in pairs
    ], None


def _run_in_onnxruntime(path: Path, inputs: Mapping[str, Array]) -> dict[str, Array]:
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.log_severity_level = 3
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    input_names = {port.name for port in session.get_inputs()}
    output_names = [port.name for port in session.get_outputs()]
    feeds = {name: array for name, array in inputs.items() if name in input_names}
    return dict(zip(output_names, session.run(output_names, feeds), strict=True))
