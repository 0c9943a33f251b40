"""The loop of a fusion_group program as Python text."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from lite.dataclass import dataclass

FULL, ALONG, SINGLE = "full", "along", "single"
"""How the loop reads an operand: like the result; the same row for each row; one element for each row."""

_COPIES = 4
"""Vectors of one iteration, computed side by side to hide the latency of their instructions."""


@dataclass(frozen=True)
class Line:
    """An instruction as an expression with placeholders for its operands."""

    form: str
    operands: tuple[int, ...]

    def text(self, target: str, names: Callable[[int], str]) -> str:
        """The assignment to `target`, with the operands named by `names`."""
        x, y = names(self.operands[0]), names(self.operands[-1])
        second = names(self.operands[len(self.operands) // 2])
        return f"{target} = {self.form.format(x=x, second=second, y=y)}"


@dataclass(frozen=True)
class Codes:
    """The operands and results of a loop that are bytes, by position: the scale and zero point of each."""

    operands: Mapping[int, tuple[float, int]] = field(default_factory=dict)
    results: Mapping[int, tuple[float, int]] = field(default_factory=dict)


NO_CODES = Codes()


@dataclass(frozen=True)
class Access:
    """How each operand is loaded and each result is stored, as text, and the kinds of these arrays."""

    loads: Sequence[str]
    stores: Sequence[str]
    kinds: tuple[str, ...]

    @classmethod
    def of(
        cls, codes: Codes, operands: Sequence[str], results: Sequence[int], numbers: list[float]
    ) -> Access:
        """Scales and zero points are added to the `numbers` of the loop."""
        loads = ["load{part}({array}, {place})"] * len(operands)
        stores = ["store{part}({value}, {array}, {place})"] * len(results)
        for n, pair in codes.operands.items():
            scale, zero = (f"p{len(numbers) + m}" for m in range(2))
            loads[n] = f"(load_codes{{part}}({{array}}, {{place}}) - {zero}) * {scale}"
            numbers += pair
        for n, pair in codes.results.items():
            scale, zero = (f"p{len(numbers) + m}" for m in range(2))
            stores[n] = f"store_codes{{part}}({{value}} / {scale}, {zero}, {{array}}, {{place}})"
            numbers += pair
        kinds = (
            *("b" if n in codes.operands else "r" for n in range(len(operands))),
            "r",
            *("c" if n in codes.results else "w" for n in range(len(results))),
        )
        return cls(loads, stores, kinds)


@dataclass(frozen=True)
class LoopText:
    """The parts of a loop: its instructions, how it reads operands, and which of its values are results.

    Values are numbered: operands first, then the results of the instructions.  `numbers` is the number of
    constants.
    """

    lines: Sequence[Line]
    operands: Sequence[str]
    results: Sequence[int]
    numbers: int
    access: Access

    def text(self) -> str:
        """The loop for rows of any length.

        It computes `_COPIES` vectors at a time, then single ones, and the rest of a row by a mask.
        """
        from lite.kernels.cpu.tile_sizes import LANES

        along, singles = self._kind(ALONG), self._kind(SINGLE)
        offsets = {
            n: f"first * steps[{3 * n}] + outer * steps[{3 * n + 1}] + inner * steps[{3 * n + 2}]"
            for n in (*along, *singles)
        }
        shared = frozenset(singles)

        def body(places: Sequence[str], suffix: str = "", count: str = "") -> list[str]:
            copies = [
                _Copy(f"_{n}", place, {n: f"b{n} + {place}" for n in along}) for n, place in enumerate(places)
            ]
            return self._body(copies, shared, suffix, count)

        far = _COPIES * LANES
        return "\n".join(
            [
                *self._head(),
                "    while at < end:",
                "        last = min((row + 1) * columns, end)",
                *(f"        b{n} = {offsets[n]} - row * columns" for n in along),
                *(f"        v{n} = splat(x{n}[{offsets[n]}])" for n in singles),
                f"        several = at + (last - at) // {far} * {far}",
                f"        for n in range(at, several, {far}):",
                *(f"            {line}" for line in body([f"n + {m * LANES}" for m in range(_COPIES)])),
                f"        whole = several + (last - several) // {LANES} * {LANES}",
                f"        for n in range(several, whole, {LANES}):",
                *(f"            {line}" for line in body(["n"])),
                "        if whole < last:",
                *(f"            {line}" for line in body(["whole"], "_part", ", last - whole")),
                "        at, row, inner = last, row + 1, inner + 1",
                *_NEXT_OUTER,
            ]
        )

    def text_of_short_rows(self, vectors: int) -> str:
        """The loop for rows of so many vectors, at most `_COPIES`: it computes several rows at a time."""
        from lite.kernels.cpu.tile_sizes import LANES

        width, rows = vectors * LANES, _COPIES // vectors
        moving = [*self._kind(ALONG), *self._kind(SINGLE)]

        def copy(row: int, vector: int) -> _Copy:
            at = (row * vectors + vector) * LANES
            starts = {n: f"b{n} + {row} * t{n}" for n in self._kind(SINGLE)}
            starts |= {n: f"b{n} + {row} * t{n} + {vector * LANES}" for n in self._kind(ALONG)}
            return _Copy(f"_{row * vectors + vector}", f"n + {at}", starts)

        starts = {n: f"b{n}" for n in self._kind(SINGLE)}
        starts |= {n: f"b{n} + n - row * {width}" for n in self._kind(ALONG)}
        whole = self._body([copy(row, vector) for row in range(rows) for vector in range(vectors)])
        rest = self._body([_Copy("", "n", starts)], suffix="_part", count=", last - n")
        return "\n".join(
            [
                *self._head(),
                *(f"    r{n}, s{n} = steps[{3 * n}], steps[{3 * n + 1}]" for n in moving),
                *(f"    t{n} = steps[{3 * n + 2}]" for n in moving),
                "    while at < end:",
                *(f"        b{n} = first * r{n} + outer * s{n} + inner * t{n}" for n in moving),
                f"        count = min(middle - inner, (end - at) // {width}) // {rows} * {rows}",
                f"        if at > row * {width}:",
                "            count = 0",
                f"        for n in range(at, at + count * {width}, {rows * width}):",
                *(f"            {line}" for line in whole),
                *(f"            b{n} += {rows} * t{n}" for n in moving),
                f"        at, row, inner = at + count * {width}, row + count, inner + count",
                "        if count == 0:",
                f"            last = min((row + 1) * {width}, end)",
                f"            for n in range(at, last, {LANES}):",
                *(f"                {line}" for line in rest),
                "            at, row, inner = last, row + 1, inner + 1",
                *_NEXT_OUTER,
            ]
        )

    def _head(self) -> list[str]:
        arrays = [
            *(f"x{n}" for n in range(len(self.operands))), "numbers",
            *(f"y{n}" for n in range(len(self.results))),
        ]  # fmt: skip
        return [
            f"def NAME({', '.join(arrays)}, steps, second, middle, columns, begin, end):",
            "    zero, one = splat(0.0), splat(1.0)",
            *(f"    p{n} = splat(numbers[{n}])" for n in range(self.numbers)),
            "    at, row = begin, begin // columns",
            "    outer, inner = row // middle, row % middle",
            "    first, outer = outer // second, outer % second",
        ]

    def _kind(self, kind: str) -> list[int]:
        return [n for n, each in enumerate(self.operands) if each == kind]

    def _body(
        self, copies: Sequence[_Copy], shared: frozenset[int] = frozenset(), suffix: str = "", count: str = ""
    ) -> list[str]:
        """The work on one vector of each copy; the operands `shared` are the same for all of them."""
        names = [functools.partial(_name, copy, shared) for copy in copies]
        lines: list[str] = []
        for n, kind in enumerate(self.operands):
            is_single = kind == SINGLE
            load, rest = ("splat({array}[{place}])", "") if is_single else (self.access.loads[n], count)
            if n not in shared:
                lines += (
                    f"{name(n)} = {load.format(part=suffix, array=f'x{n}', place=copy.place_of(n) + rest)}"
                    for copy, name in zip(copies, names, strict=True)
                )
        for n, line in enumerate(self.lines, len(self.operands)):
            lines += (line.text(name(n), name) for name in names)
        for n, number in enumerate(self.results):
            store = self.access.stores[n]
            lines += (
                store.format(part=suffix, value=name(number), array=f"y{n}", place=copy.place + count)
                for copy, name in zip(copies, names, strict=True)
            )
        return lines


@dataclass(frozen=True)
class _Copy:
    """One of the vectors that an iteration computes side by side.

    `suffix` ends the names of its values; `place` is where it lies in the results and in operands of their
    shape, `starts` where it lies in the others.
    """

    suffix: str
    place: str
    starts: Mapping[int, str]

    def place_of(self, operand: int) -> str:
        """Where the vector lies in an operand."""
        return self.starts.get(operand, self.place)


def _name(copy: _Copy, shared: frozenset[int], n: int) -> str:
    return f"v{n}" if n in shared else f"v{n}{copy.suffix}"


_NEXT_OUTER = (
    "        if inner == middle:",
    "            outer, inner = outer + 1, 0",
    "            if outer == second:",
    "                first, outer = first + 1, 0",
    "",
)
