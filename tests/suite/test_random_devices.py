"""Random programs on random devices, working and failing, against the reference interpreter."""

from __future__ import annotations

import copy
import logging
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lite.config import Config
from lite.errors import CompileError, ExecutionError
from lite.ir.graph import Graph
from lite.ir.lower import lower_graph
from lite.ir.text import parse_graph, print_graph
from lite.ir.types import Array
from lite.ir.verify import verify
from lite.passes.pipelines import SUBGRAPH_PASS, default_pipeline
from lite.plugin.device import Limits, LocalMemory
from lite.runtime.observe.watch import Observation
from lite.session.build import optimize
from lite.session.predictor import Predictor
from tests.lite.runtime.test_random_graphs import PROMISED, SIGNATURES, check, run_all
from tests.support.fake_device import FakeMemory, Faults, fake_device
from tests.support.interpreter.tensors import run_program
from tests.support.random_programs.builder import Case
from tests.support.random_programs.tensor_ops import cases, feeds

OPS = (
    "relu", "tanh", "sigmoid", "leaky_relu", "hard_swish", "abs", "square", "softsign", "gelu",
    "elementwise_add", "elementwise_sub", "elementwise_mul", "elementwise_max", "elementwise_min",
    "scale", "reshape2", "unsqueeze2", "squeeze2", "transpose2", "split", "concat", "slice",
    "reduce_sum", "reduce_mean", "matmul_v2", "softmax", "shape", "fill_constant", "assign", "stack",
    "greater_than", "less_than", "where_index", "gather_nd", "range", "cast", "increment",
)  # fmt: skip

LIMITS = (
    Limits(),
    Limits(ops=1),
    Limits(ops=2),
    Limits(inputs=1),
    Limits(outputs=1),
    Limits(alignment=64),
    Limits(weight_bytes=16),
    Limits(memory_bytes=256),
    Limits(local_memory=LocalMemory(128, alignment=16)),
)

FAULTS = ("missing", "convert", "compile", "compile unnamed", "run", "shape", "dtype", "nothing", "load")
LATER = "run"
"""The fault of the n-th run and later ones: earlier runs succeed."""


@dataclass(frozen=True)
class Chip:
    """A drawn device and its fault, which concerns the ops `broken` or the run `number`."""

    name: str
    ops: tuple[str, ...]
    limits: Limits
    has_memory: bool
    dynamic: bool
    fault: str = ""
    broken: frozenset[str] = frozenset()
    number: int = 1


@dataclass(frozen=True)
class Setup:
    """Devices, and the options that divide and run a model."""

    chips: tuple[Chip, ...]
    options: dict[str, Any] = field(hash=False)

    @property
    def names(self) -> list[str]:
        return [chip.name for chip in self.chips]


def passes(division: str, chips: tuple[Chip, ...]) -> list[str] | None:
    """The list of passes for a division of the model among devices."""
    if division in ("default", "none"):
        return [] if division == "none" else None
    each = [f"{SUBGRAPH_PASS}{{device={chip.name}}}" for chip in chips]
    named = {
        "connected": [f"{SUBGRAPH_PASS}{{connected=true}}"],
        "reverse": [f"{SUBGRAPH_PASS}{{detector=reverse_dfs}}"],
        "each": each,
    }
    whole = [[name] if name != SUBGRAPH_PASS else named[division] for name in default_pipeline()]
    return [name for part in whole for name in part]


@st.composite
def setups(draw: st.DrawFn, *, faulty: bool = False) -> Setup:
    """One to three devices that take all ops or some; with `faulty`, each has a fault."""
    some = st.lists(st.sampled_from(OPS), min_size=1, unique=True).map(tuple)
    chips = tuple(
        Chip(
            name,
            draw(st.one_of(st.just(OPS), some)),
            draw(st.sampled_from(LIMITS)),
            draw(st.booleans()),
            draw(st.booleans()),
            draw(st.sampled_from(FAULTS)) if faulty else "",
            frozenset(draw(some)) if faulty else frozenset(),
            draw(st.integers(1, 6)),
        )
        for name in ("fake_a", "fake_b", "fake_c")[: draw(st.integers(1, 3))]
    )
    division = draw(st.sampled_from(["default", "none", "connected", "reverse", "each"]))
    options = {
        "passes": passes(division, chips),
        "placement": draw(st.sampled_from(["priority", "fewest_regions", "cost"])),
        "min_subgraph_ops": draw(st.integers(1, 2)),
        "memory": draw(st.sampled_from(["compact", "plain", "mru", "best_fit"])),
        "max_signatures": draw(st.integers(1, 4)),
        "side_by_side": draw(st.sampled_from(["auto", "never"])),
        "debug": True,
    }
    return Setup(chips, options)


def wrong_shape(array: Array) -> Array:
    flat = array.reshape(-1)
    return np.concatenate([flat, flat[:1]]) if array.size else np.ones(7, array.dtype)


def wrong_dtype(array: Array) -> Array:
    return array.astype(np.float32 if array.dtype == np.float64 else np.float64)


def plant(faults: Faults, chip: Chip) -> None:
    """Let the device fail as drawn."""
    faults.memory = FakeMemory() if chip.has_memory else None
    if chip.fault == "missing":
        faults.missing = "the driver is not installed"
    elif chip.fault == "convert":
        faults.convert = chip.broken
    elif chip.fault in ("compile", "compile unnamed"):
        faults.compile, faults.names_op = chip.broken, chip.fault == "compile"
    elif chip.fault == LATER:
        faults.run = chip.number
    elif chip.fault == "load":
        faults.load = True
    elif chip.fault:
        wrong = {"shape": wrong_shape, "dtype": wrong_dtype, "nothing": lambda _: None}
        faults.result = wrong[chip.fault]


@contextmanager
def plugged_in(setup: Setup) -> Iterator[list[Faults]]:
    with ExitStack() as stack:
        planted = []
        for chip in setup.chips:
            device = fake_device(*chip.ops, name=chip.name, limits=chip.limits, dynamic=chip.dynamic)
            planted.append(stack.enter_context(device))
            plant(planted[-1], chip)
        yield planted


def kept_names(case: Case, kept: list[int]) -> list[str]:
    return sorted({case.written[n % len(case.written)] for n in kept}) if case.written else []


def predictor_of(case: Case, config: Config) -> tuple[Predictor, Graph]:
    optimized = optimize(copy.deepcopy(case.program), config)
    return Predictor(config, optimized.built(config)), optimized.graph


def drawn(examples: int) -> settings:
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


some_kept = st.lists(st.integers(0, 30), max_size=3)


@drawn(60)
@given(case=cases(), setup=setups(), kept=some_kept, promised=st.booleans())
def test_random_devices_equal_the_interpreter(
    case: Case, setup: Setup, kept: list[int], promised: bool
) -> None:
    shapes = PROMISED if promised else {}
    runs = [feeds(*each) for each in SIGNATURES if not promised or (each[0], sum(each[1])) == (3, 5)]
    with plugged_in(setup):
        keep = kept_names(case, kept)
        config = Config("random", devices=setup.names, keep=keep, input_shapes=shapes, **setup.options)
        run_all(config, case, runs)


@pytest.mark.parametrize("fallback", ["warn", "error"])
@drawn(40)
@given(case=cases(), setup=setups(faulty=True), kept=some_kept, cached=st.booleans())
def test_failing_devices_give_correct_results_or_an_error_that_names_them(
    fallback: str,
    tmp_path_factory: pytest.TempPathFactory,
    case: Case,
    setup: Setup,
    kept: list[int],
    cached: bool,
) -> None:
    warned = _Warnings()
    cache: Path | None = tmp_path_factory.mktemp("cache") if cached else None
    with plugged_in(setup) as faults, warned.listening():
        keep = kept_names(case, kept)
        config = Config(
            "random", devices=setup.names, keep=keep, fallback=fallback, cache_dir=cache, **setup.options
        )
        if fallback == "error" and any(chip.fault == "missing" for chip in setup.chips):
            with pytest.raises(CompileError, match="the driver is not installed"):
                predictor_of(case, config)
            return
        first = predictor_of(case, config)[0]
        errors, counts = [], []
        for predictor in (first, first, first.clone()):
            errors.append(_run_each(predictor, case, keep, strict=fallback == "error"))
            counts.append((sum(each.compiled for each in faults), len(warned.texts)))
    assert [text for text, count in Counter(warned.texts).items() if count > 1] == []
    assert all(any(name in text for name in setup.names) for text in warned.texts)
    if all(chip.fault != LATER for chip in setup.chips):
        assert errors[0] == errors[1] == errors[2]
        if fallback == "warn":
            assert counts[0] == counts[1] == counts[2]
    assert first.report().to_dict()["devices"] == setup.names


def _run_each(predictor: Predictor, case: Case, keep: list[str], *, strict: bool) -> list[str]:
    """Run with every signature and compare; the messages of the errors."""
    names = list(dict.fromkeys([*predictor.output_names, *keep]))
    failed = []
    for arrays, lods in (feeds(*each) for each in SIGNATURES):
        try:
            predictor.run(arrays, lods=lods)
        except (CompileError, ExecutionError) as error:
            failed.append(f"{type(error).__name__}: {error}")
            continue
        expected = run_program(case.program, arrays, lods)
        for name in names:
            check((predictor.get(name), predictor.get_lod(name)), expected[name], name)
        failed.append("")
    messages = [text for text in failed if text]
    assert strict or messages == []
    assert all(any(name in text for name in predictor.config.devices) for text in messages)
    return failed


class _Warnings(logging.Handler):
    """Records the messages of warnings until the end of a block."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(record.getMessage())

    @contextmanager
    def listening(self) -> Iterator[None]:
        log = logging.getLogger("lite")
        log.addHandler(self)
        try:
            yield
        finally:
            log.removeHandler(self)


@drawn(25)
@given(
    case=cases(),
    setup=setups(),
    kept=some_kept,
    picks=st.lists(st.integers(0, 50), max_size=3),
    fail=st.integers(0, 5),
)
def test_all_interfaces_of_a_predictor_give_the_same_results(
    case: Case, setup: Setup, kept: list[int], picks: list[int], fail: int
) -> None:
    """Watched, profiled, in part, by clones in threads, as text and as a program again."""
    with plugged_in(setup) as faults:
        for each in faults:
            each.run = fail
        config = Config("random", devices=setup.names, keep=kept_names(case, kept), **setup.options)
        predictor, graph = predictor_of(case, config)
        again = parse_graph(print_graph(graph))
        verify(again)
        assert print_graph(again) == print_graph(graph)
        _check_watched(predictor, case)
        _check_parts(predictor, picks)
        _check_threads(predictor, case)
        program = lower_graph(graph, case.program, predictor.output_names)
        for devices in ([], setup.names):
            loaded = Case(program, [])
            other = predictor_of(loaded, Config("random", devices=devices, debug=True))[0]
            _check_run(other, case, 0)


def _check_run(predictor: Predictor, case: Case, number: int) -> None:
    arrays, lods = feeds(*SIGNATURES[number])
    expected = run_program(case.program, arrays, lods)
    read = predictor.input_names
    results = predictor.run(
        {name: arrays[name] for name in read}, lods={name: lod for name, lod in lods.items() if name in read}
    )
    for name, array in results.items():
        check((array, predictor.get_lod(name)), expected[name], name)


def _check_watched(predictor: Predictor, case: Case) -> None:
    arrays, lods = feeds(*SIGNATURES[0])
    expected = run_program(case.program, arrays, lods)
    for _ in range(2):
        for name, array in predictor.observe(_expect_arrays, arrays, lods).items():
            check((array, ()), (expected[name][0], ()), name)
    assert predictor.profile(arrays, lods, runs=1).to_dict()
    assert predictor.statistics(arrays, lods).to_dict()
    buffers = {name: np.zeros_like(expected[name][0]) for name in predictor.output_names}
    for name, array in predictor.run(arrays, buffers, lods).items():
        assert array is buffers[name]
        check((array, ()), (expected[name][0], ()), name)


def _expect_arrays(seen: Observation) -> None:
    assert isinstance(seen.value, np.ndarray | list), seen.name


def _check_parts(predictor: Predictor, picks: list[int]) -> None:
    arrays, lods = feeds(*SIGNATURES[0])
    plan = predictor._state.plan
    seen: dict[str, tuple[Array, Any]] = {}

    def see(value: Observation) -> None:
        if value.block == plan.name and value.op and isinstance(value.value, np.ndarray):
            seen[value.name] = value.value.copy(), value.lod

    predictor.observe(see, arrays, lods)
    inner = [name for name in seen if name not in plan.result_names]
    for pick in picks if inner else []:
        output, start = inner[pick % len(inner)], inner[(7 * pick + 3) % len(inner)]
        for more_inputs in ({}, {start: seen[start]}):
            fed = {**arrays, **{name: array for name, (array, _) in more_inputs.items()}}
            offsets = {**lods, **{name: lod for name, (_, lod) in more_inputs.items() if lod}}
            result = predictor.run_part(fed, [output], offsets)[output]
            check((result, ()), (seen[output][0], ()), output)


def _check_threads(predictor: Predictor, case: Case) -> None:
    failed: list[BaseException] = []

    def work(clone: Predictor, number: int) -> None:
        try:
            for _ in range(2):
                _check_run(clone, case, number)
        except BaseException as error:  # noqa: BLE001 - of another thread: raised below
            failed.append(error)

    threads = [threading.Thread(target=work, args=(predictor.clone(), n)) for n in (0, 3, 0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
