"""Records the artifacts of one format version: ``python -m tests.record_artifacts``.

Each version of the format keeps its files for ever: they show that old artifacts load.  So run this for a new
version only, before it is released.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import lite
from lite.artifact.meta import FORMAT
from tests.support.data_folders import OWN
from tests.support.reference_models import reference_model

FOLDER = OWN / "artifacts"

RECORDED: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "host": ("loop_and_branches", {"valid_places": ["host"]}),
    "cpu": ("separable_classifier", {}),
    "sim_npu": ("box_selector", {"devices": ["sim_npu"]}),
}
"""By name: the model, and the settings of its Config."""


def main() -> None:
    """Write the files of the present version; refuses to replace one."""
    FOLDER.mkdir(exist_ok=True)
    for name, (model, settings) in RECORDED.items():
        _record(FOLDER / f"v{FORMAT}_{name}.lbm", model, settings)


def _record(path: Path, name: str, settings: Mapping[str, Any]) -> None:
    if path.exists():
        raise SystemExit(f"{path} exists; a recorded artifact is never written again")
    model = reference_model(name)
    predictor = lite.create_predictor(lite.Config(model.path, **settings))
    predictor.run(model.inputs)
    lite.save_artifact(predictor, path)


if __name__ == "__main__":
    main()
