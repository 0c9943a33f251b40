"""Processes that share caches, are killed, and find damaged files: ``python -m tests.soak.cache_chaos``.

In each round some processes at once make a predictor from the same caches (plans, packed weights, device
models, machine code) and run it, while some of them are killed by SIGKILL.  Between rounds a file is damaged
or the caches are emptied.  Each process that is not killed must give the right answer, and no temporary file
may stay.
"""

from __future__ import annotations

import collections
import logging
import os
import random
import shutil
import sys
import tempfile
import time
import warnings
from pathlib import Path

import click

from tests.soak.damage import damage_one
from tests.soak.forked import Child, import_what_it_imports

ANSWER_SECONDS = 180.0

DEVICES = ((), (), ("sim_npu",))
"""The devices of a round are one of these."""


@click.command()
@click.option("--rounds", default=500, show_default=True)
@click.option("--processes", default=8, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--minutes", type=float, help="Stop after so many minutes, even before all rounds.")
def main(rounds: int, processes: int, seed: int, minutes: float | None) -> None:
    """Exit status 1 for a wrong answer, an error or a hang."""
    choices = random.Random(seed)
    start = time.monotonic()
    counts: collections.Counter[str] = collections.Counter()
    failures: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        chaos = Chaos(Path(folder), choices)
        first = chaos.first()
        failures += [] if first == "right" else [f"first process: {first}"]
        for number in range(rounds):
            if minutes is not None and time.monotonic() - start > 60 * minutes:
                break
            failures += [f"round {number}: {each}" for each in chaos.round(processes, counts)]
            counts["rounds"] += 1
            if counts["rounds"] % 25 == 0:
                click.echo(f"{dict(counts)}, {len(failures)} failures")
        counts["temporary files left"] = chaos.temporary_files()
    click.echo(f"{dict(counts)}, {len(failures)} failures, {(time.monotonic() - start) / 60:.1f} minutes")
    for failure in failures[:20]:
        click.echo(failure)
    sys.exit(1 if failures else 0)


class Chaos:
    """The caches and the model."""

    def __init__(self, folder: Path, choices: random.Random) -> None:
        self.kernels = folder / "kernels"
        self.choices = choices
        # Before anything looks for machine code.
        os.environ["LITEBRIDGE_KERNEL_CACHE"] = str(self.kernels)
        logging.disable(logging.CRITICAL)
        warnings.simplefilter("ignore", DeprecationWarning)
        from tests.soak.cached_model import CachedModel

        self.model = CachedModel(folder)

    def first(self) -> str:
        """Fill the caches in a process, which compiles the kernels; later ones compile what was damaged.

        This process runs nothing, so that each of them reads all files.
        """

        def run() -> str:
            return ", ".join({self.model.run(devices) for devices in DEVICES})

        return import_what_it_imports(run, 10 * ANSWER_SECONDS)

    def round(self, processes: int, counts: collections.Counter[str]) -> list[str]:
        """One round; returns the failures."""
        damage = self._damage()
        counts[(damage or "nothing").split(":")[0]] += 1
        devices = self.choices.choice(DEVICES)
        children = [Child.start(lambda: self.model.run(devices)) for _ in range(processes)]
        killed = self.choices.sample(children, self.choices.randint(0, processes // 2))
        for child in killed:
            time.sleep(self.choices.random() * 0.1)
            child.kill()
        failures = []
        for child in children:
            answer = child.answer(ANSWER_SECONDS)
            is_killed = child in killed and not answer
            counts["killed" if is_killed else "answers"] += 1
            if not is_killed and answer != "right":
                failures.append(f"after {damage}: {answer}")
        return failures

    def temporary_files(self) -> int:
        """The number of temporary files in the caches after a last run, which removes old ones."""
        return sum(1 for folder in (self.kernels, self.model.cache) for _ in folder.rglob("*.tmp"))

    def _damage(self) -> str | None:
        number = self.choices.random()
        if number < 0.06:
            shutil.rmtree(self.model.cache, ignore_errors=True)
            return "emptied"
        if number < 0.5:
            return damage_one(self.model.cache, self.choices)
        if number < 0.6 and self.kernels.exists():
            return damage_one(self.kernels, self.choices)
        return None


if __name__ == "__main__":
    main()
