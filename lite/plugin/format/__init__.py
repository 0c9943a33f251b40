"""What the author of a model format imports: `model_parser`, and `model_writer` where it can write."""

from lite.plugin.format.parsers import PARSERS, ModelParser, ModelSource, model_parser
from lite.plugin.format.writers import MODEL_WRITERS, ModelWriter, Written, model_writer

__all__ = [
    "MODEL_WRITERS",
    "PARSERS",
    "ModelParser",
    "ModelSource",
    "ModelWriter",
    "Written",
    "model_parser",
    "model_writer",
]
