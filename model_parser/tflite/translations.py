"""The table of TFLite ops: each op, and the function that writes its ops."""

from __future__ import annotations

from collections.abc import Callable

from lite.errors import GraphError, ModelParseError
from lite.model_parser.tflite.graph_writer import GraphWriter
from lite.model_parser.tflite.node import TfliteNode
from lite.plugin.format import Translations

Translator = Callable[[TfliteNode, GraphWriter], None]

TRANSLATIONS = Translations[Translator]("TFLite op", "lite.model_parser.tflite.ops")

tflite_op = TRANSLATIONS.register


def translate(node: TfliteNode, number: int, writer: GraphWriter) -> None:
    """Write the ops of an operator; every error names it."""
    try:
        TRANSLATIONS.get(node.op)(node, writer)
    except (GraphError, ModelParseError, LookupError, ValueError, OverflowError) as error:
        raise ModelParseError(f"operator {number} ({node.op}): {error}") from error
