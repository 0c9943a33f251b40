"""The regions of a model, as devices get them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lite.config import Config
from lite.errors import CompileError
from lite.io.load import load_program
from lite.plan import Plan, Region
from lite.session.build import optimize


def region_of(model: Path, device: str) -> Region:
    """The first region of a model on a device; raises `CompileError` where it takes nothing."""
    config = Config(model, devices=[device], min_subgraph_ops=1)
    plan = optimize(load_program(config), config).built(config).plan
    region = next(regions_of(plan), None)
    if region is None:
        raise CompileError(f"{device} takes no op of {model}")
    return region


def regions_of(plan: Plan) -> Iterator[Region]:
    """The regions of a plan and of those in its blocks, in running order."""
    for item in plan.instructions:
        if item.region is not None:
            yield item.region
        for block in item.blocks:
            yield from regions_of(block)
