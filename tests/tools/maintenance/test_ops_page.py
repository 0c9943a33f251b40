"""The section Ops of a page is what the tool writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from lite.tools.maintenance.ops_page import HEADER, main, ops_section


@pytest.mark.parametrize("device", ["coreml", "ethos_u", "litert", "xla"])
def test_the_page_is_up_to_date(root: Path, device: str) -> None:
    text = (root / "docs" / f"{device}_ops.md").read_text(encoding="utf-8")

    assert text.partition(HEADER)[2] == ops_section(device).removeprefix(HEADER)


def test_what_precedes_the_section_stays(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Title\n\nText.\n{HEADER}\nold rows\n", encoding="utf-8")

    main("litert", page)

    assert page.read_text(encoding="utf-8") == "# Title\n\nText.\n" + ops_section("litert")
