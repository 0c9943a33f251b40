"""Every command of the README on three models: the whole output, no line above 80 columns, no false alarm.

``python -m tests.record_commands`` writes the outputs again.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from lite.kernels.cpu.tile_sizes import LANES
from lite.tools.cli import main
from tests.support.masked_output import masked, without_graphs
from tests.support.readme_commands import (
    MODELS,
    NOT_ON_A_MODEL,
    NOT_REPEATABLE,
    RECORDED_LANES,
    commands,
    output,
    prepare,
    recorded,
)
from tests.tools.tiny_model import call

LISTS = ("ops", "passes", "kernels", "devices", "devices sim_npu", "devices openvino")


def test_every_command_of_the_program_is_run_or_listed() -> None:
    run = {command.split()[0] for command in commands()}
    assert sorted(main.commands) == sorted(run | {*NOT_ON_A_MODEL, *NOT_REPEATABLE})


@pytest.mark.slow
@pytest.mark.parametrize("kind", MODELS)
def test_the_commands_print_what_was_recorded(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("numba", "openvino"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"the recorded outputs are with {package}")
    missing = prepare(kind, tmp_path)
    if missing:
        pytest.skip(missing)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")

    printed = {command: output(kind, command) for command in commands()}

    shown = {command: masked(text) for command, text in printed.items()}
    if LANES == RECORDED_LANES:
        assert shown == recorded(kind)
    else:  # Layouts and kernels are others, and so are counts of ops and kernels.
        assert {command: text.split("\n")[0] for command, text in shown.items()} == {
            command: text.split("\n")[0] for command, text in recorded(kind).items()
        }
    # The text of a graph has a line for each op, however long: other programs read it.
    lines = [line for text in printed.values() for line in without_graphs(text.splitlines())]
    assert [line for line in lines if len(line) > 80] == []


@pytest.mark.parametrize("kind", MODELS)
def test_the_recorded_outputs_raise_no_alarm(kind: str) -> None:
    calm = (
        r"none of them differs|no region differs from the host|no difference|differences are below the floor"
    )
    for command, text in recorded(kind).items():
        assert not re.search(r"differ|above|warning|NaN is|not supported", re.sub(calm, "", text)), command


@pytest.mark.parametrize("command", LISTS)
def test_lists_fit_80_columns(command: str) -> None:
    lines = call(*command.split()).stdout.splitlines()
    assert [line for line in lines if len(line) > 80] == []


def test_both_twins_compare_as_equal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("paddle", "onnx"):
        (tmp_path / kind).mkdir()
        missing = prepare(kind, tmp_path / kind)
        if missing:
            pytest.skip(missing)
    monkeypatch.chdir(tmp_path)

    result = call("compare", "paddle/det", "onnx/det.onnx", "--shape", "x=1,3,64,96")

    assert result.exit_code == 0
    assert result.stdout.endswith("none of them differs\n")
