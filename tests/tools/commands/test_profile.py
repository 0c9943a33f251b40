"""Times that `litebridge profile` shows."""

from __future__ import annotations

import json
from pathlib import Path

from tests.tools.tiny_model import COMPILED, call, call_json

ARGUMENTS = ("profile", "model_dir", "--input", "x=x.npy", "-p", "", "--runs", 4)


def test_the_document_has_a_row_per_op(workplace: Path) -> None:
    result = call_json(*ARGUMENTS)
    assert [(row["op"], row["output"], row["calls"], row["bytes"]) for row in result["ops"]] == [
        ("mul", "xw", 4, 104),
        ("elementwise_add", "sum", 4, 60),
        ("relu", "y", 4, 48),
    ]
    assert (result["runs"], result["warmup"], result["written"]) == (4, 2, [])
    assert 0 < result["op_ms"] <= result["wall_ms"]


def test_the_output_lists_ops_in_running_order(workplace: Path) -> None:
    lines = call(*ARGUMENTS).stdout.splitlines()
    assert lines[0] == "ops"
    assert [line.split()[:5] for line in lines[1:5]] == [
        ["op", "type", "output", "place", "calls"],
        ["0", "mul", "xw", COMPILED, "4"],
        ["1", "elementwise_add", "sum", COMPILED, "4"],
        ["2", "relu", "y", COMPILED, "4"],
    ]
    assert lines[-1].startswith("ops take ")


def test_top_lists_the_slowest_types_first(workplace: Path) -> None:
    lines = call(*ARGUMENTS, "--by", "type", "--top", 2).stdout.splitlines()
    assert lines[:2] == ["op types", lines[1]]
    assert lines[1].split()[:4] == ["type", "place", "ops", "calls"]
    shares = [float(line.split()[-1]) for line in lines[2:4]]
    assert shares == sorted(shares, reverse=True)
    assert lines[4] == ""


def test_top_lists_the_slowest_ops_first(workplace: Path) -> None:
    lines = call(*ARGUMENTS, "--top", 2, "--wide").stdout.splitlines()
    totals = [float(line.split()[5]) for line in lines[2:4]]
    assert totals == sorted(totals, reverse=True)
    assert lines[4] == ""


def test_the_trace_has_every_call(workplace: Path) -> None:
    result = call(*ARGUMENTS, "--trace", "trace.json")
    assert result.stdout.endswith("wrote trace.json\n")
    events = json.loads(Path("trace.json").read_text())["traceEvents"]
    names = [event["name"] for event in events]
    assert sorted(names) == sorted([f"run {n}" for n in range(4)] + 4 * ["mul", "elementwise_add", "relu"])
    assert {event["ph"] for event in events} == {"X"}


def test_the_table_of_ops_fits_80_columns(workplace: Path) -> None:
    lines = call(*ARGUMENTS).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.startswith("(--wide shows ") for line in lines)
