"""Shape rules of sequences, recurrent layers and decoding."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from lite.errors import GraphError
from lite.ir.program import AttrValue
from tests.lite.ops.inferred import inferred

Inputs = Mapping[str, str | list[str]]

RULES: list[tuple[str, Inputs, dict[str, AttrValue], list[str], str]] = [
    ("sequence_concat", {"X": ["float32[2,3]", "float32[4,3]"]}, {}, ["Out"], "float32[6,3]"),
    ("sequence_concat", {"X": ["float32[2,3]", "float32[n,3]"]}, {}, ["Out"], "float32[?,3]"),
    (
        "sequence_conv",
        {"X": "float32[n,4]", "Filter": "float32[12,5]"},
        {"contextLength": 3},
        ["Out"],
        "float32[n,5]",
    ),
    ("sequence_expand", {"X": "float32[n,4]", "Y": "float32[m]"}, {}, ["Out"], "float32[?,4]"),
    ("sequence_mask", {"X": "int64[n,2]"}, {"maxlen": 7, "out_dtype": 5}, ["Y"], "float32[n,2,7]"),
    ("sequence_mask", {"X": "int64[n]"}, {}, ["Y"], "int64[n,?]"),
    ("sequence_mask", {"X": "int64[n]", "MaxLenTensor": "int32[1]"}, {"maxlen": 7}, ["Y"], "int64[n,?]"),
    (
        "sequence_pad",
        {"X": "float32[n,4]", "PadValue": "float32[1]"},
        {},
        ["Out", "Length"],
        "float32[?,?,4] int64[?]",
    ),
    (
        "sequence_pad",
        {"X": "float32[n]", "PadValue": "float32[1]"},
        {"padded_length": 9},
        ["Out", "Length"],
        "float32[?,9] int64[?]",
    ),
    ("sequence_unpad", {"X": "float32[b,9,4]", "Length": "int64[b]"}, {}, ["Out"], "float32[?,4]"),
    ("sequence_unpad", {"X": "float32[b,9]", "Length": "int64[b]"}, {}, ["Out"], "float32[?,1]"),
    ("sequence_pool", {"X": "float32[n,4]"}, {}, ["Out", "MaxIndex"], "float32[?,4] int32[?,4]"),
    ("sequence_reshape", {"X": "int64[6,4]"}, {"new_dim": 8}, ["Out"], "int64[3,8]"),
    ("sequence_reshape", {"X": "float32[n,4]"}, {"new_dim": 8}, ["Out"], "float32[?,8]"),
    ("sequence_reshape", {"X": "float32[n,4]"}, {"new_dim": 4}, ["Out"], "float32[n,4]"),
    ("sequence_reverse", {"X": "float32[n,4]"}, {}, ["Y"], "float32[n,4]"),
    ("sequence_reverse", {"X": "float32[*]"}, {}, ["Y"], "float32[*]"),
    (
        "sequence_topk_avg_pooling",
        {"X": "float32[n]", "ROW": "float32[r,2]", "COLUMN": "float32[c,2]"},
        {"topks": [1, 3], "channel_num": 5},
        ["Out"],
        "float32[r,10]",
    ),
    (
        "match_matrix_tensor",
        {"X": "float32[n,3]", "Y": "float32[m,3]", "W": "float32[3,2,3]"},
        {"dim_t": 2},
        ["Out", "Tmp"],
        "float32[?,1] float32[n,6]",
    ),
    (
        "lstm",
        {"Input": "float32[n,12]", "Weight": "float32[3,12]", "Bias": "float32[1,21]"},
        {},
        ["Hidden", "Cell"],
        "float32[n,3] float32[n,3]",
    ),
    ("gru", {"Input": "float32[n,9]", "Weight": "float32[3,9]"}, {}, ["Hidden"], "float32[n,3]"),
    (
        "gru_unit",
        {"Input": "float32[b,9]", "HiddenPrev": "float32[b,3]", "Weight": "float32[3,9]"},
        {},
        ["Hidden", "Gate"],
        "float32[b,3] float32[b,9]",
    ),
    (
        "lstm_unit",
        {"X": "float32[b,12]", "C_prev": "float32[b,3]"},
        {},
        ["C", "H"],
        "float32[b,3] float32[b,3]",
    ),
    (
        "rnn",
        {"Input": "float32[t,b,4]", "PreState": ["float32[2,b,5]"], "WeightList": ["float32[15,4]"] * 8},
        {"mode": "GRU", "hidden_size": 5, "is_bidirec": True},
        ["Out", "State"],
        "float32[t,b,10] float32[2,b,5]",
    ),
    ("gather_tree", {"Ids": "int32[t,b,4]", "Parents": "int32[t,b,4]"}, {}, ["Out"], "int32[t,b,4]"),
    (
        "crf_decoding",
        {"Emission": "float32[n,5]", "Transition": "float32[7,5]"},
        {},
        ["ViterbiPath"],
        "int64[n,1]",
    ),
    (
        "crf_decoding",
        {"Emission": "float32[b,s,5]", "Transition": "float32[7,5]", "Length": "int64[b,1]"},
        {},
        ["ViterbiPath"],
        "int64[b,s]",
    ),
    (
        "viterbi_decode",
        {"Input": "float32[b,s,5]", "Transition": "float32[5,5]", "Length": "int64[b]"},
        {},
        ["Scores", "Path"],
        "float32[b] int64[b,?]",
    ),
    ("ctc_align", {"Input": "int32[n,1]"}, {}, ["Output"], "int32[?,1]"),
    (
        "ctc_align",
        {"Input": "int32[b,s]", "InputLength": "int32[b,1]"},
        {},
        ["Output", "OutputLength"],
        "int32[b,s] int32[b,1]",
    ),
    (
        "beam_search",
        {"pre_ids": "int64[n,1]", "pre_scores": "float32[n,1]", "scores": "float32[n,k]"},
        {},
        ["selected_ids", "selected_scores", "parent_idx"],
        "int64[?,1] float32[?,1] int32[?]",
    ),
]


@pytest.mark.parametrize(("op", "inputs", "attrs", "outputs", "expected"), RULES)
def test_shapes_follow_from_the_inputs(
    op: str, inputs: Inputs, attrs: dict[str, AttrValue], outputs: list[str], expected: str
) -> None:
    assert inferred(op, inputs, attrs, dict.fromkeys(outputs, 1)) == expected


BAD: list[tuple[str, Inputs, dict[str, AttrValue], list[str], str]] = [
    (
        "sequence_conv",
        {"X": "float32[n,4]", "Filter": "float32[9,5]"},
        {"contextLength": 3},
        ["Out"],
        "Filter: expected 12 rows",
    ),
    (
        "sequence_conv",
        {"X": "float32[n,4]", "Filter": "float32[4,5]"},
        {"contextStride": 2},
        ["Out"],
        "contextStride",
    ),
    ("sequence_reshape", {"X": "float32[3,5]"}, {"new_dim": 4}, ["Out"], "multiple of new_dim=4"),
    ("sequence_pool", {"X": "float32[n,4]"}, {"pooltype": "MIN"}, ["Out"], "pooltype"),
    (
        "rnn",
        {"Input": "float32[t,b,4]", "PreState": ["float32[1,b,5]"], "WeightList": ["float32[20,4]"] * 4},
        {"mode": "LSTM"},
        ["Out", "State"],
        "2 values in mode LSTM",
    ),
    (
        "rnn",
        {"Input": "float32[t,b,4]", "PreState": ["float32[1,b,5]"], "WeightList": ["float32[5,4]"] * 3},
        {},
        ["Out", "State"],
        "WeightList: expected 4 values",
    ),
]


@pytest.mark.parametrize(("op", "inputs", "attrs", "outputs", "message"), BAD)
def test_inputs_that_do_not_fit_are_refused(
    op: str, inputs: Inputs, attrs: dict[str, AttrValue], outputs: list[str], message: str
) -> None:
    with pytest.raises(GraphError, match=message):
        inferred(op, inputs, attrs, dict.fromkeys(outputs, 1))
