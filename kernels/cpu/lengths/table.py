"""The lengths of each compiled function, by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from lite.kernels.cpu.lengths import detection, elementwise, images, products, quantized, rows

LENGTHS: Mapping[str, Callable[..., Sequence[int]]] = {
    "broadcast.combine_tensors": elementwise.combine_tensors,
    "byte_moves.copy_columns": rows.copy_columns,
    "byte_moves.pool": images.pool_bytes,
    "byte_moves.take": images.take,
    "conv_transpose.spread": products.spread,
    "convolve.convolve": products.convolve,
    "convolve.convolve_columns": products.convolve_columns,
    "depthwise.depthwise": products.depthwise,
    "layout.copy_columns": rows.copy_columns,
    "layout.transpose_images": rows.transpose_images,
    "log_softmax.log_softmax_rows": rows.log_softmax_rows,
    "lookup.look_up": quantized.look_up,
    "matmul.multiply_matrices": products.multiply_matrices,
    "matmul.pack_panels": products.pack_panels,
    "multiply.multiply": products.multiply,
    "nms.keep_boxes": detection.keep_boxes,
    "norm.divide_by_lengths": rows.divide_by_lengths,
    "norm.normalise_groups": rows.normalise_groups,
    "norm.scale_planes": rows.scale_planes,
    "norm.scale_rows": rows.scale_rows,
    "pool.pool": images.pool,
    "quantize.dequantize": quantized.dequantize,
    "quantize.quantize": quantized.quantize,
    "quantized.convolve": quantized.convolve,
    "quantized.depthwise": quantized.depthwise,
    "quantized.multiply": quantized.multiply,
    "reduce.reduce_columns": rows.reduce_columns,
    "reduce.reduce_rows": rows.reduce_rows,
    "resize.blend": images.blend,
    "resize.take": images.take,
    "rnn.recurrent_layer": products.recurrent_layer,
    "rows.activate": rows.activate,
    "rows.normalise_rows": rows.normalise_rows,
    "rows.softmax_rows": rows.softmax_rows,
    "squeeze_excite.channel_sums": images.channel_sums,
    "squeeze_excite.gates": images.gates,
    "squeeze_excite.scale_channels": images.scale_channels,
    "stored.multiply": quantized.multiply_stored,
    "transpose.gather_rows": rows.gather_rows,
    "transpose.transpose_axes": rows.transpose_axes,
    "winograd.winograd": products.winograd,
    "winograd.winograd_inputs": products.winograd_inputs,
    "winograd.winograd_outputs": products.winograd_outputs,
    "winograd.winograd_products": products.winograd_products,
}
"""All functions of the folder `compiled` that kernels bind; `fusion_group` has the lengths of its loops."""
