"""Tables as plain text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def text_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A header and one line for each row, in aligned columns; columns of numbers are right-aligned.

    None is shown as ``-``, and floats have six significant digits.
    """
    lines = [list(columns)]
    numeric = [True] * len(columns)
    for row in rows:
        lines.append([_cell(cell) for cell in row])
        numeric = [
            is_numeric and (cell is None or isinstance(cell, int | float))
            for is_numeric, cell in zip(numeric, row, strict=True)
        ]
    widths = [max(len(line[n]) for line in lines) for n in range(len(columns))]
    return "\n".join(
        "  ".join(
            text.rjust(width) if is_numeric else text.ljust(width)
            for text, width, is_numeric in zip(line, widths, numeric, strict=True)
        ).rstrip()
        for line in lines
    )


def _cell(cell: object) -> str:
    if cell is None:
        return "-"
    return f"{cell:.6g}" if isinstance(cell, float) else str(cell)
