"""The names of processors, from the system's description."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from lite.tools.bench.processor import processor


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "model name\t: Fast 9\nflags\t\t: sse avx2 avx512f\n\nmodel name\t: Slow 1\n",
            "Fast 9 with AVX-512",
        ),
        ("model name\t: Fast 9\nflags\t\t: sse avx2\n", "Fast 9 with AVX2"),
        ("model name\t: Fast 9\nflags\t\t: sse avx\n", "Fast 9"),
    ],
)
def test_the_name_has_the_widest_vectors(text: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text(text)
    assert processor(tmp_path / "cpuinfo") == expected


def test_a_system_that_names_no_model_tells_its_features(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform, "processor", lambda: "")
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    (tmp_path / "cpuinfo").write_text("Features\t: fp asimd\n")
    assert processor(tmp_path / "cpuinfo") == "aarch64 with NEON"
    assert processor(tmp_path / "missing") == "aarch64"
