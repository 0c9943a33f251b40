"""FreshNames: names for new variables that no other one has."""

from __future__ import annotations

from collections.abc import Callable


class FreshNames:
    """Finds names that are not taken: ``base``, ``base.1``, ``base.2`` and so on.

    A search goes on where the last one for the same base ended, so that many variables of one name, which a
    damaged model may have, take no quadratic time.
    """

    def __init__(self, is_taken: Callable[[str], bool], separator: str = ".") -> None:
        self._is_taken = is_taken
        self._separator = separator
        self._numbers: dict[str, int] = {}

    def of(self, is_taken: Callable[[str], bool]) -> FreshNames:
        """The same for another scope, which goes on from the same numbers."""
        other = FreshNames(is_taken, self._separator)
        other._numbers = self._numbers
        return other

    def find(self, base: str, first: int = 0) -> str:
        """The first free name from number `first` on, which stands for `base` itself if it is 0.

        The caller takes the name before the next search.
        """
        number = self._numbers.get(base, first)
        while self._is_taken(name := self._name(base, number)):
            number += 1
        self._numbers[base] = number
        return name

    def free(self, name: str) -> None:
        """Note that a name is not taken any more."""
        base, _, number = name.rpartition(self._separator)
        self._numbers.pop(base if number.isdecimal() else name, None)

    def _name(self, base: str, number: int) -> str:
        return f"{base}{self._separator}{number}" if number else base
