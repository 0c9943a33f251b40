"""An opened artifact: its metadata, and the parts of it that a start asks for."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from lite.artifact.container import Container, sha256
from lite.artifact.meta import PLAN_VERSION, Meta
from lite.artifact.stored_runs import run_of
from lite.artifact.weights import stored_arrays
from lite.cache.entry import InvalidEntryError
from lite.dataclass import dataclass
from lite.errors import LiteError, ModelParseError
from lite.ir.limits import Limits
from lite.ir.types import Array
from lite.plugin.code_signature import content_of, signed
from lite.plugin.format import ModelSource, map_regular
from lite.plugin.kernel.pack_version import PACK_VERSIONS
from lite.plugin.loader import KERNELS, load_kernels, load_modules
from lite.runtime.stored_run import StoredRun
from lite.version import VERSION

# A start by stored runs uses these modules never, so methods import them when they are called.
if TYPE_CHECKING:
    from lite.artifact.device_models import StoredModel
    from lite.cache.plan_serde import Record
    from lite.ir.program import Program
    from lite.plan import Plan
    from lite.plugin.device import Device

PLAN, ORIGIN, REGIONS, WEIGHTS = "plan.json", "origin.json", "regions.json", "weights.bin"
RUNS = "runs.json"
COMPRESSED_WEIGHTS = "weights.z"
RECIPE, REPORT = "recipe.json", "report.json"

_MODULE = re.compile(rf"{re.escape(KERNELS)}(\.[a-z_][a-z0-9_]*)+")

_NO_ADMINISTRATOR = -1
"""The owner of signed runs: a file of root needs a signature, too, as anyone can name a file of root."""

T = TypeVar("T")


@dataclass(frozen=True)
class StoredPlan:
    """A plan with its record, and its constants and packed weights by name."""

    plan: Plan
    record: Record
    packs: Mapping[str, Array]
    packed_for: Mapping[str, str]
    """By target: the machine for which weights are packed."""


@dataclass(frozen=True)
class StoredRuns:
    """Runs that need no plan, for a number of threads, and the model's inputs and outputs as in the plan."""

    runs: Sequence[StoredRun]
    threads: int
    record: Record


@dataclass(frozen=True)
class Regions:
    """Device models, with the arrays of their regions whose digests are known."""

    models: Sequence[StoredModel]
    arrays: Sequence[Array]
    digests: Mapping[int, str]


@dataclass(frozen=True)
class Artifact:
    """An artifact whose structure and metadata were checked."""

    container: Container
    meta: Meta
    limits: Limits = Limits()

    @classmethod
    def open(cls, source: ModelSource, limits: Limits | None = None) -> Artifact:
        """Map the file of an artifact, or view its bytes; raises `ModelParseError`.

        `limits` bound what its parts may ask for, by default as those of a Config do.
        """
        try:
            content = map_regular(source.path) if source.path is not None else source.model or b""
        except OSError as error:
            raise ModelParseError(f"{source}: cannot be read: {error.strerror or error}") from error
        container = Container.open(content, str(source))
        return cls(container, Meta.read(container), Limits() if limits is None else limits)

    @property
    def has_plan(self) -> bool:
        """Whether it has a plan."""
        return PLAN in self.container.members

    @property
    def has_origin(self) -> bool:
        """Whether it has the program before optimisation."""
        return ORIGIN in self.container.members

    def plan(self, devices: Sequence[Device[Any]]) -> StoredPlan:
        """The plan, with regions for `devices`; raises `ModelParseError`."""
        return self._valid(PLAN, lambda document: self._plan(document, devices))

    def origin(self) -> Program:
        """The program before optimisation; raises `ModelParseError`."""
        from lite.artifact.program_serde import program_from_record

        source = self.container.source
        if not self.has_origin:
            raise ModelParseError(f"{source}: the artifact was written without its origin program")
        return self._valid(
            ORIGIN,
            lambda document: program_from_record(document["program"], self._arrays(document), source),
        )

    def runs(self) -> StoredRuns | None:
        """The stored runs; None without any, and where this user did not write them on this machine.

        Raises `ModelParseError` where the plan, which may be needed later, is damaged.
        """
        if RUNS not in self.container.members:
            return None
        self.meta.checked(self.container, PLAN)
        name = runs_name({name: info.sha256 for name, info in self.meta.members.items()})
        content = content_of(name, bytes(self.container.members[RUNS]), _NO_ADMINISTRATOR)
        if content is None:
            return None
        document = json.loads(content)
        arrays = self._arrays(document)
        runs = [run_of(record, arrays) for record in document["runs"]]
        load_modules({run.launches.module for run in runs})
        return StoredRuns(runs, document["threads"], document["record"])

    def regions(self) -> Regions:
        """The device models; none where the artifact has none.  Raises `ModelParseError`."""
        if REGIONS not in self.container.members:
            return Regions((), (), {})
        return self._valid(REGIONS, self._regions)

    def recipe(self) -> Any:
        """The content of the quantisation recipe; None without one."""
        return self.meta.json(self.container, RECIPE) if RECIPE in self.container.members else None

    def blob(self, name: str) -> bytes | None:
        """The bytes of a device model; None where they are missing or damaged."""
        if name not in self.container.members:
            return None
        content = self.container.members[name]
        return bytes(content) if sha256(content) == self.meta.members[name].sha256 else None

    def _plan(self, document: Record, devices: Sequence[Device[Any]]) -> StoredPlan:
        from lite.artifact.plan_check import checked_plan
        from lite.cache.plan_serde import plan_from_record

        _load_kernels(document)
        arrays = self._arrays(document)
        plan = checked_plan(plan_from_record(document["plan"], arrays, devices))
        packs = {str(name): arrays[_number(number, arrays)] for name, number in document["packs"].items()}
        return StoredPlan(plan, document["record"], packs, dict(self.meta.targets))

    def _regions(self, document: Record) -> Regions:
        from lite.artifact.device_models import StoredModel

        arrays = self._arrays(document)
        digests = {
            _number(number, arrays): str(digest)
            for number, digest in enumerate(document["digests"])
            if digest is not None
        }
        models = [StoredModel.of(each) for each in document["models"]]
        return Regions(models, arrays, digests)

    def _arrays(self, document: Record) -> list[Array]:
        return stored_arrays(document["arrays"], self._weights)

    @functools.cached_property
    def _weights(self) -> memoryview:
        """All arrays, mapped, or decompressed once."""
        if COMPRESSED_WEIGHTS not in self.container.members:
            return self.container.read(WEIGHTS)
        from lite.artifact.compressed import decompressed

        return decompressed(self.meta.checked(self.container, COMPRESSED_WEIGHTS), self.limits)

    def _valid(self, name: str, read: Callable[[Record], T]) -> T:
        try:
            return read(self.meta.json(self.container, name))
        except (
            InvalidEntryError,
            ValueError,
            TypeError,
            LookupError,
            AttributeError,
            OverflowError,
        ) as error:
            raise ModelParseError(f"{self.container.source}: {name} is not valid: {error}") from error
        except RecursionError as error:
            raise ModelParseError(f"{self.container.source}: {name} is nested too deeply") from error


def signed_runs(document: Record, checksums: Mapping[str, str]) -> bytes:
    """The member of stored runs; `checksums` are those of the other members."""
    return signed(runs_name(checksums), json.dumps(document, separators=(",", ":")).encode())


def runs_name(checksums: Mapping[str, str]) -> str:
    """What a signature is for: this version, with the plan and the weights of one artifact."""
    parts = [f"{name} {checksums.get(name)}" for name in (PLAN, WEIGHTS, COMPRESSED_WEIGHTS)]
    return f"litebridge {VERSION} {PLAN_VERSION} runs: {', '.join(parts)}"


def packs_of_other_machines(packed_for: Mapping[str, str]) -> list[str]:
    """A sentence for each target whose weights are packed for another machine."""
    here = {target: PACK_VERSIONS.get(target)() for target in packed_for if target in PACK_VERSIONS}
    return [
        f"the weights of {target} are packed for {there}, this machine is {here.get(target, 'another one')}: "
        "they are packed again"
        for target, there in packed_for.items()
        if here.get(target) != there
    ]


def _load_kernels(document: Record) -> None:
    """Import the kernels of a plan: the listed files, if each is one of this package, else by the ops."""
    modules = document["modules"]
    if all(isinstance(name, str) and _MODULE.fullmatch(name) for name in modules):
        try:
            load_modules(modules)
            return
        except LiteError:
            pass
    load_kernels(_ops(document["plan"]))


def _ops(plan: Record) -> set[str]:
    """The op types of a plan's record and of its blocks."""
    ops: set[str] = set()
    for item in plan["instructions"]:
        ops.add(str(item[0]))
        for block in item[6]:
            ops |= _ops(block)
    return ops


def _number(number: Any, arrays: Sequence[Array]) -> int:
    if type(number) is not int or not 0 <= number < len(arrays):
        raise ValueError(f"array {number!r} of {len(arrays)}")
    return number
