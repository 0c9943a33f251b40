"""``python -m tests.soak``: random models, devices, shapes, clones, faults, cache damage and kills.

Each answer is compared with the reference's.  Memory, descriptors and threads are recorded once a minute;
their growth counts from the end of the first quarter, when all caches of the process are filled.
"""

from __future__ import annotations

import collections
import json
import logging
import random
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path

import click

import lite
from tests.soak.actions import Soak, WrongError, draw_action
from tests.soak.pool import draw_models
from tests.soak.process_state import ProcessState

MOST_GROWTH = 1.02
"""Resident memory at the end, in relation to that after the first quarter."""


@click.command()
@click.option("--minutes", default=10.0, show_default=True, help="How long, without drawing the models.")
@click.option("--seed", default=0, show_default=True, help="Decides models, actions and damages.")
@click.option("--models", "count", default=24, show_default=True, help="Random models.")
@click.option("--log", type=click.Path(path_type=Path), help="A JSON line for each minute.")
@click.option("--any-growth", is_flag=True, help="Growth of memory is no failure.")
def main(minutes: float, seed: int, count: int, log: Path | None, any_growth: bool) -> None:
    """Run random actions; exit status 1 for a wrong answer, an unexpected error, or growth."""
    logging.disable(logging.CRITICAL)
    choices = random.Random(seed)
    click.echo(f"drawing {count} models")
    models = draw_models(choices, count)
    answers: collections.Counter[str] = collections.Counter()
    failures: list[str] = []
    states: list[tuple[float, ProcessState]] = []
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(models, Path(folder, "cache"), choices)
        start = time.monotonic()
        while (elapsed := time.monotonic() - start) < 60 * minutes:
            name, action = draw_action(choices)
            try:
                answers[name] += action(soak)
            except (WrongError, lite.LiteError) as error:
                failures.append(f"{name}: {type(error).__name__}: {error}")
                click.echo(failures[-1][:400])
            if elapsed >= 60 * len(states) or not states:
                states.append((elapsed, ProcessState.now()))
                line = {"seconds": round(elapsed), "answers": answers.total(), **asdict(states[-1][1])}
                _write(log, {**line, "failures": len(failures)})
        states.append((time.monotonic() - start, ProcessState.now()))
    grows = _report(answers, failures, states)
    sys.exit(1 if failures or (grows and not any_growth) else 0)


def _write(log: Path | None, line: dict[str, float]) -> None:
    text = json.dumps(line)
    if log is None:
        click.echo(text)
    else:
        with log.open("a") as file:
            file.write(f"{text}\n")


def _report(
    answers: collections.Counter[str], failures: list[str], states: list[tuple[float, ProcessState]]
) -> bool:
    """Print what happened; whether memory grew."""
    end, last = states[-1]
    _, settled = next((each for each in states if each[0] >= end / 4), states[-1])
    click.echo(f"{answers.total()} answers in {end / 60:.1f} minutes: {dict(answers)}")
    click.echo(f"{len(failures)} failures")
    click.echo(f"after a quarter {settled}; at the end {last}")
    grows = last.megabytes > settled.megabytes * MOST_GROWTH
    if grows:
        click.echo(f"memory grew by {last.megabytes / settled.megabytes - 1:.1%}")
    return grows


if __name__ == "__main__":
    main()
