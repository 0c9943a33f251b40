"""Ops on strings, after those of ONNX and ONNX Runtime."""

from __future__ import annotations

from lite.ir.program import AttrType
from lite.ir.types import UNKNOWN, DType
from lite.ops.attrs import Attr, choice, floats, longs, number
from lite.ops.broadcast import broadcast_right
from lite.ops.schema import op
from lite.ops.view import Inferred, Meta, OpView


def _concat(op: OpView) -> Meta:
    return Meta(DType.STRING, broadcast_right(op, op["X"].dims, op["Y"].dims))


def _tokens(op: OpView) -> Meta:
    x = op["X"].shape
    return Meta(DType.STRING, None if x is None else (*x, UNKNOWN))


def _split(op: OpView) -> Inferred:
    return {"Out": _tokens(op), "Count": Meta(DType.INT64, op["X"].shape)}


def _normalized(op: OpView) -> Meta:
    x = op["X"].dims
    return Meta(DType.STRING, (*x[:-1], UNKNOWN))


def _matches(op: OpView) -> Meta:
    return Meta(DType.BOOL, op["X"].shape)


def _labels(op: OpView) -> Meta:
    return Meta(op["Values"].dtype, op["X"].shape)


def _tf_idf(op: OpView) -> Meta:
    columns = max(op.integers("ngram_indexes"), default=-1) + 1
    x = op["X"].shape
    return Meta(DType.FLOAT32, None if x is None else (*x[:-1], columns))


op("string_concat", "Joins strings pairwise, after ONNX StringConcat.", "X:string Y:string", "Out", _concat)
op(
    "string_split",
    "Splits strings at a delimiter, after ONNX StringSplit.",
    "X:string",
    "Out Count?",
    _split,
    attrs={"delimiter": "", "maxsplit": -1},
)
op(
    "string_normalizer",
    "Removes stop words and changes the case, after ONNX StringNormalizer.",
    "X:string/1-2",
    "Out",
    _normalized,
    attrs={
        "case_change_action": choice("NONE", "LOWER", "UPPER"),
        "is_case_sensitive": False,
        "stopwords": Attr(AttrType.STRINGS, []),
    },
)
op(
    "regex_full_match",
    "Whether strings match a regular expression, after ONNX RegexFullMatch.",
    "X:string",
    "Out",
    _matches,
    attrs={"pattern": Attr(AttrType.STRING, None)},
)
op(
    "tokenizer",
    "Tokens of strings, by separators or by an expression, after com.microsoft.Tokenizer.",
    "X:string/1-2",
    "Out",
    _tokens,
    attrs={
        "mark": False,
        "mincharnum": number(1, 1),
        "pad_value": Attr(AttrType.STRING, ""),
        "separators": Attr(AttrType.STRINGS, []),
        "tokenexp": Attr(AttrType.STRING, ""),
    },
)
op(
    "label_encoder",
    "The value of the key that equals each element, or Default, after ONNX LabelEncoder.",
    "X Keys/1 Values/1 Default",
    "Out",
    _labels,
)
op(
    "tf_idf_vectorizer",
    "Counts of n-grams, weighted, after ONNX TfIdfVectorizer.",
    "X:int32|int64|string/1-2",
    "Out",
    _tf_idf,
    attrs={
        "mode": choice("TF", "IDF", "TFIDF"),
        "min_gram_length": number(1, 1),
        "max_gram_length": number(1, 1),
        "max_skip_count": number(0, 0),
        "ngram_counts": longs(),
        "ngram_indexes": longs(),
        "pool_int64s": longs(),
        "pool_strings": Attr(AttrType.STRINGS, []),
        "weights": floats(),
    },
)
