"""Core ML as a device: regions become ML programs, which macOS runs and other systems only build."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from lite.bridges.coreml.builder import Builder
from lite.bridges.coreml.model import CoremlModel, read_files, read_package
from lite.bridges.coreml.sdk import quiet, sdk
from lite.dataclass import dataclass
from lite.errors import CompileError
from lite.ir.graph import Graph
from lite.plugin.device import FLOAT16, FLOAT32, Device, Precision, Signature, convert, device, meta_of

_PRECISIONS = {"float16": FLOAT16, "float32": FLOAT32}
_TARGETS = ("iOS16", "iOS17", "iOS18")
_UNITS = ("ALL", "CPU_AND_NE", "CPU_AND_GPU", "CPU_ONLY")


@dataclass(frozen=True)
class Options:
    """The options of ``coreml{…}``.

    `precision` is float16, which the Neural Engine computes in, or float32; the Config's precision "strict"
    makes it float32.  `target` is the oldest system that runs the package: iOS16 (macOS 13), iOS17 or iOS18.
    `units` are the processors that macOS may use: ALL, CPU_AND_NE, CPU_AND_GPU or CPU_ONLY.
    """

    precision: str = "float16"
    target: str = "iOS16"
    units: str = "ALL"


@device("coreml")
class Coreml(Device[Options]):
    """Regions of fixed sizes as ML programs."""

    Options = Options

    @property
    def precisions(self) -> Sequence[Precision]:  # type: ignore[override]
        """One, which the options name."""
        return (_PRECISIONS[self._precision],)

    @property
    def _precision(self) -> str:
        strict = self.settings.precision == "strict" or self.options.precision not in _PRECISIONS
        return "float32" if strict else self.options.precision

    def available(self) -> str | None:
        """Why no package can be built here; None when it can."""
        choices = {"precision": tuple(_PRECISIONS), "target": _TARGETS, "units": _UNITS}
        for name, allowed in choices.items():
            value = getattr(self.options, name)
            if value not in allowed:
                return f"{name}: expected one of {', '.join(allowed)}, got {value!r}"
        try:
            sdk()
        except ImportError as error:
            return f"coremltools is not installed ({error}); pip install 'litebridge[coreml]'"
        return None

    def why_not_run(self) -> str | None:
        """Core ML itself is a part of macOS."""
        if sys.platform == "darwin":
            return None
        return f"Core ML runs on macOS, and this is {sys.platform}; litebridge build writes the packages"

    def version(self) -> str:
        """coremltools and the options that change the package."""
        return f"coremltools {sdk().tools.__version__}; {self._precision}; {self.options.target}"

    def region_passes(self) -> Sequence[str]:
        """Sizes that the region computes from its inputs are numbers once the inputs' sizes are."""
        return ("constant_fold_pass", "reshape_sizes_fold_pass", "dead_code_elimination_pass")

    def compile(self, graph: Graph, signature: Signature) -> CoremlModel:
        """An ML program in a package."""
        with quiet():
            builder = Builder(signature, self._target)
            with builder.function:
                convert(graph, self, builder)
            files = self._package(builder.program(), len(graph))
        outputs = [(str(meta.dtype), list(meta.sizes)) for meta in map(meta_of, graph.results)]
        return CoremlModel(files, outputs, self.options.units)

    def load(self, blob: bytes) -> CoremlModel:
        """The package that `CoremlModel.serialize` wrote."""
        files, outputs = read_package(blob)
        return CoremlModel(files, outputs, self.options.units)

    @property
    def _target(self) -> object:
        return getattr(sdk().tools.target, self.options.target)

    def _package(self, program: object, count: int) -> dict[str, bytes]:
        tools = sdk().tools
        try:
            model = tools.convert(
                program,
                source="milinternal",
                convert_to="mlprogram",
                minimum_deployment_target=self._target,
                compute_precision=getattr(tools.precision, self._precision.upper()),
                skip_model_load=True,
            )
            with tempfile.TemporaryDirectory() as folder:
                package = Path(folder) / "region.mlpackage"
                model.save(str(package))
                return read_files(package)
        except (ValueError, TypeError, RuntimeError, AssertionError) as error:
            text = " ".join(str(error).split())
            raise CompileError(f"coreml: compiling a region of {count} ops failed: {text}") from error
