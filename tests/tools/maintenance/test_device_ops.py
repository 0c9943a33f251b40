"""The pages of devices list the ops that these accept."""

from __future__ import annotations

from pathlib import Path

import pytest

from lite.plugin.device.opening import open_device
from lite.tools.maintenance.device_ops import accepted_ops, written


@pytest.mark.parametrize("device", ["rknn", "tpu"])
def test_the_list_on_the_page_is_up_to_date(root: Path, device: str) -> None:
    page = (root / "docs" / f"{device}.md").read_text(encoding="utf-8")
    assert page == written(page, accepted_ops(open_device(device)))
