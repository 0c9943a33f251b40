"""The interface for authors of model formats: parsers, writers, and tables of translations by op."""

from lite.plugin.format.mapped_file import MAPPINGS, FileContent, file_mapping, map_regular, release_pages
from lite.plugin.format.parsers import PARSERS, ModelParser, ModelSource, model_parser
from lite.plugin.format.regular_file import open_regular
from lite.plugin.format.translations import Translations
from lite.plugin.format.writers import MODEL_WRITERS, ModelWriter, Written, model_writer

__all__ = [
    "MAPPINGS",
    "MODEL_WRITERS",
    "PARSERS",
    "FileContent",
    "ModelParser",
    "ModelSource",
    "ModelWriter",
    "Translations",
    "Written",
    "file_mapping",
    "map_regular",
    "model_parser",
    "model_writer",
    "open_regular",
    "release_pages",
]
