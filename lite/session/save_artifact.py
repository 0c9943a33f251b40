"""save_artifact: writes a planned model with all that it needs into one file."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path

from lite.artifact.artifact import (
    COMPRESSED_WEIGHTS,
    ORIGIN,
    PLAN,
    RECIPE,
    REGIONS,
    REPORT,
    RUNS,
    WEIGHTS,
    signed_runs,
)
from lite.artifact.device_models import StoredModel
from lite.artifact.meta import MemberInfo, Meta
from lite.artifact.program_serde import program_record
from lite.artifact.sniff import META
from lite.artifact.stored_runs import run_record
from lite.artifact.weights import PAGE, WeightsWriter
from lite.artifact.zip_file import Member, zip_chunks
from lite.atomic_file import write_atomically
from lite.cache import WeightHashes
from lite.cache.array_blob import NotCacheableError
from lite.cache.plan_serde import plan_record
from lite.cache.weight_hashes import REMEMBER_MIN_BYTES, content_digest
from lite.config import Config, PathLike
from lite.dataclass import dataclass
from lite.errors import ConfigError
from lite.io.load import as_path, load_program
from lite.ir.graph import Graph
from lite.ir.types import Array
from lite.plan import Plan, Region
from lite.plan.plan import plans_in
from lite.plugin.boundary import at_boundary
from lite.plugin.kernel.pack_version import PACK_VERSIONS
from lite.plugin.loader import kernel_modules
from lite.runtime.regions.saved_models import saved_models
from lite.session.built import PredictorParts
from lite.session.built_record import record_of
from lite.session.predictor import Predictor, create_predictor
from lite.session.region_report import engines_of
from lite.session.saved_settings import settings_record
from lite.subgraph.recipe import Recipe

log = logging.getLogger(__name__)

_FEATURES = (
    ("plan", PLAN),
    ("origin", ORIGIN),
    ("regions", REGIONS),
    ("compressed-weights", COMPRESSED_WEIGHTS),
)
"""What a reader must know, by the member that needs it."""

Shapes = Mapping[str, Sequence[int]]


@dataclass(frozen=True)
class Saved:
    """What `save_artifact` wrote: the file, the sizes of it and its members, and what it lacks."""

    path: Path
    bytes: int
    members: Mapping[str, int]
    notes: list[str] = field(default_factory=list)


def save_artifact(
    model: Predictor | Config,
    path: PathLike,
    *,
    signatures: Sequence[Shapes] = (),
    origin: bool = True,
    licence: str = "",
    compress: bool = False,
) -> Saved:
    """Write a planned model into one file, an artifact, that loads without reading the model or optimising.

    signatures: input shapes to prepare, such as ``[{"x": (1, 3, 224, 224)}]``: the artifact gets the weights
        that kernels pack for them and the device models.  Those of a predictor's runs so far are included,
        and those of a model whose inputs all have fixed shapes.
    origin: include the model before optimisation, from which parts are made again that do not fit another
        version, processor or device.
    licence: the licence of the model, for ``litebridge info``.
    compress: store the weights compressed.  Each start then decompresses them into memory of its own, instead
        of mapping the file.

    The file is written completely or not at all.  Raises `ConfigError` for a model that an artifact cannot
    hold, `OSError` for a file that cannot be written, and what `create_predictor` and `Predictor.prepare`
    raise.
    """
    if isinstance(model, Config):
        model = create_predictor(model)
    if not isinstance(model, Predictor):
        raise ConfigError(f"save_artifact: expected a Predictor or a Config, got {model!r}")
    model.prepare(list(signatures) or _fixed(model))
    writer = _Writer(model, origin=origin, licence=licence, compress=compress)
    try:
        members = writer.members()
    except NotCacheableError as error:
        raise ConfigError(f"the model cannot be saved as an artifact: {error}") from error
    target = as_path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(target, zip_chunks(members))
    sizes = {member.name: member.size for member in members}
    return Saved(target, target.stat().st_size, sizes, writer.notes)


def _fixed(predictor: Predictor) -> list[Shapes]:
    """The signature of a model whose inputs all have fixed shapes, if nothing else is bound."""
    specs = predictor.parts().inputs
    if not all(spec.shape is not None and all(isinstance(dim, int) for dim in spec.shape) for spec in specs):
        return []
    return [{spec.name: [int(dim) for dim in spec.shape or ()] for spec in specs}]


class _Writer:
    """Collects the members of one artifact."""

    def __init__(self, predictor: Predictor, *, origin: bool, licence: str, compress: bool) -> None:
        self.notes: list[str] = []
        self._predictor = predictor
        self._parts = predictor.parts()
        self._has_origin = origin
        self._licence = licence
        self._compress = compress
        self._weights = WeightsWriter()
        self._members: dict[str, Member] = {}
        self._checksums: dict[str, str] = {}

    def members(self) -> list[Member]:
        """All members, the metadata first and the weights last; raises `NotCacheableError`."""
        parts = self._parts
        self._add_plan()
        if self._has_origin:
            self._add_origin()
        self._add_regions()
        recipe = _recipe(self._predictor.config, parts)
        if recipe is not None:
            self._add_json(RECIPE, {"ranges": {name: list(pair) for name, pair in recipe.ranges.items()}})
        self._add_json(REPORT, self._predictor.report().to_dict())
        runs = self._runs()
        if self._compress:
            from lite.artifact.compressed import compressed

            self._members[COMPRESSED_WEIGHTS] = Member(
                COMPRESSED_WEIGHTS, [*compressed(self._weights.chunks)]
            )
        else:
            self._members[WEIGHTS] = Member(WEIGHTS, self._weights.chunks, PAGE)
        if runs is not None:
            checksums = {name: self._sha256(member) for name, member in self._members.items()}
            self._members = {RUNS: Member(RUNS, [signed_runs(runs, checksums)]), **self._members}
        return [Member(META, [self._meta().to_json()]), *self._members.values()]

    def _add_plan(self) -> None:
        state, arrays = self._parts.state, self._weights.table()
        document = {
            "plan": plan_record(state.plan, arrays),
            "modules": kernel_modules(
                sorted({item.op for plan in plans_in(state.plan) for item in plan.instructions})
            ),
            "record": record_of(self._parts),
            "packs": {name: arrays.add(array) for name, array in state.prepared_arrays()},
        }
        self._add_json(PLAN, {**document, "arrays": arrays.table})

    def _add_origin(self) -> None:
        arrays = self._weights.table()
        program = self._parts.program or load_program(self._predictor.config)
        record = program_record(program, arrays)
        self._add_json(ORIGIN, {"program": record, "arrays": arrays.table})

    def _add_regions(self) -> None:
        arrays, hashes = self._weights.table(), WeightHashes()
        digests: dict[int, str] = {}
        models: dict[str, StoredModel] = {}
        for engine in engines_of(self._parts.state):
            found = list(saved_models(engine, hashes, self._parts.specs))
            for model in found:
                if model.blob is None:
                    self._note(
                        f"region {model.region} on {model.device}: {model.reason}; it is built at each start"
                    )
                    continue
                if model.key.digest in models:  # a group of models, which several regions share
                    continue
                name = f"regions/{model.region}/{model.device}/{len(models)}.bin"
                self._members[name] = Member(name, [model.blob])
                models[model.key.digest] = StoredModel(
                    model.region, model.device, model.signature, model.key, name
                )
            if found:
                for array in _large_constants(engine.region.graph):
                    digests[arrays.add(array)] = content_digest(array)
        if models:
            listed = [digests.get(number) for number in range(len(arrays.table))]
            records = [model.record() for model in models.values()]
            self._add_json(REGIONS, {"models": records, "digests": listed, "arrays": arrays.table})

    def _runs(self) -> dict[str, object] | None:
        """The document of stored runs; None where no run can be stored, or a start shall say something."""
        if self._parts.placed.warnings:
            return None
        arrays = self._weights.table()
        records = [run_record(run, arrays) for run in self._predictor.stored_runs()]
        if not records:
            return None
        threads, record = self._predictor.config.threads, record_of(self._parts)
        named = {name: record[name] for name in ("inputs", "outputs")}
        return {"runs": records, "threads": threads, "record": named, "arrays": arrays.table}

    def _meta(self) -> Meta:
        parts, config = self._parts, self._predictor.config
        plan = parts.state.plan
        targets = {item.place.target for each in plans_in(plan) for item in each.instructions}
        devices = {region.device.name: region.device for region in _regions(plan)}
        return Meta(
            [
                {
                    "name": spec.name,
                    "dtype": None if spec.dtype is None else spec.dtype.label,
                    "shape": spec.shape,
                }
                for spec in parts.inputs
            ],
            list(parts.output_names),
            settings_record(config),
            {name: MemberInfo(member.size, self._sha256(member)) for name, member in self._members.items()},
            _signatures(parts),
            {target: PACK_VERSIONS.get(target)() for target in sorted(targets) if target in PACK_VERSIONS},
            [
                {
                    "name": name,
                    "spec": parts.specs.get(name, name),
                    "version": str(at_boundary(name, "reading its version", device.version)),
                }
                for name, device in sorted(devices.items())
            ],
            self._licence,
            tuple(feature for feature, name in _FEATURES if name in self._members),
        )

    def _add_json(self, name: str, document: object) -> None:
        try:
            content = json.dumps(document, separators=(",", ":")).encode()
        except (TypeError, ValueError) as error:
            raise NotCacheableError(f"{name}: {error}") from error
        self._members[name] = Member(name, [content])

    def _sha256(self, member: Member) -> str:
        """The checksum of a member, computed once: stored runs and the metadata have that of the weights."""
        if member.name not in self._checksums:
            self._checksums[member.name] = _sha256(member)
        return self._checksums[member.name]

    def _note(self, sentence: str) -> None:
        log.warning("%s", sentence)
        self.notes.append(sentence)


def _recipe(config: Config, parts: PredictorParts) -> Recipe | None:
    if config.recipe is not None:
        return Recipe.read(config.recipe)
    content = None if parts.artifact is None else parts.artifact.recipe()
    return None if content is None else Recipe.of(content, "in the artifact")


def _signatures(parts: PredictorParts) -> list[dict[str, list[int]]]:
    """The input shapes for which a predictor is prepared."""
    names = [spec.name for spec in parts.inputs]
    return [
        {
            name: [int(dim) for dim in shape]
            for name, shape in zip(names, shapes, strict=True)
            if shape is not None
        }
        for shapes in parts.bound
    ]


def _regions(plan: Plan) -> Iterator[Region]:
    return (item.region for each in plans_in(plan) for item in each.instructions if item.region is not None)


def _large_constants(graph: Graph) -> Iterator[Array]:
    """The constants of a region that are worth remembering digests of."""
    for inner in graph.walk(regions=True):
        for value in inner.constants.values():
            if value.data is not None and value.data.nbytes >= REMEMBER_MIN_BYTES:
                yield value.data


def _sha256(member: Member) -> str:
    digest = hashlib.sha256()
    for chunk in member.chunks:
        digest.update(chunk)
    return digest.hexdigest()
