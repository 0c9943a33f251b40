"""Models from one format to another, held against each other on made-up inputs."""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from lite.config import Config
from lite.errors import ConfigError, InputError, suggest
from lite.io.load import load_program
from lite.io.save import export_program, find_writer, save_program
from lite.ir.program import Program
from lite.ir.types import Array, Shape
from lite.session.predictor import create_predictor
from lite.tools.commands.info import format_of
from lite.tools.feed_options import FeedOptions
from lite.tools.reference import Comparison, compare

FORMATS = ("paddle", "onnx")
"""What can be written."""

TOLERANCE = 1e-3


@dataclass(frozen=True)
class Conversion:
    """What came of a conversion.

    `ops` counts ops as loaded, after clean-up (None where the program is written as it is) and as
    written; `bytes` the weights and the written files.  `unchecked` says why the results were not
    compared.
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
        """Whether an output is another one than before."""
        return any(each.problem for each in self.outputs)


def target_format(path: Path, given: str | None) -> str:
    """The format to write: the one given, else by how the path ends."""
    return given or ("onnx" if path.suffix == ".onnx" else "paddle")


def convert_model(
    config: Config,
    target: Path,
    format: str,
    input_shapes: Mapping[str, Shape],
    advance: Callable[[], None] = lambda: None,
) -> tuple[Program, Conversion]:
    """Load, clean where the format asks for it, and write; the program, and what came of it.

    Raises what `load_program` and `export_program` raise.
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
        found = export_program(program, target, format=format, input_shapes=input_shapes, after_pass=advance)
        written, cleaned, ops, details = found.files, found.cleaned, found.ops, found.details
    elif input_shapes:
        raise ConfigError(f"--input-shape: a {format} model is written as it is, without shapes of inputs")
    else:
        written, ops = save_program(program, target, format=format), types.total()
    weights = sum(weight.array.nbytes for weight in program.weights.values())
    size = sum(path.stat().st_size for path in written)
    return program, Conversion(
        program.source,
        format_of(config.source),
        format,
        written,
        {"as loaded": types.total(), "cleaned": cleaned, "written": ops},
        {"weights": weights, "written": size},
        details,
        types=dict(sorted(types.items())),
    )


def check(
    config: Config, target: Path, found: Conversion, feed: FeedOptions
) -> tuple[list[Comparison], str | None]:
    """The outputs before and after, compared; or why they were not.

    An ONNX file is run by ONNX Runtime, where that is installed.
    """
    predictor = create_predictor(config)
    try:
        inputs = feed.arrays(predictor)
    except InputError as error:
        if feed.sources or feed.shapes:
            raise
        return [], str(error)
    if found.format == "onnx" and importlib.util.find_spec("onnxruntime") is None:
        return [], "onnxruntime is not installed; pip install litebridge[onnxruntime]"
    lods = {name: tuple(levels) for name, levels in feed.levels.items()}
    before = predictor.run(inputs, lods=lods)
    if found.format == "onnx":
        after: Mapping[str, Array] = _in_onnxruntime(found.written[0], inputs)
    else:
        after = create_predictor(Config(target)).run(inputs, lods=lods)
    pairs = zip(before.items(), after.values(), strict=True)
    return [compare(name, np.asarray(got), want, TOLERANCE) for (name, want), got in pairs], None


def _in_onnxruntime(path: Path, inputs: Mapping[str, Array]) -> dict[str, Array]:
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.log_severity_level = 3
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    taken = {port.name for port in session.get_inputs()}
    names = [port.name for port in session.get_outputs()]
    found = session.run(names, {name: array for name, array in inputs.items() if name in taken})
    return dict(zip(names, found, strict=True))
