"""Faults of the fake device, one place at a time."""

from __future__ import annotations

import numpy as np

from tests.support.fake_device import Faults


def missing(faults: Faults) -> None:
    faults.missing = "the driver is not installed"


def converting(faults: Faults) -> None:
    faults.convert = frozenset({"reduce_mean"})


def compiling(faults: Faults) -> None:
    faults.compile = frozenset({"reduce_mean"})


def compiling_unnamed(faults: Faults) -> None:
    faults.compile, faults.names_op = frozenset({"reduce_mean"}), False


def first_run(faults: Faults) -> None:
    faults.run = 1


def wrong_shape(faults: Faults) -> None:
    faults.result = lambda array: array[:0]


def wrong_dtype(faults: Faults) -> None:
    faults.result = lambda array: array.astype(np.float64)


def nothing(faults: Faults) -> None:
    faults.result = lambda _: None


FAULTS = [missing, converting, compiling, compiling_unnamed, first_run, wrong_shape, wrong_dtype, nothing]
