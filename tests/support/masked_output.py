"""Outputs of the command line program without what differs from run to run and from machine to machine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

GAP = "  "
"""What divides the cells of a line; it grows with the numbers of a column."""

WIDE_GAP = re.compile(r" {2,}")
NUMBER = re.compile(r"-?\d[\d,.]*(?:e[+-]\d+)?|-?inf|nan")
MEASURED_IN_TEXT = re.compile(
    r"(?<![\w.])-?\d+(?:\.\d+(?:e[+-]\d+)?|e[+-]\d+)(?![\w.])"  # A decimal number.
    r"|(?<![\w.])\d+(?= (?:ms|s|MB)\b)"  # A whole number with a unit.
    r"|\b[0-9a-f]{12,64}\b"  # A hash.
    r"|(?<=127\.0\.0\.1:)\d+"  # A port.
)
MEASURED = frozenset(
    [
        "ms",
        "seconds",
        "min",
        "max",
        "mean",
        "p50",
        "p90",
        "p99",
        "total ms",
        "avg ms",
        "min ms",
        "max ms",
        "share %",
        "runs per second",
        "relative error",
        "error",
        "ratio",
        "SQNR in dB",
        "cosine",
        "age",
        "unused for",
    ]
)
"""Columns and facts whose values are measured, or rounded differently by other processors."""

PACKED = frozenset(
    [
        "scratch",
        "packed",
        "meta.json",
        "runs.json",
        "plan.json",
        "origin.json",
        "report.json",
        "weights.bin",
        "bytes",
        "file list",
        "plan",
    ]
)
"""Facts and rows with sizes of weights that are packed for the vector registers of the processor."""


UNCERTAIN = "weight pack"
"""A row that is there where packing takes long enough for its result to be stored."""


def masked(output: str) -> str:
    """`output` with `#` for each number that is not the same on all machines.

    The text of a graph becomes one line.  Where numbers are masked, columns are two blanks apart.
    """
    lines = [line.rstrip() for line in without_graphs(output.splitlines()) if not line.startswith(UNCERTAIN)]
    return "\n\n".join(map(_masked_paragraph, "\n".join(lines).split("\n\n")))


def without_graphs(lines: Iterable[str]) -> Iterator[str]:
    """The lines, with one in place of each text of a graph."""
    inside = False
    for line in lines:
        if line.startswith("graph "):
            inside = True
        elif inside and line == "}":
            inside = False
            yield "graph ..."
        elif not inside:
            yield line


def _masked_paragraph(text: str) -> str:
    plain = [WIDE_GAP.sub(GAP, line.strip()) for line in text.splitlines()]
    changed = list(_masked_lines(plain))
    return text if changed == plain else "\n".join(changed)


def _masked_lines(lines: Iterable[str]) -> Iterator[str]:
    columns: set[int] = set()
    for line in lines:
        cells = line.split(GAP)
        measured = {number for number, cell in enumerate(cells) if cell in MEASURED}
        if cells[0] in PACKED or (len(cells) == 2 and cells[0] in MEASURED):
            cells = ["#" if NUMBER.match(cell) else cell for cell in cells]
        elif measured and not any(NUMBER.fullmatch(cell) for cell in cells):
            columns = measured
        cells = [
            "#" if number in columns and NUMBER.fullmatch(cell) else MEASURED_IN_TEXT.sub("#", cell)
            for number, cell in enumerate(cells)
        ]
        yield GAP.join(cells)
