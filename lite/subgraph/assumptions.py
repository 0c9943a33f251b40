"""What devices are assumed to support, to find out what it would change."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from dataclasses import field

from lite.dataclass import dataclass
from lite.errors import ConfigError
from lite.ir.graph import Node

_CHANGING = re.compile(r"\[[^\]]*\]|'[^']*'|%\w+|(?<![\w.])-?\d[\d.,]*")
"""The parts of a refusal that name one tensor: shapes, names, numbers."""


def general_reason(reason: str) -> str:
    """A refusal without the shapes, names and numbers of one op, by which refusals are counted.

    >>> general_reason("Out is int32[2], of rank 0; the device's tensors have 1 to 5 axes")
    'Out is int32…, of rank …; the device's tensors have … to … axes'
    """
    return _CHANGING.sub("…", reason)


@dataclass(frozen=True)
class Assumption:
    """Ops of the type `op`, which may have wildcards, that a device declines for `reason`; "" is any reason.

    `reason` is the sentence in general terms, or a part of any sentence.
    """

    op: str
    reason: str = ""

    @classmethod
    def parse(cls, text: str) -> Assumption:
        """``softmax``, or ``softmax: a part of the reason``; raises `ConfigError` for anything else."""
        op, _, reason = (part.strip() for part in text.partition(":"))
        if not op or " " in op:
            raise ConfigError(f"assumption {text!r}: expected 'op' or 'op: a part of the reason'")
        return cls(op, reason)

    def __str__(self) -> str:
        return f"{self.op}: {self.reason}" if self.reason else self.op

    def covers(self, op: str, reason: str) -> bool:
        """Whether an op that was declined with this sentence is assumed to be supported."""
        if not fnmatch.fnmatchcase(op, self.op):
            return False
        return self.reason in reason or self.reason == general_reason(reason)


@dataclass(frozen=True)
class Refusal:
    """An op that the bridges of a device declined, and their sentence."""

    device: str
    op: str
    name: str
    reason: str


@dataclass
class Assumptions:
    """Assumptions about the bridges of all devices, and the refusals that were met, in order.

    What no bridge can change is not assumed: control flow, effects, LoDs, rules of the user, missing devices.
    """

    items: Sequence[Assumption] = ()
    refusals: list[Refusal] = field(default_factory=list)

    def allow(self, device: str, node: Node, reason: str) -> bool:
        """Note a refusal; whether the op counts as supported all the same."""
        self.refusals.append(Refusal(device, node.op, node.label, reason))
        return any(item.covers(node.op, reason) for item in self.items)
