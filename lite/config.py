"""Config: which model, and how to run it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lite.errors import ConfigError, suggest
from lite.ir.types import HOST, Place, Shape
from lite.plan.memory import STRATEGIES
from lite.plugin.parser import ModelSource

PathLike = str | os.PathLike[str]

_PRECISIONS = ("default", "strict")


@dataclass(frozen=True)
class Config:
    """What to run and how.  Any form of model takes any format, told by content.

    model_dir: a directory, or one file with its parameters beside it.
    model_file, params_file: explicit files.  model_buffer, params_buffer: the same as bytes.
    devices: names of devices in order of preference, each with options as in ``name{key=value}``.
    valid_places: targets for kernels in order of preference; the host is always the last resort.
    passes: the pass list to use instead of the default one; see ``litebridge passes``.
    threads: most cores that one run uses.
    keep: variables of the main block whose values survive all passes and can be read after a run.
    input_shapes: promised shapes by input name; the model is specialised for them, others are refused.
    precision: "strict" keeps to float32 arithmetic as written, "default" may trade a last digit for speed.
    memory: how buffers share memory; see `lite.plan.memory.STRATEGIES`.
    dot_dir: where ``graph_visualize_pass`` writes its pictures.
    debug: verify the graph after every pass that changed it.

    Raises `ConfigError` for contradictions and values out of range.
    """

    model_dir: PathLike | None = None
    model_file: PathLike | None = None
    params_file: PathLike | None = None
    model_buffer: bytes | None = None
    params_buffer: bytes | None = None
    devices: Sequence[str] = ()
    valid_places: Sequence[Place | str] | None = None
    passes: Sequence[str] | None = None
    threads: int = 1
    keep: Sequence[str] = ()
    input_shapes: Mapping[str, Shape] = field(default_factory=dict)
    precision: str = "default"
    memory: str = "compact"
    dot_dir: PathLike | None = None
    debug: bool = False

    def __post_init__(self) -> None:
        self._require_one_model()
        if self.threads < 1:
            raise ConfigError(f"threads: expected 1 or more, got {self.threads}")
        for name, value, known in (
            ("memory", self.memory, tuple(STRATEGIES)),
            ("precision", self.precision, _PRECISIONS),
        ):
            if value not in known:
                raise ConfigError(f"{name}: {value!r} is none of {', '.join(known)}{suggest(value, known)}")
        for name in ("devices", "passes", "keep", "valid_places"):
            if isinstance(getattr(self, name), str):
                raise ConfigError(f"{name}: expected a list of names, got the text {getattr(self, name)!r}")

    @property
    def source(self) -> ModelSource:
        """Where the model is, for the parsers."""
        if self.model_buffer is not None:
            return ModelSource(model=bytes(self.model_buffer), params=self.params_buffer)
        path = self.model_dir if self.model_file is None else self.model_file
        params = None if self.params_file is None else Path(self.params_file)
        return ModelSource(Path(path or ""), params)

    @property
    def places(self) -> tuple[Place, ...]:
        """`valid_places`, ending with the host."""
        given = [place if isinstance(place, Place) else Place(place) for place in self.valid_places or ()]
        if all(place.target != HOST for place in given):
            given.append(Place(HOST))
        return tuple(given)

    def _require_one_model(self) -> None:
        given = [
            name for name in ("model_dir", "model_file", "model_buffer") if getattr(self, name) is not None
        ]
        if len(given) != 1:
            raise ConfigError(
                "name the model in exactly one way (model_dir, model_file or model_buffer), "
                f"got {', '.join(given) or 'none'}"
            )
        if self.params_file is not None and self.model_file is None:
            raise ConfigError("params_file goes with model_file")
        if self.params_buffer is not None and self.model_buffer is None:
            raise ConfigError("params_buffer goes with model_buffer")
