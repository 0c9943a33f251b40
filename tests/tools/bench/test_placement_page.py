"""The page of placements: read as it was written, and changed for one device only."""

from __future__ import annotations

from pathlib import Path

from lite.tools.bench.placement_page import HEAD, MIDDLE, Page, read_page


def row(model: str, devices: str) -> str:
    return f"| {model} | {devices} | 3 | 1 | 66.7% | 50.0% | 1.0e-07 |"


def page() -> Page:
    keys = [("net", "cpu_a"), ("net", "cpu_a, cpu_b"), ("other", "cpu_a")]
    return Page({key: row(*key) for key in keys}, {("net", "cpu_a"): ["- 1 × `relu`: no bridge"]})


def test_a_page_has_its_rows_and_the_ops_on_the_host() -> None:
    assert page().text() == (
        f"{HEAD}{row('net', 'cpu_a')}\n{row('net', 'cpu_a, cpu_b')}\n{row('other', 'cpu_a')}\n{MIDDLE}"
        "\n### net on cpu_a\n\n- 1 × `relu`: no bridge\n"
    )


def test_a_page_is_read() -> None:
    assert read_page(page().text()) == page()


def test_the_page_in_the_documentation_is_read(root: Path) -> None:
    text = (root / "docs" / "placement.md").read_text(encoding="utf-8")

    assert read_page(text).text() == text


def test_rows_of_one_device_are_removed() -> None:
    rest = page().without("cpu_a")

    assert list(rest.rows) == [("net", "cpu_a, cpu_b")]
    assert rest.on_host == {}


def test_new_rows_stand_with_those_of_their_model() -> None:
    changed = page()
    changed.rows["net", "npu"] = row("net", "npu")

    assert [line.split(" | ")[1] for line in changed.text().splitlines() if line.startswith("| net")] == [
        "cpu_a",
        "npu",
        "cpu_a, cpu_b",
    ]
