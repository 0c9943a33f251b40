"""Commands write files into folders that are not there yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.tiny_model import call


@pytest.mark.usefixtures("workplace")
@pytest.mark.parametrize(
    ("command", "file"),
    [
        ("memory model_dir --shape x=2,4 --out new/deep/plan.svg", "new/deep/plan.svg"),
        ("memory model_dir --shape x=2,4 --out new/plan.html", "new/plan.html"),
        ("plan model_dir --save new/plan.json", "new/plan.json"),
        ("profile model_dir --shape x=2,4 --runs 1 --trace new/trace.json", "new/trace.json"),
        ("run model_dir --shape x=2,4 --output new/outputs.npz", "new/outputs.npz"),
        ("convert model_dir new/model.onnx --shape x=2,4", "new/model.onnx"),
        ("build model_dir --shape x=2,4 -o new/model.lbm", "new/model.lbm"),
    ],
)
def test_missing_folders_are_created(command: str, file: str) -> None:
    result = call(*command.split())

    assert result.exit_code == 0, result.output
    assert Path(file).stat().st_size > 0
