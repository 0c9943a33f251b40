"""The user's rules that keep ops on the host or put them on one device.

The lines are those of Paddle-Lite's partition file (``SUBGRAPH_PARTITION_CONFIG_FILE``); comments,
wildcards, quotes and devices are additions::

    # A comment begins with '#' at the start of a word; blank lines are ignored.
    relu                            every relu stays on the host
    conv2d:x,w:y                    conv2d ops that read both x and w and write y
    conv2d::y-pool2d:y              two entries; an empty list matches any names
    conv2d_*:image?                 * stands for any characters, ? for one
    "my-op":"name, with: signs"     in quotes every character is literal; \\" and \\\\ stand for " and \\
    matmul_v2-softmax -> openvino   these ops run on openvino or, where it declines them, on the host
    relu6 -> host                   the same as without the arrow
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path

from lite.dataclass import dataclass
from lite.ir.types import HOST
from lite.subgraph.rule_entries import RuleEntry, read_entries
from lite.subgraph.user_file import read_text

HOST_RULE = HOST
"""The answer of `PartitionRules.decide` for an op that must stay on the host."""


@dataclass
class PartitionRules:
    """The entries of the rules in order; the first entry that matches an op decides.

    An entry matches an op of its type that reads all of its inputs and writes all of its outputs.
    """

    entries: tuple[RuleEntry, ...] = ()
    _matched: set[RuleEntry] = field(default_factory=set, repr=False)
    _decided: set[RuleEntry] = field(default_factory=set, repr=False)

    @classmethod
    def parse(cls, source: str | os.PathLike[str]) -> PartitionRules:
        """Read rules from text or from a file: a path object, or a string that names an existing file.

        Raises `ConfigError` with the line and column of the first error.
        """
        if not isinstance(source, str) or _is_file(source):
            return cls(tuple(read_entries(rules_text(source), f"{os.fspath(source)}: ")))
        no_file = "" if "\n" in source else "there is no file of this name, and as text: "
        return cls(tuple(read_entries(source, no_file)))

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices that the rules name, in the order of their first mention."""
        return tuple(dict.fromkeys(entry.place for entry in self.entries if entry.place != HOST_RULE))

    def decide(self, op: str, inputs: Sequence[str], outputs: Sequence[str]) -> str | None:
        """Where an op must run: the host (`HOST_RULE`), a device by name, or None for any place."""
        decisive: RuleEntry | None = None
        for entry in self.entries:
            if entry.matches(op, inputs, outputs):
                self._matched.add(entry)
                decisive = decisive or entry
        if decisive is None:
            return None
        self._decided.add(decisive)
        return decisive.place

    def unused(self) -> list[str]:
        """A sentence for each entry that has decided nothing so far."""
        return [
            f"partition rules, line {entry.line}: {entry.text!r} "
            + (
                "decides nothing: earlier rules match the same ops"
                if entry in self._matched
                else "matches no op"
            )
            for entry in self.entries
            if entry not in self._decided
        ]


def rules_text(source: str | os.PathLike[str]) -> str:
    """The text of rules, which `source` is or names; raises `ConfigError` for a file that cannot be read."""
    return (
        source if isinstance(source, str) and not _is_file(source) else read_text(source, "partition rules")
    )


def _is_file(text: str) -> bool:
    return "\n" not in text and "\0" not in text and len(text) < 4096 and Path(text).is_file()
