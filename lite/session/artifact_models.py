"""The cache of device models that an artifact brings along."""

from __future__ import annotations

from collections.abc import Mapping

from lite.artifact.artifact import Artifact
from lite.artifact.device_models import ArtifactModels, StoredDigests
from lite.cache import WeightHashes
from lite.cache.model_store import ModelStore
from lite.config import Config
from lite.runtime.regions.model_cache import ModelCache


def model_cache(
    artifact: Artifact, config: Config, specs: Mapping[str, str], other: ModelStore | None
) -> ModelCache:
    """The cache of device models that has those of an artifact, and keeps new ones in `other`."""
    regions = artifact.regions()
    return ModelCache(
        ArtifactModels(regions.models, artifact.blob, other),
        StoredDigests(regions.arrays, regions.digests, WeightHashes(verify=config.verify_weights)),
        specs,
    )
