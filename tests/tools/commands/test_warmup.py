"""Steps of `litebridge warmup`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import lite
from lite.ir.types import DType
from lite.plugin.kernel.aot import AOT, AotSteps, Step, aot
from tests.support.small_programs import make_program
from tests.tools.tiny_model import call, call_json


@pytest.fixture
def target() -> Iterator[str]:
    done: list[str] = []

    def once(name: str) -> bool:
        done.append(name)
        return done.count(name) == 1

    @aot("toy")
    def steps() -> AotSteps:
        return AotSteps([Step(name, lambda name=name: once(name)) for name in ("a", "b")], "/somewhere")  # type: ignore[misc]

    yield "toy"
    AOT.remove("toy")


def test_each_step_runs_and_reports_whether_it_was_new(target: str) -> None:
    for was_new in (True, False):
        result = call_json("warmup")
        rows = [row for row in result["steps"] if row["target"] == target]
        assert [(row["step"], row["was_new"]) for row in rows] == [("a", was_new), ("b", was_new)]
        assert result["folders"][target] == "/somewhere"


def test_an_unusable_target_is_left_out_with_a_reason() -> None:
    aot("broken")(lambda: AotSteps(why_not="no compiler"))
    try:
        assert call_json("warmup")["left_out"]["broken"] == "no compiler"
        assert "target broken is left out: no compiler\n" in call("warmup").stdout
    finally:
        AOT.remove("broken")


def test_the_fused_ops_of_a_model_are_compiled(tmp_path: Path) -> None:
    pytest.importorskip("numba", reason="compiled kernels need the extra jit")
    program = make_program(
        {"x": (DType.FLOAT32, (-1, 4000))},
        {},
        [
            ("exp", {"X": ["x"]}, {"Out": ["a"]}, {}),
            ("softsign", {"X": ["a"]}, {"Out": ["b"]}, {}),
            ("elementwise_sub", {"X": ["b"], "Y": ["x"]}, {"Out": ["y"]}, {}),
        ],
        ["y"],
    )
    lite.save_program(program, tmp_path / "model")
    assert call("warmup", tmp_path / "model", "--shape", "x=2,4000").exit_code == 0
    for _ in range(2):
        result = call_json("warmup", tmp_path / "model", "--shape", "x=2,4000")
        assert list(Path(result["folders"]["cpu"]).glob("fusion_group_*"))
    assert result["steps"][-1] == {
        **result["steps"][-1],
        "target": "model",
        "step": "model",
        "was_new": False,
    }


def test_a_second_warmup_compiles_nothing() -> None:
    pytest.importorskip("numba", reason="compiled kernels need the extra jit")
    call_json("warmup")
    rows = [row for row in call_json("warmup")["steps"] if row["target"] == "cpu"]
    steps = {row["step"] for row in rows}
    assert {"matmul.multiply", "convolve.convolve", "depthwise.depthwise", "winograd.winograd"} <= steps
    assert not any(row["was_new"] for row in rows)


def test_only_what_was_compiled_is_listed(target: str) -> None:
    lines = [call("warmup").stdout.splitlines() for _ in range(2)]
    assert [line.split()[:2] for line in lines[0][1:3]] == [["toy", "a"], ["toy", "b"]]
    assert lines[1][0].startswith("0 of ")
