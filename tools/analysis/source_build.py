"""Source code from a model: the shapes of its inputs from the options of the command."""

from __future__ import annotations

from pathlib import Path

from lite.codegen import Export, Limit, export_c
from lite.errors import ConfigError
from lite.session.predictor import create_predictor
from lite.tools.options.feeds import FeedOptions
from lite.tools.options.model import model_config
from lite.tools.options.source import SourceOptions
from lite.tools.options.values import by_name


def build_source(
    model: Path, params: Path | None, feed: FeedOptions, source: SourceOptions, out: Path
) -> Export:
    """Write a model as C to a folder; raises what `export_c` raises."""
    shapes = by_name("--shape", feed.shapes)
    known = create_predictor(model_config(model, params, passes=[])).input_names if shapes else ()
    unknown = [name for name in shapes if name not in known]
    if unknown:
        raise ConfigError(f"--shape: the model has no input {unknown[0]!r}; its inputs: {', '.join(known)}")
    config = model_config(model, params, input_shapes=shapes)
    limit = Limit(source.ram, source.flash)
    return export_c(config, out, source.target or "c", source.name, limit, source.outputs)
