"""ClonedByCopy: the base class of predictors, which copies clone and pickles refuse."""

from __future__ import annotations

from typing import NoReturn, SupportsIndex, TypeVar

from lite.errors import ConfigError

C = TypeVar("C", bound="ClonedByCopy")


class ClonedByCopy:
    """`copy.copy` and `copy.deepcopy` of an object are its clones; `pickle` raises `ConfigError`."""

    def clone(self: C) -> C:
        """Another object with the same content."""
        raise NotImplementedError

    def __copy__(self: C) -> C:
        return self.clone()

    def __deepcopy__(self: C, memo: dict[int, object]) -> C:
        return self.clone()

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise ConfigError(
            "a Predictor cannot be pickled: it holds memory, compiled code and devices; pickle its Config, "
            "and create a predictor in each process (start processes by the method spawn); threads use "
            "predictor.clone()"
        )
