"""Rules decide where ops run, report unused entries, and point at syntax errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from lite.errors import ConfigError
from lite.subgraph.partition_rules import HOST_RULE, PartitionRules


@pytest.mark.parametrize(
    ("rule", "place"),
    [
        ("conv2d", HOST_RULE),
        ("conv2d:x,w:y", HOST_RULE),
        ("conv2d:w", HOST_RULE),
        ("conv2d::y", HOST_RULE),
        ("conv2d:", HOST_RULE),
        ("conv2d::", HOST_RULE),
        ("relu", None),
        ("conv2", None),
        ("conv2d:z", None),
        ("conv2d:x,z", None),
        ("conv2d:y", None),
        ("conv2d::x", None),
        ("relu-conv2d:x:y-tanh", HOST_RULE),
        ("relu - conv2d : x , w : y - tanh", HOST_RULE),
        ("conv*", HOST_RULE),
        ("*:?:*", HOST_RULE),
        ("conv2?", HOST_RULE),
        ("conv2d?", None),
        ("*:??", None),
        ('"conv*"', None),
        ('"conv2d":"x"', HOST_RULE),
        ("conv2d -> npu", "npu"),
        ("relu-conv2d->npu", "npu"),
        ("conv2d -> host", HOST_RULE),
        ("conv2d:z -> npu", None),
        ("conv2d # why", HOST_RULE),
        ("# conv2d", None),
        ("", None),
        ("  \n\n\t", None),
    ],
)
def test_a_rule_decides_the_place_of_an_op(rule: str, place: str | None) -> None:
    assert PartitionRules.parse(rule).decide("conv2d", ["x", "w"], ["y"]) == place


def test_quoted_names_may_have_any_characters() -> None:
    rules = PartitionRules.parse(r'relu:"a-b","c:d,e # \"f\" \\":x#0')
    inputs = ["a-b", 'c:d,e # "f" \\']
    assert rules.decide("relu", inputs, ["x#0"]) == HOST_RULE
    assert rules.decide("relu", inputs, ["x"]) is None
    dots = PartitionRules.parse("relu:tmp.0/x@[1]*")
    assert dots.decide("relu", ["tmp.0/x@[1](y)\n"], []) == HOST_RULE
    assert dots.decide("relu", ["tmpX0/x@[1]"], []) is None


def test_the_first_entry_that_matches_decides() -> None:
    rules = PartitionRules.parse("conv2d:image -> npu\nconv2d\nconv* -> gpu")
    assert rules.devices == ("npu", "gpu")
    assert rules.decide("conv2d", ["image"], []) == "npu"
    assert rules.decide("conv2d", ["x"], []) == HOST_RULE
    assert rules.decide("conv3d", ["x"], []) == "gpu"


def test_unused_entries_are_reported() -> None:
    rules = PartitionRules.parse("conv2d\nrelu-conv2d:x\n\ntanh:a:b -> npu")
    assert rules.unused() == [
        "partition rules, line 1: 'conv2d' matches no op",
        "partition rules, line 2: 'relu' matches no op",
        "partition rules, line 2: 'conv2d:x' matches no op",
        "partition rules, line 4: 'tanh:a:b' matches no op",
    ]
    rules.decide("conv2d", ["x"], [])
    rules.decide("relu", [], [])
    assert rules.unused() == [
        "partition rules, line 2: 'conv2d:x' decides nothing: earlier rules match the same ops",
        "partition rules, line 4: 'tanh:a:b' matches no op",
    ]
    assert PartitionRules().unused() == []


def test_all_line_endings_are_accepted() -> None:
    rules = PartitionRules.parse("\ufeffrelu\r\ntanh -> npu  \r\n# end\r\n")
    assert rules.decide("relu", [], []) == HOST_RULE
    assert rules.decide("tanh", [], []) == "npu"


def test_rules_are_read_from_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rules.txt").write_bytes("\ufeffrelu:é\r\n".encode())
    monkeypatch.chdir(tmp_path)
    for source in (tmp_path / "rules.txt", str(tmp_path / "rules.txt"), "rules.txt"):
        assert PartitionRules.parse(source).decide("relu", ["é"], []) == HOST_RULE
    (tmp_path / "rules.txt").write_text("relu\ntanh ->", encoding="utf-8")
    with pytest.raises(
        ConfigError, match=r"^rules\.txt: partition rules, line 2: expected the name of a dev"
    ):
        PartitionRules.parse("rules.txt")
    (tmp_path / "rules.txt").write_bytes(b"\xff")
    with pytest.raises(ConfigError, match=r"partition rules rules\.txt: it is no text: 'utf-8' codec"):
        PartitionRules.parse("rules.txt")
    with pytest.raises(ConfigError, match=r"partition rules none\.txt: cannot be read"):
        PartitionRules.parse(Path("none.txt"))
    with pytest.raises(ConfigError, match=r"^there is no file of this name, and as text: .* line 1"):
        PartitionRules.parse("none.txt")


@pytest.mark.parametrize(
    ("line", "problem", "column"),
    [
        ("relu:a:b:c", "expected no more than 'type:inputs:outputs'; put names with ':' in quotes", 8),
        ("relu--tanh", "expected an op type", 5),
        ("relu-", "expected an op type", 5),
        (":x", "expected an op type", 0),
        ("-> npu", "expected an op type", 0),
        ("relu:a,", "expected a name", 7),
        ("relu:a,,b", "expected a name", 7),
        ("relu:,a", "expected a name", 5),
        ("relu:a b", "expected '-' and another entry, '->' and a device, or the end of the line", 7),
        ('\trelu:"a', "these quotes are not closed", 6),
        ("relu ->", "expected the name of a device or 'host'", 7),
        ("relu -> # npu", "expected the name of a device or 'host'", 7),
        ("relu -> npu tanh", "expected '-' and another entry, '->' and a device, or the end of the line", 12),
        ("relu -> npu-tanh", "expected '-' and another entry, '->' and a device, or the end of the line", 11),
    ],
)
def test_syntax_errors_are_marked_with_a_caret(line: str, problem: str, column: int) -> None:
    with pytest.raises(ConfigError) as caught:
        PartitionRules.parse(f"tanh\n{line}\n")
    caret = ("\t" + " " * (column - 1) if line.startswith("\t") else " " * column) + "^"
    assert str(caught.value) == f"partition rules, line 2: {problem}:\n  {line}\n  {caret}"
