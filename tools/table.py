"""Tables as lines of text that fit a width: columns are left out by rank, and sentences wrap."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from textwrap import wrap

from lite.dataclass import dataclass

GAP = 2
"""Blanks between columns."""

SENTENCE = 24
"""The least width of a column that wraps; a cell that is longer and has blanks is a sentence."""


@dataclass(frozen=True)
class FittedTable:
    """The lines of a table, the header first, and the titles of the columns that were left out."""

    lines: Sequence[str]
    left_out: Sequence[str]


def fitted_table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Collection[int],
    width: int | None,
    drop: Sequence[str] = (),
) -> FittedTable:
    """A header and a line for each row, no longer than `width`, if that can be.

    Columns of the numbers `right` are aligned right.  `drop` names the columns that are left out first, in
    this order; then the last ones follow, up to the second.  Sentences wrap, and continue below themselves;
    names are never broken: the first column stays as wide as it is.  Without `width` everything is shown.
    """
    shown = list(range(len(columns)))
    widths = [max(len(row[n]) for row in (columns, *rows)) for n in shown]
    if width is not None:
        least = [_least(columns[n], [row[n] for row in rows], widths[n]) for n in range(len(columns))]
        ranked = [columns.index(name) for name in drop if name in columns]
        ranked += [n for n in reversed(shown[1:]) if n not in ranked]
        while _total(least, shown) > width and len(shown) > 1:
            shown.remove(next(n for n in ranked if n in shown))
        _share(widths, least, shown, width)
    lines = [line for row in (columns, *rows) for line in _lines(row, shown, widths, right)]
    return FittedTable(lines, [title for n, title in enumerate(columns) if n not in shown])


def _least(title: str, cells: Sequence[str], natural: int) -> int:
    """The least width of a column: of sentences, that of the longest word or `SENTENCE`."""
    if not any(" " in cell and len(cell) > SENTENCE for cell in cells):
        return natural
    words = [word for cell in cells for word in (cell.split() if len(cell) > SENTENCE else [cell])]
    return min(natural, max(SENTENCE, len(title), *map(len, words)))


def _total(widths: Sequence[int], shown: Sequence[int]) -> int:
    return sum(widths[n] for n in shown) + GAP * (len(shown) - 1)


def _share(widths: list[int], least: Sequence[int], shown: Sequence[int], width: int) -> None:
    """Narrow the columns of sentences, the widest first, until the table fits."""
    excess = _total(widths, shown) - width
    for n in sorted(shown, key=lambda n: least[n] - widths[n]):
        taken = min(max(excess, 0), widths[n] - least[n])
        widths[n] -= taken
        excess -= taken


def _lines(
    row: Sequence[str], shown: Sequence[int], widths: Sequence[int], right: Collection[int]
) -> list[str]:
    cells = [wrap(row[n], widths[n], break_long_words=False, break_on_hyphens=False) or [""] for n in shown]
    cells = [[row[n]] if len(row[n]) <= widths[n] else cell for n, cell in zip(shown, cells, strict=True)]
    return [
        (" " * GAP)
        .join(
            text.rjust(widths[n]) if n in right else text.ljust(widths[n])
            for n, text in (
                (n, cell[number] if number < len(cell) else "") for n, cell in zip(shown, cells, strict=True)
            )
        )
        .rstrip()
        for number in range(max(map(len, cells)))
    ]
