"""Random programs on random devices with faults: ``python -m tests.soak.side_by_side --graphs 10000``.

Regions side by side must give what they give one after the other.  A run that does not end within a minute
prints the stacks of all threads.
"""

from __future__ import annotations

import faulthandler
import logging

import click
import hypothesis
from hypothesis import HealthCheck, Phase, given, settings

from tests.suite.test_random_devices import Setup, setups, some_kept
from tests.suite.test_side_by_side import SECONDS, bounded, compare, quick_switches, some_delays
from tests.support.random_programs.builder import Case
from tests.support.random_programs.tensor_ops import cases

FALLBACKS = ("warn", "error")


def check(graphs: int, number: int) -> tuple[int, int]:
    """Compare `graphs` programs; returns how many were compared, and how many segments had lanes."""
    compared = lanes = 0

    @hypothesis.seed(number)
    @settings(
        max_examples=graphs,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases(), setup=setups(faulty=number % 3 > 0), kept=some_kept, delays=some_delays)
    def one(case: Case, setup: Setup, kept: list[int], delays: list[int]) -> None:
        nonlocal compared, lanes
        fallback = FALLBACKS[compared % 2]
        if any(chip.fault == "missing" for chip in setup.chips):
            fallback = "warn"
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        lanes += bounded(lambda: compare(case, setup, kept, fallback, delays))
        faulthandler.cancel_dump_traceback_later()
        compared += 1

    one()
    return compared, lanes


@click.command()
@click.option("--graphs", default=10_000, show_default=True)
@click.option("--seed", default=1, show_default=True)
def main(graphs: int, seed: int) -> None:
    """Exit status 1 for a difference."""
    logging.getLogger("lite").setLevel(logging.CRITICAL)
    compared = lanes = 0
    with quick_switches():
        while compared < graphs:
            more = check(min(250, graphs - compared), seed)
            compared, lanes, seed = compared + more[0], lanes + more[1], seed + 1
            click.echo(f"{compared} graphs, {lanes} segments with lanes, next seed {seed}")


if __name__ == "__main__":
    main()
