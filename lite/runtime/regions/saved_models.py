"""The device models of a region with their cache keys, for an artifact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lite.cache.key import CacheKey
from lite.cache.model_store import ArrayDigests
from lite.cache.region_key import region_key
from lite.dataclass import dataclass
from lite.errors import LiteError
from lite.ir.clone import clone_graph
from lite.ops.infer_graph import infer_metas
from lite.plugin.boundary import at_boundary
from lite.runtime.regions.engine import SubgraphEngine
from lite.runtime.regions.groups import stored_group


@dataclass(frozen=True)
class SavedModel:
    """The model of a region for a signature: its key, and its bytes; if there are none, `reason` says why."""

    region: int
    device: str
    signature: str
    key: CacheKey
    blob: bytes | None
    reason: str = ""


def saved_models(
    engine: SubgraphEngine, digests: ArrayDigests, specs: Mapping[str, str]
) -> Iterator[SavedModel]:
    """The models of a region that were built so far, one for each cache key, and the groups they are in.

    Raises `CompileError` if the device fails to report its version.
    """
    region, device = engine.region, engine.region.device
    seen: set[str] = set()
    for bound in engine.bound:
        if bound.built is None:
            continue
        if bound.state == "dynamic":
            graph = clone_graph(region.graph)
            inferred = infer_metas(graph)
            metas = tuple(inferred[arg] for arg in graph.args)
        else:
            metas = bound.inputs
            graph, _ = engine.inferred(metas)
        key = region_key(graph, metas, device, specs.get(device.name, device.name), digests)
        if key.digest in seen:
            continue
        seen.add(key.digest)
        blob, reason = None, "the device does not serialise its models"
        try:
            if bound.member is None:
                blob = at_boundary(device.name, "serialising a model", bound.built.serialize)
            else:
                stored = stored_group(bound.member.group, device.name)
                if stored is not None:
                    blob = stored.member(bound.member.index)
                    yield SavedModel(region.id, device.name, bound.signature, stored.key, stored.blob)
        except LiteError as error:
            reason = str(error)
        yield SavedModel(region.id, device.name, bound.signature, key, blob, "" if blob else reason)
