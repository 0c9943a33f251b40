"""Decoding of scores to sequences: beam search, Viterbi, CTC."""

from __future__ import annotations

from lite.ir.types import UNKNOWN, DType
from lite.ops.attrs import number
from lite.ops.rules import same_as
from lite.ops.schema import LOD_BY_KERNEL, op
from lite.ops.view import Inferred, Meta, OpView


def _beam_search(op: OpView) -> Inferred:
    """One row per selected item."""
    column = (UNKNOWN, 1)
    return {
        "selected_ids": Meta(DType.INT64, column),
        "selected_scores": Meta(op["scores"].dtype, column),
        "parent_idx": Meta(DType.INT32, (UNKNOWN,)),
    }


def _beam_search_decode(op: OpView) -> Inferred:
    """All sentences, one after another."""
    return {
        "SentenceIds": Meta(DType.INT64, (UNKNOWN,)),
        "SentenceScores": Meta(op["Scores"].dtype, (UNKNOWN,)),
    }


def _crf_decoding(op: OpView) -> Inferred:
    """Emission [T, tags] with LoD → [T, 1]; Emission [B, S, tags] with Length → [B, S]."""
    dims = op["Emission"].dims
    return Meta(DType.INT64, (dims[0], 1) if op.get("Length") is None else dims[:2])


def _viterbi_decode(op: OpView) -> Inferred:
    """Input [B, S, tags] → Scores [B] and Path [B, longest]."""
    x, lengths = op["Input"], op.values("Length")
    longest = UNKNOWN if lengths is None else max(lengths, default=0)
    return {"Scores": Meta(x.dtype, x.dims[:1]), "Path": Meta(DType.INT64, (x.dims[0], longest))}


def _ctc_align(op: OpView) -> Inferred:
    """Input [T, 1] with LoD → [n, 1]; Input [B, S] with InputLength [B, 1] → the same shape."""
    x, length = op["Input"], op.get("InputLength")
    if length is None:
        return {"Output": Meta(x.dtype, (UNKNOWN, 1))}
    return {"Output": Meta(x.dtype, x.dims), "OutputLength": Meta(x.dtype, (x.dims[0], 1))}


op(
    "beam_search",
    "One step of beam search: the best continuations of each sentence.",
    "pre_ids:int64 pre_scores:float ids?:int64 scores:float",
    "selected_ids selected_scores parent_idx?",
    _beam_search,
    attrs={
        "level": number(0, low=0),
        "beam_size": number(1, low=1),
        "end_id": 0,
        "is_accumulated": True,
    },
    lod=LOD_BY_KERNEL,
)
op(
    "beam_search_decode",
    "Sentences from the steps of a beam search.",
    "Ids Scores",
    "SentenceIds SentenceScores",
    _beam_search_decode,
    attrs={"beam_size": number(1, low=1), "end_id": 0},
    lod=LOD_BY_KERNEL,
)
op(
    "gather_tree",
    "Whole beams, followed back from their last step.",
    "Ids:index/3 Parents:index/3",
    "Out",
    same_as("Ids"),
)
op(
    "crf_decoding",
    "Most probable labels of a linear-chain conditional random field, by Viterbi.",
    "Emission:float/2-3 Transition:float/2 Label?:int64 Length?:int64",
    "ViterbiPath",
    _crf_decoding,
    lod=LOD_BY_KERNEL,
)
op(
    "viterbi_decode",
    "Highest-scoring path of tags and its score, by Viterbi.",
    "Input:float/3 Transition:float/2 Length:int64/1",
    "Scores Path",
    _viterbi_decode,
    attrs={"include_bos_eos_tag": True},
)
op(
    "ctc_align",
    "Removes repeated tokens and blanks from CTC output.",
    "Input:index/2 InputLength?:index/1-2",
    "Output OutputLength?",
    _ctc_align,
    attrs={"blank": 0, "merge_repeated": True, "padding_value": 0},
    lod=LOD_BY_KERNEL,
)
