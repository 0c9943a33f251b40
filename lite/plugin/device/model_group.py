"""ModelGroup: models that a device compiled together, so that they share weights."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lite.plugin.device.compiled_model import CompiledModel


class ModelGroup(ABC):
    """The models of several regions, or of one region for several signatures.

    The engine keeps a group as a whole, so its models need no `serialize` and no `files`.
    """

    @property
    @abstractmethod
    def models(self) -> Sequence[CompiledModel]:
        """A model for each part, in the order of the parts."""

    def serialize(self) -> bytes | None:
        """The group as bytes for `Device.load_all`; None if it cannot be kept."""
        return None

    def files(self) -> Mapping[str, bytes]:
        """The group in the vendor's own files, as those of `CompiledModel.files`."""
        blob = self.serialize()
        return {} if blob is None else {"models.bin": blob}
