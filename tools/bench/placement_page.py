"""docs/placement.md: a row for each model and choice of devices, and the ops that stay on the host."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TypeVar

from lite.dataclass import dataclass

T = TypeVar("T")

HEAD = """\
# Ops of whole models on devices

Written by `python -m lite.tools.bench.placement_table`. No device failed: every run is without
fallback. The shares are those of ops and of multiply-accumulates (MACs). The error is the largest
difference from the host, relative to the largest value of the output; a row without a number was
placed only (`--only-place`): its regions were not compiled or run.

`qnn` and `rknn` compute in float16, whose error grows where a sigmoid is steep: the host's own output of
PP-OCRv4 det changes by 0.17 where each value of the network is rounded to float16 (rec: 0.0086). The
boxes of yolo_matrix_nms are sorted by their scores: two boxes with scores of 0.6338 and 0.6337 change
places there.

| model | devices | ops | regions | on devices: ops | MACs | error |
|---|---|---|---|---|---|---|
"""

MIDDLE = "\n## Ops that stay on the host\n"

_ROW = re.compile(r"\| (\S+) \| ([^|]+) \| \d")

Key = tuple[str, str]
"""A model, and devices separated by commas."""


@dataclass
class Page:
    """Lines of the table, and the list of ops on the host, by model and devices."""

    rows: dict[Key, str] = field(default_factory=dict)
    on_host: dict[Key, Sequence[str]] = field(default_factory=dict)

    def without(self, devices: str) -> Page:
        """The page without what was measured on these devices."""
        return Page(_other(self.rows, devices), _other(self.on_host, devices))

    def text(self) -> str:
        """The page as Markdown: models in the order of their first rows."""
        models = list(dict.fromkeys(model for model, _ in self.rows))
        keys = sorted(self.rows, key=lambda key: (models.index(key[0]), key[1].count(","), key[1]))
        parts = [HEAD, *(f"{self.rows[key]}\n" for key in keys), MIDDLE]
        for key in keys:
            if self.on_host.get(key):
                parts += [f"\n### {key[0]} on {key[1]}\n\n", *(f"{line}\n" for line in self.on_host[key])]
        return "".join(parts)


def read_page(text: str) -> Page:
    """The page that `Page.text` wrote."""
    page = Page()
    table, _, sections = text.partition(MIDDLE)
    for line in table.splitlines():
        found = _ROW.match(line)
        if found:
            page.rows[found[1], found[2]] = line
    for section in sections.split("\n### ")[1:]:
        title, *lines = section.splitlines()
        model, _, devices = title.partition(" on ")
        page.on_host[model, devices] = [line for line in lines if line]
    return page


def _other(entries: Mapping[Key, T], devices: str) -> dict[Key, T]:
    return {key: value for key, value in entries.items() if key[1] != devices}
