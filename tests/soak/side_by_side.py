"""Random programs on random devices with faults, side by side and one after the other, for as long as you let it.

``python -m tests.soak.side_by_side --graphs 10000 --seed 1`` prints its progress and ends with status 1 at the
first difference.  A run that does not end within a minute prints the stacks of all threads.
"""

from __future__ import annotations

import argparse
import faulthandler
import logging
import sys

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.suite.test_random_devices import Setup, setups, some_kept
from tests.suite.test_side_by_side import SECONDS, bounded, compare, quick_switches, some_delays
from tests.support.random_programs.builder import Case
from tests.support.random_programs.tensor_ops import cases

FALLBACKS = ("warn", "error")


def check(graphs: int, number: int) -> tuple[int, int]:
    """Compare `graphs` programs; returns how many were compared, and how many segments had lanes."""
    compared = lanes = 0

    @seed(number)
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    logging.getLogger("lite").setLevel(logging.CRITICAL)
    compared = lanes = 0
    number = options.seed
    with quick_switches():
        while compared < options.graphs:
            more = check(min(250, options.graphs - compared), number)
            compared, lanes, number = compared + more[0], lanes + more[1], number + 1
            print(f"{compared} graphs, {lanes} segments with lanes, next seed {number}", flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
