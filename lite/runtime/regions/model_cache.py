"""The cache of device models as regions use it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lite.dataclass import dataclass

if TYPE_CHECKING:
    from lite.cache.model_store import ArrayDigests, ModelStore


@dataclass(frozen=True)
class ModelCache:
    """The cache of device models.

    Keys depend on the digests of `weights`, and on `specs`: the text that named each device, with options.
    """

    store: ModelStore
    weights: ArrayDigests
    specs: Mapping[str, str]
