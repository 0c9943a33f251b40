"""BuiltModel: what a device built of a region for one signature, as data."""

from __future__ import annotations

from collections.abc import Mapping

from lite.dataclass import dataclass
from lite.ops import Meta
from lite.plugin.boundary import at_boundary
from lite.runtime.regions.engine import SubgraphEngine


@dataclass(frozen=True, eq=False)
class BuiltModel:
    """The model of a region for one signature; `files` are the vendor's own, by relative path.

    `ops` are the names and types of its ops, `inputs` and `outputs` the tensors in the model's order.
    `precision` is that of its float ops; `state` and `reason` say how the region runs here.  A region without
    a model has no files.
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


def built_models(engine: SubgraphEngine) -> list[BuiltModel]:
    """The models of a region for all signatures so far.

    Raises `CompileError` where the device fails to name its version or to write the files.
    """
    region, device = engine.region, engine.region.device
    graph = region.graph
    version = str(at_boundary(device.name, "asking its version", device.version))
    found = []
    for bound in engine.bound:
        model = bound.built
        files = {} if model is None else at_boundary(device.name, "writing the files of a model", model.files)
        found.append(
            BuiltModel(
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
            )
        )
    return found
