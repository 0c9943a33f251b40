"""BuiltModel: what a device built of a region for one signature, as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from lite.dataclass import dataclass
from lite.ops import Meta
from lite.plugin.boundary import at_boundary
from lite.runtime.regions.bound import BoundRegion
from lite.runtime.regions.engine import SubgraphEngine


@dataclass(frozen=True, eq=False)
class BuiltModel:
    """The model of a region for one signature; `files` are the vendor's own, by relative path.

    `ops` are the names and types of its ops, `inputs` and `outputs` the tensors in the model's order.
    `precision` is that of its float ops; `state` and `reason` say how the region runs here.  A region without
    a model has no files.  Models that were compiled together have the files of their group, of which `group`
    is the number.
    """

    region: int
    device: str
    version: str
    precision: str
    ops: tuple[tuple[str, str], ...]
    inputs: tuple[tuple[str, Meta], ...]
    outputs: tuple[tuple[str, Meta], ...]
    files: Mapping[str, bytes]
    state: str
    reason: str
    group: int | None = None


def built_models(engines: Iterable[SubgraphEngine]) -> list[BuiltModel]:
    """The models of regions for all signatures so far.

    Raises `CompileError` where the device fails to name its version or to write the files.
    """
    groups: dict[int, tuple[int, Mapping[str, bytes]]] = {}
    return [model for engine in engines for model in _models_of(engine, groups)]


def _models_of(
    engine: SubgraphEngine, groups: dict[int, tuple[int, Mapping[str, bytes]]]
) -> Iterator[BuiltModel]:
    region, device = engine.region, engine.region.device
    graph = region.graph
    version = str(at_boundary(device.name, "asking its version", device.version))
    for bound in engine.bound:
        number, files = _files(bound, device.name, groups)
        yield BuiltModel(
            region.id,
            device.name,
            version,
            device.precisions[0].name,
            tuple((node.label, node.op) for node in graph),
            tuple(zip((arg.name for arg in graph.args), bound.inputs, strict=True)),
            tuple(zip(graph.result_names, bound.outputs, strict=True)),
            dict(files),
            bound.state,
            bound.reason,
            number,
        )


def _files(
    bound: BoundRegion, device: str, groups: dict[int, tuple[int, Mapping[str, bytes]]]
) -> tuple[int | None, Mapping[str, bytes]]:
    """The files of a model; where it is in a group, those of the group, and its number."""
    activity = "writing the files of a model"
    if bound.member is not None:
        group = bound.member.group
        if id(group) not in groups:
            groups[id(group)] = len(groups), at_boundary(device, activity, group.files)
        return groups[id(group)]
    return None, {} if bound.built is None else at_boundary(device, activity, bound.built.files)
