"""The models of a soak: random graphs whose answers are known, and the ways to run them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import lite
from lite.ir.types import Array
from lite.tools.fuzz.configurations import DEFAULT, Configuration
from lite.tools.fuzz.graph import Case, generate
from lite.tools.fuzz.judge import check, difference
from tests.support.device_availability import missing

_HOST = ("host",)

SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "host": {"valid_places": _HOST},
    "cpu": {},
    "cpu, 2 threads": {"threads": 2},
    "no passes": {"valid_places": _HOST, "passes": [], "precision": "strict"},
    "plain memory": {"memory": "plain"},
    "sim_npu": {"devices": ["sim_npu"], "min_subgraph_ops": 1},
    "sim_npu with memory": {"devices": ["sim_npu{memory=true}"], "min_subgraph_ops": 1},
    "openvino": {"devices": ["openvino"]},
    "onnxruntime": {"devices": ["onnxruntime"]},
    "openvino, sim_npu": {"devices": ["openvino", "sim_npu"], "min_subgraph_ops": 1},
}
"""Fields of the Config by a name."""


@dataclass(frozen=True)
class Question:
    """Inputs of a model and the answer."""

    feeds: Mapping[str, Array]
    answer: Mapping[str, Any]


@dataclass(frozen=True)
class Model:
    """A model, its questions of one or several sizes, and the settings in which its answers were right."""

    name: str
    content: bytes
    questions: Sequence[Question]
    settings: Sequence[str]

    def predictor(self, setting: str, **fields: Any) -> lite.Predictor:
        """A new predictor; `fields` are further ones of the Config."""
        return lite.create_predictor(
            lite.Config(model_buffer=self.content, **{**SETTINGS.get(setting, {}), **fields})
        )

    def problem(self, predictor: lite.Predictor, question: Question) -> str | None:
        """Run once; a sentence about a wrong answer, or None."""
        found = predictor.run({name: question.feeds[name] for name in predictor.input_names})
        return difference(found, question.answer, DEFAULT)


def draw_models(choices: random.Random, count: int) -> list[Model]:
    """So many random models that at least host and CPU answer rightly."""
    models: list[Model] = []
    names = [
        name
        for name, fields in SETTINGS.items()
        if all(missing(device.split("{")[0]) is None for device in fields.get("devices", ()))
    ]
    while len(models) < count:
        name = str(choices.randrange(10**9))
        case = generate(random.Random(name), name)
        if case is not None and _is_small(case):
            ways = [Configuration(each, SETTINGS[each], DEFAULT / 4) for each in names]
            right = [way.name for way in ways if check(case, way) is None]
            if {"host", "cpu"} <= set(right):
                questions = [Question(case.feeds, case.outputs), *(Question(*each) for each in case.others)]
                models.append(Model(name, case.model.SerializeToString(), questions, right))
    return models


def _is_small(case: Case) -> bool:
    return sum(array.size for array in case.feeds.values()) < 20_000
