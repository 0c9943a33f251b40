"""Ops on strings."""

from __future__ import annotations

from lite.model_parser.onnx.custom_ops import CustomOp, register_custom_ops

register_custom_ops(
    {
        "RegexFullMatch": CustomOp("regex_full_match", "X"),
        "StringConcat": CustomOp("string_concat", "X Y"),
        "StringNormalizer": CustomOp("string_normalizer", "X"),
        "StringSplit": CustomOp("string_split", "X", "Out Count"),
        "TfIdfVectorizer": CustomOp("tf_idf_vectorizer", "X"),
        "com.microsoft.Tokenizer": CustomOp("tokenizer", "X"),
    }
)
