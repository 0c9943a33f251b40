"""Tables as plain text, for what prints itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def text_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A header line and one line a row, columns below each other; numbers stand to the right.

    None is ``-``, a float has six digits.
    """
    lines = [list(columns)]
    numeric = [True] * len(columns)
    for row in rows:
        lines.append([_cell(cell) for cell in row])
        numeric = [
            known and (cell is None or isinstance(cell, int | float))
            for known, cell in zip(numeric, row, strict=True)
        ]
    widths = [max(len(line[n]) for line in lines) for n in range(len(columns))]
    return "\n".join(
        "  ".join(
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in lines
    )


def _cell(cell: object) -> str:
    if cell is None:
        return "-"
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)
