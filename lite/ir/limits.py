"""Limits: the most that a model may ask for."""

from __future__ import annotations

import dataclasses

from lite.dataclass import dataclass
from lite.errors import ConfigError, GraphError


@dataclass(frozen=True)
class Limits:
    """The most that a model may ask for while it is loaded and run.

    A model above raises `GraphError`, `PassError` where a pass finds it, or `ExecutionError` in a run.

    nodes: ops in all blocks of the model.
    nesting: blocks within blocks.
    folded_bytes: bytes of constants that folding may add to those of the model; ops beyond that are not
        folded but run.
    elements: elements of a value whose shape is known before the op that computes it runs.
    plan_seconds: time for all passes; it is compared after each pass.
    decompressed_bytes: bytes of an artifact's compressed weights, where these are more than eight times
        their size in the file.
    iterations: iterations of one loop in a run; a damaged condition may never become false.

    Raises `ConfigError` for values that are not positive numbers.
    """

    nodes: int = 200_000
    nesting: int = 64
    folded_bytes: int = 1 << 28
    elements: int = 1 << 31
    plan_seconds: float = 600.0
    decompressed_bytes: int = 1 << 30
    iterations: int = 20_000

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            kinds = (int, float) if field.name == "plan_seconds" else (int,)
            if not isinstance(value, kinds) or isinstance(value, bool) or not value > 0:
                raise ConfigError(f"limits: {field.name}: expected a positive number, got {value!r}")

    def check(self, field: str, amount: float, what: str) -> None:
        """Raise `GraphError` if `amount` is above a limit; `what` has that amount, for the message."""
        limit = getattr(self, field)
        if amount > limit:
            raise GraphError(
                f"{what}: {amount:,} {field}, the limit is {limit:,}; raise it by "
                f"Config(limits=Limits({field}=...)) if you trust the model"
            )
