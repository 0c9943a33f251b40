"""The tables of uniform PIR ops: every row fits the schema, and operands and attributes keep their order."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from lite.ir.program import Op
from lite.model_parser.paddle.pir.node import type_of
from lite.model_parser.paddle.pir.translations import ROWS, TRANSLATIONS, Row, read_row
from lite.ops import get_schema
from tests.model_parser.paddle.pir.builder import DTypeName, PirBuilder, noise, tensor, translated, vector
from tests.support.data_folders import SHARED

FACTS = SHARED / "research" / "pir_ops.json"


def values(op: Op) -> dict[str, object]:
    """The attributes of an op."""
    return {name: attr.value for name, attr in op.attrs.items()}


def emitted(name: str, operands: int, results: int, attrs: Mapping[str, object]) -> Op:
    """The op that a PIR op becomes; its operands are the inputs ``x0``, ``x1`` and so on."""
    builder = PirBuilder()
    inputs = [builder.data(f"x{n}", noise(1)) for n in range(operands)]
    outputs = builder.op(f"1.{name}", inputs, [tensor("float32", [-1])] * results, attrs)
    builder.fetch(*outputs)
    (op,) = translated(builder)
    return op


def test_a_row_is_read_in_its_notation() -> None:
    row = read_row("conv Input _ -> Output Mask | groups data_format=data_layout")
    assert row == Row(
        "conv", ["Input", "_"], ["Output", "Mask"], {"groups": "groups", "data_format": "data_layout"}
    )
    assert read_row("create_array -> Out") == Row("create_array", [], ["Out"], {})


@pytest.mark.skipif(not FACTS.is_file(), reason=f"no {FACTS.name} beside the checkout")
def test_the_ops_that_paddle_reports_are_translated() -> None:
    names = {type_of(name) for name in json.loads(FACTS.read_text())["ops"]}
    assert len(names) > 150
    TRANSLATIONS.check_supported(names, "m")


_CASES: dict[str, tuple[str, list[str], list[str], dict[str, object]]] = {
    "anchor_generator": (
        "anchor_generator",
        ["Input"],
        ["Anchors", "Variances"],
        {"anchor_sizes": [32.0], "aspect_ratios": [1.0], "variances": [0.1], "stride": [8.0], "offset": 0.5},
    ),
    "beam_search": (
        "beam_search",
        ["pre_ids", "pre_scores", "ids", "scores"],
        ["selected_ids", "selected_scores", "parent_idx"],
        {"level": 0, "beam_size": 2, "end_id": 1, "is_accumulated": True},
    ),
    "box_clip": ("box_clip", ["Input", "ImInfo"], ["Output"], {}),
    "box_coder": (
        "box_coder",
        ["PriorBox", "PriorBoxVar", "TargetBox"],
        ["OutputBox"],
        {"code_type": "decode_center_size", "box_normalized": True, "axis": 1, "variance": [0.1]},
    ),
    "crf_decoding": ("crf_decoding", ["Emission", "Transition", "Label", "Length"], ["ViterbiPath"], {}),
    "ctc_align": (
        "ctc_align",
        ["Input", "InputLength"],
        ["Output", "OutputLength"],
        {"blank": 1, "merge_repeated": False, "padding_value": 2},
    ),
    "gather_tree": ("gather_tree", ["Ids", "Parents"], ["Out"], {}),
    "gru": (
        "gru",
        ["Input", "H0", "Weight", "Bias"],
        ["BatchGate", "BatchResetHiddenPrev", "BatchHidden", "Hidden"],
        {"activation": "tanh", "gate_activation": "sigmoid", "is_reverse": True, "origin_mode": False},
    ),
    "gru_unit": (
        "gru_unit",
        ["Input", "HiddenPrev", "Weight", "Bias"],
        ["Gate", "ResetHiddenPrev", "Hidden"],
        {"activation": 2, "gate_activation": 1, "origin_mode": True},
    ),
    "im2sequence": (
        "im2sequence",
        ["X", "Y"],
        ["Out"],
        {"kernels": [2, 2], "strides": [1, 1], "paddings": [0, 0, 0, 0], "out_stride": [1, 1]},
    ),
    "lod_reset": ("lod_reset", ["X", "Y"], ["Out"], {"target_lod": [0, 2], "append": False}),
    "lookup_table_dequant": ("lookup_table_dequant", ["W", "Ids"], ["Out"], {"padding_idx": 3}),
    "lrn": (
        "lrn",
        ["X"],
        ["Out", "MidOut"],
        {"n": 3, "k": 1.0, "alpha": 0.1, "beta": 0.5, "data_format": "NCHW"},
    ),
    "lstm": (
        "lstm",
        ["Input", "H0", "C0", "Weight", "Bias"],
        ["Hidden", "Cell", "BatchGate", "BatchCellPreAct"],
        {"use_peepholes": False, "is_reverse": True, "gate_activation": "sigmoid"},
    ),
    "norm": ("norm", ["X"], ["Out", "Norm"], {"axis": 1, "epsilon": 0.5}),
    "roi_align": (
        "roi_align",
        ["X", "ROIs", "RoisNum"],
        ["Out"],
        {"pooled_height": 2, "pooled_width": 3, "spatial_scale": 0.5, "sampling_ratio": 2, "aligned": True},
    ),
    "sequence_expand": ("sequence_expand", ["X", "Y"], ["Out"], {"ref_level": 0}),
    "sequence_pool": (
        "sequence_pool",
        ["X"],
        ["Out", "MaxIndex"],
        {"is_test": True, "pooltype": "MAX", "pad_value": 0.5},
    ),
    "sequence_softmax": ("sequence_softmax", ["X"], ["Out"], {}),
    "temporal_shift": (
        "temporal_shift",
        ["X"],
        ["Out"],
        {"seg_num": 2, "shift_ratio": 0.5, "data_format": "NCHW"},
    ),
    "yolo_box": (
        "yolo_box",
        ["X", "ImgSize"],
        ["Boxes", "Scores"],
        {"anchors": [1, 2], "class_num": 3, "conf_thresh": 0.5, "downsample_ratio": 8, "clip_bbox": False},
    ),
}
"""PIR op: the op, the slots of its operands and results, and attributes that keep their names."""


@pytest.mark.parametrize("name", _CASES)
def test_rows_keep_operands_results_and_attributes(name: str) -> None:
    op_type, inputs, outputs, attrs = _CASES[name]
    op = emitted(name, len(inputs), len(outputs), attrs)
    assert op.type == op_type
    assert op.inputs == {slot: [f"x{n}"] for n, slot in enumerate(inputs)}
    assert {slot: len(names) for slot, names in op.outputs.items()} == dict.fromkeys(outputs, 1)
    assert op.outputs[outputs[0]] == ["fetch_name_0"]
    assert values(op) == attrs


def test_rows_rename_attributes() -> None:
    nms: dict[str, object] = {
        "score_threshold": 0.1,
        "nms_top_k": 10,
        "keep_top_k": 5,
        "background_label": -1,
        "normalized": False,
    }
    extra: dict[str, object] = {"post_threshold": 0.2, "use_gaussian": True, "gaussian_sigma": 3.0}
    assert values(emitted("matrix_nms", 2, 3, {**nms, **extra})) == {**nms, **extra}
    greedy: dict[str, object] = {**nms, "nms_threshold": 0.4, "nms_eta": 0.9}
    assert values(emitted("multiclass_nms3", 3, 3, greedy)) == greedy
    proposals = {"pre_nms_top_n": 10, "post_nms_top_n": 5, "nms_thresh": 0.5, "min_size": 1.0, "eta": 1.0}
    op = emitted("generate_proposals", 5, 3, {**proposals, "pixel_offset": False})
    assert op.type == "generate_proposals_v2"
    assert (values(op)["pre_nms_topN"], values(op)["post_nms_topN"]) == (10, 5)
    window = {"context_length": 3, "padding_trainable": False, "context_start": -1, "context_stride": 1}
    op = emitted("sequence_conv", 3, 1, window)
    assert op.inputs == {"X": ["x0"], "PaddingData": ["x1"], "Filter": ["x2"]}
    names = ["contextLength", "paddingTrainable", "contextStart", "contextStride"]
    assert values(op) == dict(zip(names, window.values(), strict=True))
    boxes: dict[str, object] = {"min_sizes": [1.0], "max_sizes": [2.0], "aspect_ratios": [1.0], "flip": True}
    op = emitted("prior_box", 2, 2, boxes)
    assert op.outputs == {"Boxes": ["fetch_name_0"], "Variances": ["fetch_name_1"]}
    assert values(op) == boxes


def test_every_row_has_slots_and_attributes_of_the_schema() -> None:
    TRANSLATIONS.check_supported(["relu"], "m")
    assert len(ROWS) > 100
    for name, row in ROWS.items():
        schema = get_schema(row.op)
        assert set(row.inputs) - {"_"} <= set(schema.inputs), name
        assert set(row.outputs) - {"_"} <= set(schema.outputs), name
        assert set(row.attrs.values()) <= set(schema.attrs), name
        assert {slot for slot, kind in schema.inputs.items() if not kind.optional} <= set(row.inputs), name
        assert {slot for slot, kind in schema.outputs.items() if not kind.optional} <= set(row.outputs), name


def test_proposals_are_distributed_to_lists() -> None:
    builder = PirBuilder()
    rois, counts = builder.data("rois", noise(3, 4)), builder.data("n", noise(1))
    boxes, numbers = vector(*[tensor("float32", [-1, 4])] * 2), vector(*[tensor("int32", [1])] * 2)
    attrs = {"min_level": 2, "max_level": 3, "refer_level": 2, "refer_scale": 8, "pixel_offset": False}
    types = [boxes, numbers, tensor("int32", [-1, 1])]
    results = builder.op("1.distribute_fpn_proposals", [rois, counts], types, attrs)
    builder.fetch(*builder.split(results[0]), *builder.split(results[1]), results[2])
    op = translated(builder)[0]
    assert op.inputs == {"FpnRois": ["rois"], "RoisNum": ["n"]}
    assert [len(op.outputs[slot]) for slot in ("MultiFpnRois", "MultiLevelRoIsNum", "RestoreIndex")] == [
        2,
        2,
        1,
    ]
    assert values(op) == attrs


def test_a_recurrent_layer_has_lists_of_states_and_weights() -> None:
    builder = PirBuilder()
    x = builder.data("x", noise(4, 1, 2))
    states = builder.combine(*(builder.data(name, noise(1, 1, 3)) for name in "hc"))
    shapes = {"wi": (12, 2), "wh": (12, 3), "bi": (12,), "bh": (12,)}
    weights = builder.combine(*(builder.parameter(name, noise(*shape)) for name, shape in shapes.items()))
    dropout = builder.parameter("state", noise(0).astype("uint8"), persistable=False)
    state = vector(*[tensor("float32", [1, 1, 3])] * 2)
    types = [tensor("float32", [4, 1, 3]), tensor("uint8", []), state, tensor("uint8", [])]
    attrs: dict[str, object] = {"mode": "LSTM", "hidden_size": 3, "num_layers": 1, "is_bidirec": False}
    attrs |= {"input_size": 2, "is_test": True, "dropout_prob": 0.0, "seed": 0}
    results = builder.op("1.rnn", [x, states, weights, 0, dropout], types, attrs)
    builder.fetch(results[0], *builder.split(results[2]))
    op = translated(builder)[0]
    assert op.inputs == {"Input": ["x"], "PreState": ["h", "c"], "WeightList": [*shapes]}
    assert [len(op.outputs[slot]) for slot in ("Out", "State")] == [1, 2]
    assert values(op) == attrs
    h, c = noise(1, 1, 3), noise(1, 1, 3)
    outputs = builder.run(x=noise(4, 1, 2), h=h, c=c)
    assert [output.shape for output in outputs] == [(4, 1, 3), (1, 1, 3), (1, 1, 3)]


@pytest.mark.parametrize("is_constant", [True, False])
def test_the_longest_length_of_a_mask(is_constant: bool) -> None:
    builder = PirBuilder()
    lengths = builder.data("n", noise(2).astype("int64"))
    longest = builder.full(5, dtype="int32") if is_constant else builder.data("m", noise(1).astype("int32"))
    attrs = {"out_dtype": DTypeName("int64")}
    out = builder.one("sequence_mask", lengths, longest, result=tensor("int64", [2, -1]), attrs=attrs)
    builder.fetch(out)
    (op,) = translated(builder)
    expected = {"out_dtype": 3, "maxlen": 5} if is_constant else {"out_dtype": 3}
    assert values(op) == expected
    assert op.inputs == {"X": ["n"]} | ({} if is_constant else {"MaxLenTensor": ["m"]})
