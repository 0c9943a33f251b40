"""Room for text."""

from __future__ import annotations

import pytest

from lite.passes.debug.text_size import text_size


def test_lines_stand_below_one_another() -> None:
    assert text_size(["nn", "n"], 10) == pytest.approx((12.8, 24))
    assert text_size([], 10) == (0, 0)
    assert text_size([""], 10) == (0, 12)


def test_wide_and_narrow_letters() -> None:
    widths = [text_size([text], 10)[0] for text in ("il", "tf", "ab", "WM", "漢字")]
    assert widths == sorted(widths)
    assert widths[-1] == 20
