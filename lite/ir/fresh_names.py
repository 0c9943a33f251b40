"""FreshNames: finds names for new variables that no other variable has."""

from __future__ import annotations

from collections.abc import Callable


class FreshNames:
    """Finds names that are not taken: ``base``, ``base.1``, ``base.2`` and so on.

    A search for a base starts at the number that the previous search for it returned.  So the time stays
    linear if a damaged model has many variables of one name.
    """

    def __init__(self, is_taken: Callable[[str], bool], separator: str = ".") -> None:
        self._is_taken = is_taken
        self._separator = separator
        self._numbers: dict[str, int] = {}

    def of(self, is_taken: Callable[[str], bool]) -> FreshNames:
        """A FreshNames for another scope; both share the numbers from which searches start."""
        other = FreshNames(is_taken, self._separator)
        other._numbers = self._numbers
        return other

    def find(self, base: str, first: int = 0) -> str:
        """The first free name for `base` with a number of at least `first`; number 0 means `base` itself.

        The caller must take the name before the next search.
        """
        number = self._numbers.get(base, first)
        while self._is_taken(name := self._name(base, number)):
            number += 1
        self._numbers[base] = number
        return name

    def free(self, name: str) -> None:
        """Note that a name is no longer taken: the next search for its base starts again at `first`."""
        base, _, number = name.rpartition(self._separator)
        self._numbers.pop(base if number.isdecimal() else name, None)

    def _name(self, base: str, number: int) -> str:
        return f"{base}{self._separator}{number}" if number else base
