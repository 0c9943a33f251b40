"""The tables of the overhead benchmark."""

from __future__ import annotations

from click.testing import CliRunner

from lite.tools.bench.overhead import CacheTimes, Overhead, main, markdown


def test_the_page_shows_ratios_and_goals() -> None:
    rows = [
        Overhead("det", "openvino", 51.5, 50.0, 1e-6),
        Overhead("cls", "openvino", 0.55, 0.5, 0.0),
    ]
    text = markdown(rows, [CacheTimes("det", "openvino", 300.0, 100.0)], 1, 21, ["openvino 1.2"])

    assert "openvino 1.2" in text
    assert [line for line in text.splitlines() if line.startswith(("| det", "| cls"))] == [
        "| det | openvino | 51.500 | 50.000 | 1.030 | ≤ 51.600 | 1.0e-06 |",
        "| cls | openvino | 0.550 | 0.500 | 1.100 | ≤ 0.615 | 0.0e+00 |",
        "| det | openvino | 300 | 100 | 3.0 × | ≥ 2.5 × |",
    ]


def test_help_explains_options_and_examples() -> None:
    result = CliRunner().invoke(main, ["--help"])

    assert result.exit_code == 0
    for word in ("--device", "--turns", "--out", "Examples:", "quiet machine"):
        assert word in " ".join(result.output.split())
