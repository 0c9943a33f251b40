"""Makes, runs and drops predictors many times: ``python -m tests.soak.create_destroy --cycles 10000``.

Memory, descriptors and threads must be at the end what they were after the first tenth.
"""

from __future__ import annotations

import gc
import itertools
import logging
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

import lite
from tests.soak.cached_model import CachedModel, model_input
from tests.soak.process_state import ProcessState
from tests.support.device_availability import missing

MOST_GROWTH = 1.02

SDK_THREADS = 4
"""Threads that the SDKs of devices may start after the first tenth, once for the process."""

DEVICES = ("sim_npu", "onnxruntime", "openvino")


@click.command()
@click.option("--cycles", default=10_000, show_default=True)
def main(cycles: int) -> None:
    """Exit status 1 for growth."""
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        model = CachedModel(Path(folder))
        settings: list[dict[str, Any]] = [
            {"valid_places": ["host"]},
            {},
            {"threads": 2},
            {"cache_dir": model.cache},
            *({"devices": [each]} for each in DEVICES if missing(each) is None),
        ]
        settled = None
        for number, fields in zip(range(cycles), itertools.cycle(settings), strict=False):
            predictor = lite.create_predictor(lite.Config(model.path, **fields))
            predictor.run([model_input()])
            predictor.clone().run([model_input()])
            if number + 1 == max(cycles // 10, 2 * len(settings)):
                settled = _state()
                click.echo(f"after {number + 1} cycles: {settled}")
        del predictor
        end = _state()
    click.echo(f"after {cycles} cycles: {end}")
    assert settled is not None
    grows = (
        end.megabytes > settled.megabytes * MOST_GROWTH
        or end.descriptors > settled.descriptors
        or end.threads > settled.threads + SDK_THREADS
    )
    sys.exit(1 if grows else 0)


def _state() -> ProcessState:
    gc.collect()
    return ProcessState.now()


if __name__ == "__main__":
    main()
