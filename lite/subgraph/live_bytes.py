"""The bytes that a part of a region needs in a device's memories while it runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lite.plugin.device import Limits
from lite.subgraph.split_op import SplitOp


class LiveBytes:
    """Compares the bytes of parts of a region with the memories in `limits`.

    While a part runs, its inputs are in memory from its start to their last use, its outputs from the op that
    writes them to its end, and all others from the op that writes them to their last use.  A longer part
    never needs less than one within it.  A size that is not known counts as 0.
    """

    def __init__(self, ops: Sequence[SplitOp], limits: Limits) -> None:
        self._ops = ops
        self._limits = limits
        self._sizes: dict[int, int] = {}
        self._writer: dict[int, int] = {}
        self._last_read: dict[int, int] = {}
        for n, op in enumerate(ops):
            self._sizes |= op.input_bytes
            self._sizes |= op.outputs
            self._writer |= dict.fromkeys(op.outputs, n)
            self._last_read |= dict.fromkeys(op.inputs, n)
        self._outside = {value for op in ops for value in op.read_outside}
        self._is_bounded = bool(ops) and self.exceeds(0, len(ops) - 1)

    @property
    def is_bounded(self) -> bool:
        """Whether any part can exceed a memory: whether the whole region does."""
        return self._is_bounded

    def exceeds(self, first: int, last: int) -> bool:
        """Whether the ops from `first` to `last` need more than a memory has."""
        return any(True for _ in self.reasons(first, last))

    def reasons(self, first: int, last: int) -> Iterator[str]:
        """What the ops from `first` to `last` have more of than a memory has bytes, in words."""
        local, whole = self._limits.local_memory, self._limits.memory_bytes
        if local is not None:
            peak = self.peak(first, last, local.alignment)
            if peak > local.bytes:
                yield f"{peak:,} bytes of tensors at one time, more than the {local.bytes:,} of local memory"
        if whole is not None:
            used = self.peak(first, last, 1) + self._weights(first, last)
            if used > whole:
                yield f"{used:,} bytes of weights and tensors at one time, more than the {whole:,} of memory"

    def peak(self, first: int, last: int, alignment: int) -> int:
        """The most bytes of tensors that exist at one time, each rounded up to `alignment` bytes."""
        change = [0] * (last - first + 2)
        part = self._ops[first : last + 1]
        for value in {value for op in part for value in (*op.inputs, *op.outputs)}:
            size = -(-self._sizes.get(value, 0) // alignment) * alignment
            begin = max(self._writer.get(value, first), first)
            is_output = self._writer.get(value, -1) >= first and self._leaves(value, last)
            end = last if is_output else self._last_use(value, begin, last)
            change[begin - first] += size
            change[end - first + 1] -= size
        peak = live = 0
        for each in change:
            live += each
            peak = max(peak, live)
        return peak

    def _last_use(self, value: int, begin: int, last: int) -> int:
        """The last op up to `last` that reads a value; `begin` where none does."""
        end = self._last_read.get(value, begin)
        if end > last:
            end = max((n for n in range(begin, last + 1) if value in self._ops[n].inputs), default=begin)
        return max(end, begin)

    def _leaves(self, value: int, last: int) -> bool:
        return value in self._outside or self._last_read.get(value, -1) > last

    def _weights(self, first: int, last: int) -> int:
        weights: dict[int, int] = {}
        for op in self._ops[first : last + 1]:
            weights |= op.weights
        return sum(weights.values())
