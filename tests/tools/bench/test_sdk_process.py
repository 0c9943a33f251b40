"""The process of an SDK: what it measures, and that it rests between runs."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click
import numpy as np
import pytest

from lite.environments.installed import Installed
from lite.ir.types import Array
from lite.tools.bench import sdk_process
from lite.tools.bench.sdk_process import SdkProcess

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the state of a process is read from /proc")

DOUBLES = """
import sys
import numpy as np
sdk, model, source, target = sys.argv[1:]
np.save(target, 2 * np.load(source) + len(open(model, "rb").read()))
print("ready", flush=True)
for number, _ in enumerate(sys.stdin):
    print(1.5 + number, flush=True)
"""

ENDS = """
import sys
print("the SDK has no licence", file=sys.stderr)
sys.exit(3)
"""


def process(text: str, folder: Path, out: Array, monkeypatch: pytest.MonkeyPatch) -> SdkProcess:
    """A process of this interpreter that runs `text` instead of an SDK."""
    runner = folder / "runner.py"
    runner.write_text(text, encoding="utf-8")
    found = Installed(Path(sys.prefix), Path(sys.executable), Path(np.__file__).parents[1])
    monkeypatch.setattr(sdk_process, "_RUNNER", runner)
    monkeypatch.setattr(sdk_process, "find_installed", lambda *_: found)
    return SdkProcess("rknn", b"four", ".onnx", np.arange(3, dtype=np.float32), out, 1)


def test_it_returns_what_the_process_measures_and_stops_it_between_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = np.zeros((1, 3), np.float32)

    run = process(DOUBLES, tmp_path, out, monkeypatch)

    np.testing.assert_array_equal(out, [[4, 6, 8]])
    assert [run(), run()] == [1.5, 2.5]
    assert _comes_to_rest(run)


def test_a_process_that_ends_is_an_error_with_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(click.ClickException, match="the SDK has no licence"):
        process(ENDS, tmp_path, np.zeros(3, np.float32), monkeypatch)


def _comes_to_rest(run: SdkProcess) -> bool:
    """Whether the process is stopped, within a few seconds."""
    status = Path(f"/proc/{run._process.pid}/stat")
    for _ in range(100):
        if status.read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "T":
            return True
        time.sleep(0.05)
    return False
