"""One process that loads and runs damaged models; it prints a line before each, for the place of a crash."""

from __future__ import annotations

import faulthandler
import logging
import math
import random
import resource
import shutil
import signal
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

import click
import numpy as np

import lite
from lite.ir.types import Array, DType
from tests.kernels.cpu.guarded_job import guard_jobs, guarded_copy
from tests.soak.mutations.damage import damaged
from tests.soak.mutations.samples import Sample, samples

CPU_SECONDS = 5
"""Time of the processor after which a model counts as a hang."""

COMPILATION_SECONDS = 60
"""Time for a second try of such a model: what it compiles is kept, so the third try compiles nothing."""

MEMORY = 1 << 30
"""Bytes of address space that a model may take."""

MOST_FED = 1 << 20
"""Elements of an input that is fed; models may ask for more."""

GUARDED = "--guarded"
"""The option that runs compiled functions, and feeds inputs, at the ends of guarded memory."""

SEED, RESULT, FAILURE = "seed ", "result ", "failure "
"""What lines start with."""

TIME_UP = f"{FAILURE}more than "
UNREADABLE = "ModelParseError"

PLACES = {"cpu": None, "host": ["host"]}


class _TimeUp(BaseException):
    """Raised by the signal of the timer; nothing catches it."""


def main(kind: str, first: int, last: int, folder: Path | None, *, is_guarded: bool) -> None:
    """Check the seeds from `first` to `last`, exclusive; files of failures are copied to `folder`."""
    if is_guarded:
        guard_jobs()
    faulthandler.enable()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGPROF, _raise_time_up)
    valid = samples(kind)
    _warm_up(valid[0])
    with tempfile.TemporaryDirectory() as scratch:
        for seed in range(first, last):
            _limit_memory()
            click.echo(f"{SEED}{seed}")
            source = random.Random(f"{kind} {seed}")
            sample = source.choice(valid)
            files = damaged(source, sample, kind)
            for name, content in files.items():
                Path(scratch, name).write_bytes(content)
            found = _tries(Path(scratch), sample, seed, is_guarded=is_guarded)
            click.echo(f"{RESULT}{'; '.join(sorted(found))}")
            if folder is not None and any(each.startswith(FAILURE) for each in found):
                shutil.copytree(scratch, folder / f"{kind}-{seed}", dirs_exist_ok=True)
            for name in files:
                Path(scratch, name).unlink()


def _limit_memory() -> None:
    """Let the process take `MEMORY` more address space than it has."""
    soft = _address_space() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (soft, resource.getrlimit(resource.RLIMIT_AS)[1]))


def _raise_time_up(*_: object) -> None:
    raise _TimeUp


def _tries(folder: Path, sample: Sample, seed: int, *, is_guarded: bool) -> set[str]:
    """What happened on each target; a model that the parser refuses is refused for all of them."""
    found = set()
    for places in PLACES:
        result = _try(folder, sample, places, seed, is_guarded=is_guarded)
        if result.startswith(TIME_UP):
            _try(folder, sample, places, seed, is_guarded=is_guarded, seconds=COMPILATION_SECONDS)
            result = _try(folder, sample, places, seed, is_guarded=is_guarded)
        found.add("LiteError" if result == UNREADABLE else result)
        if result == UNREADABLE:
            break
    return found


def _try(
    folder: Path,
    sample: Sample,
    places: str,
    seed: int,
    *,
    is_guarded: bool,
    seconds: int = CPU_SECONDS,
) -> str:
    """Load a model and run it with zeros and with random inputs: what happened, in a word, or a failure."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        return _load_and_run(folder, sample, places, seed, is_guarded=is_guarded)
    except lite.ModelParseError:
        return UNREADABLE
    except lite.LiteError:
        return "LiteError"
    except _TimeUp:
        return f"{TIME_UP}{places}: {seconds} s: {_place(sys.exc_info()[2])}"
    except MemoryError:
        return f"{FAILURE}{places}: MemoryError: {_place(sys.exc_info()[2])}"
    except Exception as error:  # noqa: BLE001 - every other exception is a defect
        return f"{FAILURE}{places}: {type(error).__name__}: {error}: {_place(error.__traceback__)}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _place(trace: object) -> str:
    frames = [f"{Path(each.filename).name}:{each.lineno}" for each in traceback.extract_tb(trace)[-4:]]  # type: ignore[arg-type]
    return " ".join(frames)


def _load_and_run(folder: Path, sample: Sample, places: str, seed: int, *, is_guarded: bool) -> str:
    config = lite.Config(
        model_file=folder / sample.model,
        params_file=None if sample.params is None else folder / sample.params,
        valid_places=PLACES[places],
    )
    predictor = lite.create_predictor(config)
    result = "ran"
    rng = np.random.default_rng(seed)
    for is_random in (False, True):
        feeds = {name: _feed(predictor, name, rng, is_random=is_random) for name in predictor.input_names}
        given = {name: array for name, array in feeds.items() if array is not None}
        if len(given) < len(feeds):
            return "not fed"
        if is_guarded:
            given = {name: guarded_copy(array) for name, array in given.items()}
        try:
            predictor.run(given)
        except lite.LiteError:
            result = "refused to run"
    return result


def _feed(predictor: lite.Predictor, name: str, rng: np.random.Generator, *, is_random: bool) -> Array | None:
    """Zeros or random numbers; open sizes are 2.  None for an input that is too large."""
    handle = predictor.get_input(name)
    shape = [size if isinstance(size, int) and size >= 0 else 2 for size in handle.shape or ()]
    dtype = handle.dtype or DType.FLOAT32
    # numpy refuses an empty array whose other sizes are huge.
    if math.prod(size for size in shape if size) > MOST_FED:
        return None
    if dtype is DType.STRING:
        return np.full(shape, "text" if is_random else "", object)
    if not is_random:
        return np.zeros(shape, dtype.numpy)
    return np.asarray(rng.standard_normal(shape) * 3).astype(dtype.numpy)


def _warm_up(sample: Sample) -> None:
    """Import what a run needs before the limit of the address space is set."""
    with tempfile.TemporaryDirectory() as scratch:
        for name, content in sample.files.items():
            Path(scratch, name).write_bytes(content)
        for places in PLACES:
            _try(Path(scratch), sample, places, 0, is_guarded=False)


def _address_space() -> int:
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


if __name__ == "__main__":
    plain = [each for each in sys.argv[1:] if each != GUARDED]
    out = Path(plain[3]) if len(plain) > 3 else None
    main(plain[0], int(plain[1]), int(plain[2]), out, is_guarded=GUARDED in sys.argv)
