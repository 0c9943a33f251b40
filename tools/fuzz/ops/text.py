"""Strings: normalising, joining, splitting, matching and counting."""

from __future__ import annotations

from typing import Any

import numpy as np

from lite.tools.fuzz.draw import Draw, Value, row
from lite.tools.fuzz.evaluate import Rejected

_TEXT = ("object",)


@row(0.1)
def strings(d: Draw) -> Value:
    """StringConcat, StringSplit, RegexFullMatch and StringNormalizer."""
    kind = d.integer(0, 3)
    x = d.value(_TEXT, low=1, high=3, where=lambda v: 0 not in v.shape)
    if kind == 0 and d.opset >= 20:
        other = d.fresh(d.array(d.pick((x.shape, (), x.shape[-1:])), "object"))
        return d.node("StringConcat", [x, other])
    if kind == 1 and d.opset >= 20:
        attrs: dict[str, Any] = {"delimiter": d.pick((" ", "b", ""))} if d.chance(0.7) else {}
        if d.chance(0.3):
            attrs["maxsplit"] = 1
        # Engines count no part or one in an empty string.
        words = np.where(x.array == "", "b a", x.array)
        return d.nodes_outputs("StringSplit", [d.fresh(words)], 2, **attrs)[1]
    if kind == 2 and d.opset >= 20:
        return d.node("RegexFullMatch", [x], pattern=d.pick(("[a-z]+", ".*b.*", "", "(a|bc) ?e?")))
    if d.opset < 10:
        raise Rejected("no StringNormalizer yet")
    texts = d.input(d.array(d.pick(((4,), (1, 4))), "object"))
    action = d.pick(("LOWER", "UPPER", "NONE"))
    stop: dict[str, Any] = {"stopwords": ["a", "ab"]} if d.chance(0.5) else {}
    stop |= {"is_case_sensitive": d.integer(0, 1), "locale": "C"}
    return d.node("StringNormalizer", [texts], case_change_action=action, **stop)


@row(0.1)
def moved_strings(d: Draw) -> Value:
    """Strings in ops that move elements or compare them."""
    x = d.value(_TEXT, low=1, high=3, where=lambda v: 0 not in v.shape)
    kind = d.integer(0, 6)
    if kind == 0:
        return d.node("Reshape", [x, d.constant(np.asarray([-1], "int64"))])
    if kind == 1:
        return d.node("Gather", [x, d.constant(np.asarray([0, -1], "int64"))], axis=0)
    if kind == 2:
        return d.node("Concat", [x, x], axis=d.integer(0, x.rank - 1))
    if kind == 3:
        other = d.constant(d.array((), "object"))
        return d.node("Equal", [x, other]) if d.opset >= 19 else d.node("Identity", [x])
    if kind == 4:
        flags = d.fresh(d.array(x.shape, "bool"))
        return d.node("Where", [flags, x, d.constant(d.array((1,), "object"))])
    if kind == 5:
        return d.node("Transpose", [x])
    return d.node("Cast", [d.value(("int64", "int32", "bool"))], to=8)


@row(0.1)
def counted_words(d: Draw) -> Value:
    """TfIdfVectorizer on numbers and on words."""
    mode = d.pick(("TF", "IDF", "TFIDF"))
    attrs: dict[str, Any] = {
        "mode": mode,
        "min_gram_length": 1,
        "max_gram_length": 2,
        "max_skip_count": d.integer(0, 2),
        "ngram_counts": [0, 3],
        "ngram_indexes": [0, 1, 2, 3, 4],
    }
    if d.chance(0.5):
        attrs["weights"] = [0.5, 1.0, 2.0, 1.5, 3.0]
    if d.chance(0.5):
        attrs["pool_strings"] = ["a", "bc", "Ab", "a", "bc", "bc", "Ab"]
        return d.node("TfIdfVectorizer", [d.input(d.array(d.pick(((5,), (2, 5))), "object"))], **attrs)
    attrs["pool_int64s"] = [2, 3, 5, 2, 3, 3, 3]
    dtype = d.pick(("int32", "int64"))
    return d.node("TfIdfVectorizer", [d.input(d.array(d.pick(((7,), (2, 7))), dtype))], **attrs)


@row(0.1)
def tokens(d: Draw) -> Value:
    """Tokenizer of ONNX Runtime, by separators, an expression, or characters."""
    x = d.input(d.array(d.pick(((3,), (2, 2))), "object"))
    ways: tuple[dict[str, Any], ...] = (
        {"separators": [" ", "b"]},
        {"separators": ["[bc]+"]},
        {"separators": [""]},
        {"tokenexp": "[a-z]+"},
        {"tokenexp": r"\w|ab"},
        {"tokenexp": "."},
    )
    way = d.pick(ways)
    is_by_character = way in ({"separators": [""]}, {"tokenexp": "."})
    least = 1 if is_by_character else d.integer(1, 2)
    attrs = {**way, "mark": d.integer(0, 1), "mincharnum": least, "pad_value": d.pick(("", "#"))}
    return d.node("Tokenizer", [x], domain="com.microsoft", **attrs)
