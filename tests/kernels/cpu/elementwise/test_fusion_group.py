"""Compiled loops of fusion_group against numpy in double precision."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from lite.ir.program import AttrValue
from lite.ir.types import Array
from lite.kernels.cpu.elementwise import fusion_group
from lite.kernels.cpu.elementwise.compile_time import MOST, MOST_INSTRUCTIONS, compile_time
from lite.ops.fusion_program import Instruction, read_program
from lite.plugin.kernel.fusible import fusible_instructions
from lite.plugin.kernel.fusion_stages import Stage, cut
from lite.plugin.kernel.launches import OnlyLaunches
from tests.kernels.cpu.bound import BoundKernel, bind, floats
from tests.kernels.cpu.split_work import split_work

pytest.importorskip("numba", reason="compiled kernels need the extra jit")


@pytest.fixture(autouse=True)
def _compile_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fusion_group, "LEAST_WORK", 1)


def bound(program: str, inputs: Sequence[Array], results: Sequence[int]) -> BoundKernel:
    slots: dict[str, Array | Sequence[Array]] = {"X": inputs[0]}
    if inputs[1:]:
        slots["Inputs"] = list(inputs[1:])
    attrs: dict[str, AttrValue] = {"program": program, "results": list(results)}
    return bind("fusion_group", slots, attrs, outputs={"Out": len(results)})


def run(program: str, inputs: Sequence[Array], results: Sequence[int]) -> list[Array]:
    """The results of the bound function, which are the same in buffers."""
    function = bound(program, inputs, results)
    result: list[Array] = function()
    buffers = [np.full_like(array, np.nan) for array in result]
    function(out=buffers)
    for array, buffer in zip(result, buffers, strict=True):
        np.testing.assert_array_equal(array, buffer)
    return result


def erf(x: Array) -> Array:
    scipy = pytest.importorskip("scipy.special", reason="the reference for erf is scipy's")
    result: Array = scipy.erf(x)
    return result


FORMS: dict[str, Callable[..., Any]] = {
    "abs 0": np.abs,
    "ceil 0": np.ceil,
    "clip 0 -0.5 1.5": lambda x: np.clip(x, -0.5, 1.5),
    "elementwise_add 0 1": np.add,
    "elementwise_div 0 1": np.divide,
    "elementwise_max 0 1": np.maximum,
    "elementwise_min 0 1": np.minimum,
    "elementwise_mul 0 1": np.multiply,
    "elementwise_sub 0 1": np.subtract,
    "elu 0 0.7": lambda x: np.where(x < 0, 0.7 * np.expm1(x), x),
    "erf 0": erf,
    "exp 0": np.exp,
    "floor 0": np.floor,
    "gelu 0": lambda x: x * (1 + erf(x / 2**0.5)) / 2,
    "gelu 0 1.0": lambda x: x / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3))),
    "hard_sigmoid 0 0.3 0.4": lambda x: np.clip(0.3 * x + 0.4, 0, 1),
    "hard_swish 0 5.0 4.0 2.0": lambda x: x * np.clip(x + 2, 0, 5) / 4,
    "leaky_relu 0 0.3": lambda x: np.where(x < 0, 0.3 * x, x),
    "logsigmoid 0": lambda x: -np.logaddexp(0, -x),
    "mish 0": lambda x: x * np.tanh(np.logaddexp(0, x)),
    "negative 0": np.negative,
    "reciprocal 0": np.reciprocal,
    "relu 0": lambda x: np.maximum(x, 0),
    "relu6 0 2.0": lambda x: np.clip(x, 0, 2),
    "relu_clipped 0 1.5": lambda x: np.clip(x, 0, 1.5),
    "rsqrt 0": lambda x: 1 / np.sqrt(x),
    "scale 0 3.0 -1.0": lambda x: 3 * x - 1,
    "sigmoid 0": lambda x: 1 / (1 + np.exp(-x)),
    "softplus 0 2.0": lambda x: np.logaddexp(0, 2 * x) / 2,
    "softsign 0": lambda x: x / (1 + np.abs(x)),
    "sqrt 0": np.sqrt,
    "square 0": np.square,
    "swish 0 2.0": lambda x: x / (1 + np.exp(-2 * x)),
    "tanh 0": np.tanh,
}


def test_all_ops_of_programs_have_a_case() -> None:
    assert {program.split()[0] for program in FORMS} == fusible_instructions(["cpu"])


@pytest.mark.parametrize("program", FORMS)
def test_groups_of_one_op_equal_numpy(program: str) -> None:
    x, y = 3 * floats(1, 203), np.abs(floats(2, 203)) + 0.1
    inputs = [x, y] if len(read_program(program)[0].operands) == 2 else [y if "sqrt" in program else x]
    assert bound(program, inputs, [len(inputs)]).is_compiled
    [result] = run(program, inputs, [len(inputs)])
    expected = FORMS[program](*(array.astype(np.float64) for array in inputs))
    np.testing.assert_allclose(result, expected, rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize(
    "program", ["relu 0", "clip 0 0.0 1.0", "elementwise_max 0 1", "elementwise_min 0 1"]
)
def test_nan_stays_nan(program: str) -> None:
    bad = np.array([np.nan, 1, 2], np.float32)
    inputs = [bad, np.zeros(3, np.float32)] if program.endswith("1") else [bad]
    for order in [inputs, inputs[::-1]] if len(inputs) == 2 else [inputs]:
        [result] = run(program, order, [len(order)])
        np.testing.assert_array_equal(np.isnan(result), [True, False, False])


CHAIN = "elementwise_mul 0 1; relu 3; elementwise_add 4 2; sigmoid 5; elementwise_sub 6 0"


def chain(x: Array, y: Array, z: Array) -> tuple[Array, Array]:
    x, y, z = (array.astype(np.float64) for array in (x, y, z))
    inner = np.maximum(x * y, 0) + z
    return inner, 1 / (1 + np.exp(-inner)) - x


@pytest.mark.parametrize(
    "shapes",
    [
        [(1, 3, 17, 5), (3, 1, 1), (1, 3, 17, 5)],
        [(2, 3, 17, 5), (3, 1, 1), (2, 3, 17, 5)],
        [(2, 17, 5, 3), (3,), (1, 1, 1, 3)],
        [(9, 130), (9, 1), ()],
        [(4, 5, 6), (5, 1), (4, 1, 6)],
        [(4, 5, 40), (4, 1, 1), (4, 5, 1)],
        [(300,), (1,), (300,)],
        [(7, 1), (7, 65), (65,)],
        [(21, 16), (1, 16), (21, 1)],
        [(3, 13, 16), (3, 1, 16), (13, 1)],
        [(3, 13, 32), (13, 32), (3, 13, 1)],
        [(2, 9, 8), (2, 1, 1), (8,)],
        [(2, 3, 4, 5), (2, 1, 4, 1), (3, 1, 5)],
        [(3, 5, 2, 16), (1, 5, 1, 16), (3, 1, 2, 1)],
        [(2, 3, 9, 8), (2, 1, 9, 1), (3, 1, 8)],
    ],
)
@pytest.mark.parametrize("is_split", [False, True])
def test_broadcast_operands_equal_numpy(
    shapes: list[tuple[int, ...]], is_split: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_split:
        split_work(monkeypatch)
    inputs = [floats(n, *shape) for n, shape in enumerate(shapes)]
    assert bound(CHAIN, inputs, [7]).is_compiled
    for result, expected in zip(run(CHAIN, inputs, [5, 7]), chain(*inputs), strict=True):
        assert result.shape == expected.shape
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def test_smaller_results_are_computed_in_a_stage_of_their_own() -> None:
    x, variance = floats(1, 20, 30), np.abs(floats(2, 20, 1)) + 0.1
    program = "sqrt 1; reciprocal 2; elementwise_mul 0 3; relu 4"
    result, root = run(program, [x, variance], [5, 2])
    np.testing.assert_allclose(root, np.sqrt(variance), rtol=1e-6)
    np.testing.assert_allclose(result, np.maximum(x / np.sqrt(variance), 0), rtol=1e-5)


def test_the_result_may_overwrite_x() -> None:
    x, y, z = floats(1, 100), floats(2, 1), floats(3, 100)
    expected = chain(x, y, z)[1]
    bound(CHAIN, [x, y, z], [7])(out=[x])
    np.testing.assert_allclose(x, expected, rtol=1e-5, atol=1e-6)


def test_programs_without_compiled_functions_run_on_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    axes = [floats(1, 2, 3, 4, 5, 6), floats(2, 2, 1, 4, 1, 6), floats(3, 3, 1, 5, 1)]
    double = [array.astype(np.float64) for array in axes]
    for inputs in (axes, double, [np.zeros((0, 3), np.float32)] * 3):
        assert not bound(CHAIN, inputs, [7]).is_compiled
        np.testing.assert_allclose(run(CHAIN, inputs, [7])[0], chain(*inputs)[1], rtol=1e-5, atol=1e-6)
    monkeypatch.setattr(fusion_group, "LEAST_WORK", 10_000)
    x, program = floats(1, 30), "clip 0 -1.0 0.5; relu 1"
    assert not bound(program, [x], [2]).is_compiled
    np.testing.assert_array_equal(run(program, [x], [2])[0], np.clip(x, 0, 0.5))


@pytest.mark.parametrize("shapes", [((30,), (1,), (30,)), ((2, 3, 4), (1, 4), (3, 1)), ((), (), ())])
def test_little_work_is_done_by_one_function_after_the_other(
    shapes: tuple[tuple[int, ...], ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fusion_group, "LEAST_WORK", 10_000)
    inputs = [np.asarray(floats(n, *shape)) for n, shape in enumerate(shapes)]
    assert bound(CHAIN, inputs, [5, 7]).is_compiled
    for result, expected in zip(run(CHAIN, inputs, [5, 7]), chain(*inputs), strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def test_groups_of_one_structure_share_a_function() -> None:
    from lite.kernels.cpu.elementwise.group_loop import group_loop

    def loop(program: str, *kinds: str) -> Any:
        result = group_loop(read_program(program), kinds or ("full",), [len(kinds or "x")])
        assert result is not None
        return result

    first, numbers = loop("scale 0 2.0 1.0")
    second, others = loop("scale 0 3.0 -1.0")
    assert first is second
    assert (numbers, others) == ([2.0, 1.0], [3.0, -1.0])
    assert loop("relu 0")[0] is not first
    assert (
        loop("elementwise_add 0 1", "full", "along")[0]
        is not loop("elementwise_add 0 1", "full", "single")[0]
    )


def test_machine_code_is_kept_for_later_processes(tmp_path: Any) -> None:
    import os
    import subprocess
    import sys

    code = (
        "from lite.kernels.cpu.elementwise.group_loop import group_loop; "
        "from lite.ops.fusion_program import read_program; import sys; "
        "loop, _ = group_loop(read_program(sys.argv[1]), ['full'], [2]); loop.load()"
    )
    environment = {**os.environ, "LITEBRIDGE_KERNEL_CACHE": str(tmp_path)}

    def names(program: str) -> set[str]:
        command = [sys.executable, "-c", code, program]
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return {path.name for path in tmp_path.iterdir() if path.name.startswith("fusion_group_")}

    first = names("exp 0; relu 1")
    times = {name: (tmp_path / name).stat().st_mtime_ns for name in first}
    assert len(first) == 1
    assert names("exp 0; relu 1") == first
    assert {name: (tmp_path / name).stat().st_mtime_ns for name in first} == times
    assert len(names("relu 0; exp 1")) == 2


def test_a_cached_function_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    inputs = [floats(n, 10) for n in range(3)]
    run(CHAIN, inputs, [7])
    caplog.clear()
    run(CHAIN, inputs, [7])
    assert caplog.text == ""


CHAINS: dict[str, Callable[..., Any]] = {
    "elu {0} 0.5": lambda x, _: np.where(x < 0, 0.5 * np.expm1(x), x),
    "elementwise_add {0} {1}": lambda x, y: x + y,
}
"""Instructions with places for a value and an operand, and the function."""


@pytest.mark.parametrize("text", CHAINS)
def test_a_program_that_takes_long_to_compile_becomes_several_loops(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fusion_group, "MOST", 400)
    inputs = [floats(1, 4, 60), *(floats(2 + n, 60) for n in range(6 if "{1}" in text else 0))]
    first = len(inputs)
    places = [0, *range(first, first + 5)]
    program = "; ".join(text.format(place, n + 1) for n, place in enumerate(places))

    function = bound(program, inputs, [first + 1, first + 5])

    assert function.is_compiled
    # Values between the loops have memory that stays, so that the launches can be repeated without Python.
    assert isinstance(function.function, OnlyLaunches)
    early, late = run(program, inputs, [first + 1, first + 5])
    value = inputs[0].astype(np.float64)
    for n in range(6):
        value = CHAINS[text](value, inputs[n + 1].astype(np.float64) if first > 1 else 0)
        if n == 1:
            np.testing.assert_allclose(early, value, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(late, value, rtol=1e-5, atol=1e-5)


def parts_of(op: str, count: int) -> list[Stage]:
    """The loops of a chain of one op."""
    has_operand = len(read_program(op)[0].operands) == 2
    inputs = count + 1 if has_operand else 1
    names = [0, *range(inputs, inputs + count - 1)]
    _, *numbers = (word for word in op.split() if not word.isdigit())
    values = tuple(map(float, numbers))
    instructions = tuple(
        Instruction(op.split()[0], (name, n + 1) if has_operand else (name,), values)
        for n, name in enumerate(names)
    )
    results = (inputs + count - 1,)
    return cut(
        Stage(instructions, results, tuple(range(inputs)), results), lambda part: compile_time(part) <= MOST
    )


@pytest.mark.parametrize("op", FORMS)
def test_no_loop_of_a_long_chain_takes_long_to_compile(op: str) -> None:
    parts = parts_of(op, 96)
    assert len(parts) > 1
    assert max(map(compile_time, parts)) <= MOST
    assert sum(len(part.instructions) for part in parts) == 96
    assert len(parts_of(op, 4)) == 1


def test_a_program_that_is_beyond_all_models_runs_on_the_host() -> None:
    count = MOST_INSTRUCTIONS + 1
    function = bound("; ".join(f"negative {n}" for n in range(count)), [floats(1, 4)], [count])
    assert not function.is_compiled
    np.testing.assert_array_equal(function()[0], -floats(1, 4))


def test_dead_instructions_make_no_loop() -> None:
    instructions = tuple(Instruction("relu", (0,)) for _ in range(4))
    parts = cut(Stage(instructions, (4,), (0,), (4,)), lambda part: len(part.instructions) == 1)
    assert [(part.reads, part.writes) for part in parts] == [((0,), (4,))]
