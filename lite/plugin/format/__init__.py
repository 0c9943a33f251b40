"""The interface for authors of model formats: parsers, writers, and tables of translations by op."""

from lite.plugin.format.parsers import PARSERS, ModelParser, ModelSource, model_parser
from lite.plugin.format.regular_file import open_regular
from lite.plugin.format.translations import Translations
from lite.plugin.format.writers import MODEL_WRITERS, ModelWriter, Written, model_writer

__all__ = [
    "MODEL_WRITERS",
    "PARSERS",
    "ModelParser",
    "ModelSource",
    "ModelWriter",
    "Translations",
    "Written",
    "model_parser",
    "model_writer",
    "open_regular",
]
