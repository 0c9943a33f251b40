"""Saves a model as an artifact, with its inputs and results beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import lite
from tests.soak.artifacts.models import CONFIGS, Model

ARTIFACT, CASES, FACTS = "model.lbm", "case{}.npz", "facts.json"


def save(model: Model, config: str, folder: Path) -> None:
    """Run a model on its inputs, and write the artifact, the inputs and the results to a folder."""
    settings: dict[str, Any] = dict(CONFIGS[config])
    predictor = lite.create_predictor(lite.Config(model.path, **settings))
    for number, inputs in enumerate(model.inputs):
        named = inputs if isinstance(inputs, dict) else dict(zip(predictor.input_names, inputs, strict=True))
        results = predictor.run(named)
        # Some kernels choose by threads or by the first run; the second one is the steady state.
        results = predictor.run(named)
        np.savez(
            folder / CASES.format(number),
            **{f"in:{name}": array for name, array in named.items()},  # type: ignore[arg-type]
            **{f"out:{name}": array for name, array in results.items()},  # type: ignore[arg-type]
        )
    saved = lite.save_artifact(predictor, folder / ARTIFACT)
    regions = predictor.report().regions
    facts = {
        "model": model.name,
        "bytes": saved.bytes,
        "notes": saved.notes,
        "states": [each.state for region in regions for each in region.signatures],
    }
    (folder / FACTS).write_text(json.dumps(facts))
