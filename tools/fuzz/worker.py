"""One process of the fuzzer: checks a range of seeds and prints a line for each failure."""

from __future__ import annotations

import faulthandler
import hashlib
import json
import logging
import math
import random
import re
import resource
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import click
import numpy as np
import onnx

from lite.tools.fuzz.configurations import ALWAYS, CONFIGURATIONS
from lite.tools.fuzz.graph import Case, generate
from lite.tools.fuzz.judge import Failure, check
from lite.tools.fuzz.minimise import as_script, minimise

TIME_LIMIT = 60
"""Seconds of the process after which a graph counts as a hang."""

GRACE = 15
"""Seconds more, after which the process ends: an engine that never returns cannot be interrupted."""

WAIT_LIMIT = 900
"""Seconds of the clock after which it counts as one that waits for ever, even on a busy machine."""

SEED = "seed "
"""Starts the line that is printed before each seed, so that the parent knows where a crash happened."""

DRAWN = "drawn"
"""Line after a graph is drawn: the reference ran it and did not crash."""


def main(first: int, last: int, more: int, out: Path, rows: Sequence[str] = ()) -> None:
    """Check the seeds from `first` to `last`, exclusive; with `rows`, graphs of these rows only."""
    faulthandler.enable()
    logging.disable(logging.CRITICAL)
    for each in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(each, _raise_timeout)
    for seed in range(first, last):
        click.echo(f"{SEED}{seed}")
        _limit(TIME_LIMIT, WAIT_LIMIT)
        try:
            line = check_seed(seed, more, out, rows)
        except TimeoutError:
            line = f"hang seed {seed}"
        finally:
            _limit(0, 0)
        if line:
            click.echo(line)


def _limit(busy: int, whole: int) -> None:
    """Raise `TimeoutError` after so many seconds of the process or of the clock; 0: never."""
    used, (_, most) = math.ceil(time.process_time()), resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (used + busy + GRACE if busy else most, most))
    signal.setitimer(signal.ITIMER_PROF, busy)
    signal.alarm(whole)


def _raise_timeout(*_: object) -> None:
    raise TimeoutError


def check_seed(seed: int, more: int, out: Path | None, rows: Sequence[str] = ()) -> str:
    """The line of a seed's first failure, empty where all configurations agree; -1 for `more`: all."""
    choices = random.Random(seed)
    case = generate(choices, str(seed), rows=rows)
    click.echo(DRAWN)
    if case is None:
        return ""
    others = [name for name in CONFIGURATIONS if name not in ALWAYS]
    for name in [*ALWAYS, *(others if more < 0 else choices.sample(others, more))]:
        failure = check(case, CONFIGURATIONS[name])
        if failure is not None:
            return report(seed, case, failure, out)
    return ""


def report(seed: int, case: Case, failure: Failure, out: Path | None) -> str:
    """Minimise a failing case, and write it unless a failure of its class is there; its line."""
    configuration = CONFIGURATIONS[failure.configuration]

    def fails(smaller: Case) -> bool:
        found = check(smaller, configuration)
        return found is not None and found.kind == failure.kind

    _limit(3 * TIME_LIMIT, WAIT_LIMIT)
    small = minimise(case, fails)
    final = check(small, configuration) or failure
    ops = " ".join(node.op_type for node in small.model.graph.node if node.op_type != "Constant")
    line = f"{final.kind} seed {seed} [{failure.configuration}] {ops}: {final.message[:240]}"
    sentence = re.sub(r"\d+(\.\d+)?(e-?\d+)?", "N", final.message)[:120]
    group = hashlib.sha256(f"{final.kind} {ops} {sentence}".encode()).hexdigest()[:10]
    folder = None if out is None else out / f"{final.kind}_{group}"
    if folder is not None and not folder.exists():
        folder.mkdir(parents=True)
        (folder / "model.txt").write_text(f"# {line}\n{as_script(small)}\n")
        (folder / "info.json").write_text(json.dumps({"seed": seed, "line": line, "ops": ops}))
        onnx.save(small.model, str(folder / "model.onnx"))
        np.savez(folder / "feeds.npz", **small.feeds)  # type: ignore[arg-type]
    return line


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]), sys.argv[5:])
