"""litebridge warmup."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lite.plugin.ahead import AHEAD, Ahead, Step, ahead
from tests.tools.tiny_model import call, call_json


@pytest.fixture
def target() -> Iterator[str]:
    done: list[str] = []

    def once(name: str) -> bool:
        done.append(name)
        return done.count(name) == 1

    @ahead("toy")
    def steps() -> Ahead:
        return Ahead([Step(name, lambda name=name: once(name)) for name in ("a", "b")], "/somewhere")  # type: ignore[misc]

    yield "toy"
    AHEAD.remove("toy")


def test_each_step_is_done_and_says_whether_it_was_new(target: str) -> None:
    for was_new in (True, False):
        found = call_json("warmup")
        rows = [row for row in found["steps"] if row["target"] == target]
        assert [(row["step"], row["was_new"]) for row in rows] == [("a", was_new), ("b", was_new)]
        assert found["folders"][target] == "/somewhere"


def test_a_target_that_cannot_be_used_says_why() -> None:
    ahead("broken")(lambda: Ahead(why_not="no compiler"))
    try:
        assert call_json("warmup")["left_out"]["broken"] == "no compiler"
        assert "target broken is left out: no compiler\n" in call("warmup").stdout
    finally:
        AHEAD.remove("broken")


def test_compiled_kernels_are_there_afterwards() -> None:
    pytest.importorskip("numba", reason="compiled kernels need the extra jit")
    call_json("warmup")
    rows = [row for row in call_json("warmup")["steps"] if row["target"] == "cpu"]
    assert {"multiply", "convolve", "depthwise", "winograd"} <= {row["step"] for row in rows}
    assert not any(row["was_new"] for row in rows)
