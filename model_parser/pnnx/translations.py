"""The table of PNNX operators: each operator type, and the function that writes its ops."""

from __future__ import annotations

from collections.abc import Callable

from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.value import Results, Value
from lite.plugin.format import Translations

Translator = Callable[[Call], Value | Results]
"""Writes the ops of an operator and returns its result or results.

Raises `ModelParseError` by `Call.error` for an operator that is not supported.
"""

TRANSLATIONS = Translations[Translator]("PNNX operator", "lite.model_parser.pnnx.ops")

pnnx_op = TRANSLATIONS.register
