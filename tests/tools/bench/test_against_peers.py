"""The engines that are compared; an engine that fails or answers wrongly is left out."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner

pytest.importorskip("onnxruntime", reason="answers are compared with ONNX Runtime's: extra peers")

from lite.ir.types import Array
from lite.tools.bench import against_peers as bench_peers
from lite.tools.bench.against_peers import chosen_peers, main, measure
from lite.tools.bench.peers.engines import REFERENCE
from lite.tools.bench.peers.fixed_set import Model
from lite.tools.bench.peers.peer import (
    CannotRunError,
    Feeds,
    Files,
    InProcess,
    LoadedModel,
    PackagePeer,
    Peer,
)
from lite.tools.bench.peers.turns import Turns
from lite.tools.demo.package_models import VARIABLE
from tests.tools.bench.peers.small_conv import FEEDS, expected, write

TURNS = Turns(rounds=2, settling_seconds=0, settling_runs=1, counted=2)


class FakePeer:
    """An engine that returns a fixed answer, and counts its runs."""

    def __init__(self, name: str, answer: Callable[[], Sequence[Array]]) -> None:
        self.name, self.answer = name, answer
        self.runs = self.closed = 0

    def missing(self) -> str | None:
        return None

    def version(self) -> str:
        return "0"

    def load(self, files: Files, feeds: Feeds, threads: int) -> LoadedModel:
        peer = self
        if files.paddle is None and threads == 3:
            raise CannotRunError("it does not support 3 threads")

        class Loaded(InProcess):
            def close(self) -> None:
                peer.closed += 1

        return Loaded(self.run)

    def run(self) -> Sequence[Array]:
        self.runs += 1
        return self.answer()


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    return Model("conv", write(tmp_path).name, None, lambda: FEEDS)


def test_a_right_engine_is_timed(model: Model) -> None:
    right = FakePeer("Right", lambda: [expected()])
    shown: list[tuple[int, int]] = []

    row = measure(model, 1, TURNS, [REFERENCE, right], show=lambda done, total: shown.append((done, total)))

    assert (row.model, row.threads, row.left_out) == ("conv", 1, {})
    assert list(row.milliseconds) == ["litebridge", "ONNX Runtime", "Right"]
    assert all(value > 0 for value in row.milliseconds.values())
    assert list(row.spreads) == list(row.milliseconds)
    assert list(row.differences) == ["litebridge", "Right"]
    assert max(*row.differences.values(), row.strict) < 1e-5
    assert {gap.kind for gap in row.gaps} >= {"convolution"}
    assert (right.runs, right.closed) == (1 + 2 * 3, 1)
    assert shown == [(n, 6) for n in range(1, 7)]


def test_an_engine_that_fails_or_answers_wrongly_is_left_out(model: Model) -> None:
    wrong = FakePeer("Wrong", lambda: [expected() * 1.5])
    shape = FakePeer("Shape", lambda: [expected()[0]])
    third = FakePeer("Third", lambda: [expected()])

    row = measure(model, 3, TURNS, [REFERENCE, wrong, shape, third])

    assert list(row.milliseconds) == ["litebridge", "ONNX Runtime"]
    assert row.left_out == dict.fromkeys(["Wrong", "Shape", "Third"], "it does not support 3 threads")
    row = measure(model, 1, TURNS, [REFERENCE, wrong, shape, third])
    assert list(row.milliseconds) == ["litebridge", "ONNX Runtime", "Third"]
    assert row.left_out["Wrong"] == "its answers differ by 5.0e-01 of the largest value"
    assert row.left_out["Shape"] == "expected answers of the shapes [(1, 2, 3, 5)], got [(2, 3, 5)]"
    assert [peer.closed for peer in (wrong, shape, third)] == [1, 1, 1]


def test_a_wrong_answer_of_litebridge_is_an_error(model: Model) -> None:
    wrong = FakePeer("Reference", lambda: [expected() + np.float32(1)])

    with pytest.raises(click.ClickException, match="conv, litebridge: its answers differ"):
        measure(model, 1, TURNS, [wrong])


def use_peers(monkeypatch: pytest.MonkeyPatch, *peers: Peer) -> None:
    monkeypatch.setattr(bench_peers, "PEERS", (REFERENCE, *peers))


ABSENT = PackagePeer("Absent", "no_such_module", "absent", REFERENCE.loader)


def test_all_installed_engines_are_chosen_by_default(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here = FakePeer("Here", list)
    use_peers(monkeypatch, ABSENT, here)

    assert chosen_peers([], None) == [REFERENCE, here]
    assert (
        capsys.readouterr().err == "Absent is left out, since it is not installed; run: pip install absent\n"
    )


def test_only_named_engines_are_chosen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    here, other = FakePeer("Here", list), FakePeer("Other", list)
    use_peers(monkeypatch, ABSENT, here, other)

    assert chosen_peers(["Other"], None) == [REFERENCE, other]
    assert capsys.readouterr().err == ""


def test_a_named_engine_must_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    use_peers(monkeypatch, ABSENT)

    with pytest.raises(click.ClickException, match=r"^Absent is not installed; run: pip install absent$"):
        chosen_peers(["Absent"], None)
    with pytest.raises(
        click.ClickException, match=r"Paddle-Lite is not installed; run: .* -m pip install paddlelite"
    ):
        chosen_peers([], sys.executable)


def test_onnx_runtime_must_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    reference = dataclasses.replace(REFERENCE, module="no_such_module")
    monkeypatch.setattr(bench_peers, "PEERS", (reference,))

    with pytest.raises(
        click.ClickException, match="ONNX Runtime is not installed; run: pip install onnxruntime"
    ):
        chosen_peers([], None)


def test_the_program_writes_three_files(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_peers(monkeypatch)
    monkeypatch.setattr(bench_peers, "FIXED_SET", (model,))
    monkeypatch.setattr(bench_peers, "Turns", lambda rounds: dataclasses.replace(TURNS, rounds=rounds))

    result = CliRunner().invoke(
        main, ["--threads", "1", "--threads", "2", "--turns", "1", "--out", str(tmp_path / "p")]
    )

    assert result.exit_code == 0, result.output
    assert "[1/2] conv, 1 thread(s): litebridge " in result.stderr
    assert "[2/2] conv, 2 thread(s): litebridge " in result.stderr
    assert result.stdout == "".join(
        f"wrote {tmp_path / 'p'}{ending}\n" for ending in (".md", ".json", ".svg")
    )
    text = (tmp_path / "p.md").read_text(encoding="utf-8")
    assert "Medians in ms of 2 runs. Each engine takes 1 turns" in text
    assert "## 2 thread(s)" in text
