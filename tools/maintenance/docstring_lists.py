"""Extension of griffe, which reads the docstrings for the site: converts them to Markdown."""

from __future__ import annotations

import re
from typing import Any

import griffe

_DOCTEST_FLAG = re.compile(r" +# doctest: .*$", re.MULTILINE)
_ENTRY = re.compile(r"^(\w+(?:, \w+)*): +(?=\S)", re.MULTILINE)
_BEFORE_BLOCK = re.compile(r"::$", re.MULTILINE)


class DocstringLists(griffe.Extension):
    """Rewrites the docstring of each object."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Replace the docstring by Markdown."""
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(text: str) -> str:
    """``name: text`` as an item of a list, ``::`` as a colon, and ``>>>`` with its output as code."""
    lines: list[str] = []
    in_example = False
    for line in _BEFORE_BLOCK.sub(":", _DOCTEST_FLAG.sub("", text)).split("\n"):
        in_example = line.startswith(">>> ") or (in_example and line != "")
        item = f"    {line}" if in_example else _ENTRY.sub(r"- **\1**: ", line)
        # A list needs an empty line before it.
        if item.startswith("- **") and lines and lines[-1] and not lines[-1].startswith(("- **", " ")):
            lines.append("")
        lines.append(item)
    return "\n".join(lines)
