"""Paddle-Lite's names of passes: aliases of passes that do the same, and names that are skipped.

Pass lists from Paddle-Lite's documentation and code work.  The names are those of its default pipeline in
release 2.13, and of the passes that release 2.9 had in addition.
"""

from __future__ import annotations

from lite.passes.registry import is_pass, pass_names

PREFIX = "lite_"

ALIASES = {
    "__xpu__graph_dedup_pass": "common_subexpression_elimination_pass",
    "assign_value_calc_offline_pass": "constant_fold_pass",
    "control_flow_op_unused_inputs_and_outputs_eliminate_pass": "dead_code_elimination_pass",
    "elementwise_mul_constant_eliminate_pass": "scalar_elementwise_to_scale_pass",
    "fill_constant_calc_offline_pass": "constant_fold_pass",
    "io_copy_kernel_pick_pass": "type_target_cast_pass",
    "lite_conv_activation_fuse_pass": "conv_activation_fuse_pass",
    "lite_conv_bn_fuse_pass": "conv_bn_fuse_pass",
    "lite_conv_elementwise_fuse_pass": "conv_elementwise_fuse_pass",
    "lite_fc_fuse_pass": "fc_fuse_pass",
    "lite_matmul_element_add_fuse_pass": "fc_fuse_pass",
    "lite_reshape2_matmul_fuse_pass": "flatten_fc_fuse_pass",
    "lite_scaleacts_fuse_pass": "scales_fuse_pass",
    "lite_squeeze2_matmul_fuse_pass": "flatten_fc_fuse_pass",
    "nnadapter_subgraph_pass": "subgraph_pass",
    "range_calc_offline_pass": "constant_fold_pass",
    "remove_scale1_pass": "identity_scale_eliminate_pass",
    "remove_tf_redundant_ops_pass": "redundant_view_eliminate_pass",
    "reshape_calc_offline_pass": "constant_fold_pass",
    "scale_calc_offline_pass": "constant_fold_pass",
    "ssd_boxes_calc_offline_pass": "constant_fold_pass",
    "transformer_attention_fuse_pass": "attention_fuse_pass",
    "unsqueeze_calc_offline_pass": "constant_fold_pass",
}
"""The pass that does the same, by Paddle-Lite's name."""

_UNNEEDED = """
__xpu__bigru_fuse_pass __xpu__conv2d_affine_channel_fuse_pass __xpu__conv2d_fuse_pass
__xpu__conv2d_scale_fuse_pass __xpu__conv2d_transpose_fuse_pass __xpu__dynamic_lstm_fuse_pass
__xpu__embedding_with_eltwise_add_fuse_pass __xpu__fc_fuse_pass __xpu__geglu_fuse_pass
__xpu__generate_sequence_fuse_pass __xpu__gn_silu_fuse_pass __xpu__greater_than_cast_mul_fuse_pass
__xpu__link_previous_out_max_pass __xpu__logit_fuse_pass __xpu__matmul_scale_softmax_v1_fuse_pass
__xpu__max_pooling_pad_zero_detect_fuse_pass __xpu__mmdnn_fuse_pass
__xpu__multi_encoder_adaptive_seqlen_fuse_pass __xpu__multi_encoder_adaptive_seqlen_v2_fuse_pass
__xpu__multi_encoder_adaptive_seqlen_v3_fuse_pass __xpu__multi_encoder_fuse_pass
__xpu__multi_encoder_slice_link_fuse_pass __xpu__multi_softmax_fuse_pass __xpu__multi_up_decoder_fuse_pass
__xpu__multihead_cross_attn_fuse_pass __xpu__multihead_self_attn_fuse_pass
__xpu__quantization_parameters_propagation_pass __xpu__quick_gelu_fuse_pass __xpu__resnet_fuse_pass
__xpu__roformer_relative_pos_fuse_pass __xpu__softmax_topk_fuse_pass __xpu__spatial_transformer_fuse_pass
__xpu__spatial_transformer_resblock_fuse_pass __xpu__squeeze_excitation_fuse_pass
__xpu__static_kernel_pick_pass __xpu__up_decoder_fuse_pass apu_subgraph_pass bm_subgraph_pass
control_flow_op_shared_inputs_and_outputs_place_sync_pass fix_mismatched_precision_pass fp16_attribute_pass
huawei_ascend_npu_subgraph_pass imagination_nna_subgraph_pass lite_elementwise_reshape_fuse_pass
lite_greater_than_cast_fuse_pass lite_inplace_fuse_pass lite_instance_norm_activation_fuse_pass
mlu_postprocess_pass mlu_subgraph_pass multi_stream_analysis_pass
npu_subgraph_pass op_fusion_minimal_set_pass op_transformation_pass
opencl_kernel_place_correct_pass opencl_memory_object_config_pass p_norm_fill_constant_max_div_fuse_pass
post_quant_dynamic_pass rknpu_subgraph_pass sparse_conv_detect_pass support_0_dim_tensor_pass
xpu_memory_optimize_pass xpu_subgraph_pass
"""

UNNEEDED = frozenset(_UNNEEDED.split())
"""Names that are skipped: passes for hardware of other vendors, for debugging, and without use here."""


def resolve(name: str) -> str:
    """The registered name of a pass, for an alias or a name with the prefix ``lite_``."""
    if name in ALIASES:
        return ALIASES[name]
    if not name.startswith(PREFIX):
        return name
    bare = name.removeprefix(PREFIX)
    return bare if is_pass(bare) else name


def is_unneeded(name: str) -> bool:
    """Whether a name is skipped: it is in `UNNEEDED` and no pass is registered under it."""
    return name in UNNEEDED and not is_pass(resolve(name))


def known_names() -> list[str]:
    """Every name that a list of passes may contain, sorted."""
    return sorted({*ALIASES, *UNNEEDED, *pass_names()})
