"""PIR convolutions, pooling, normalisation and resizing equal numpy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view

from lite.errors import ModelParseError
from lite.ir.types import Array
from tests.model_parser.paddle.pir.builder import PirBuilder, check_equal, noise, run_op, tensor, translated

WINDOW: dict[str, object] = {
    "strides": [2, 1],
    "paddings": [1, 0],
    "padding_algorithm": "EXPLICIT",
    "dilations": [1, 1],
    "groups": 1,
    "data_format": "NCHW",
}


def convolved(x: Array, filters: Array) -> Array:
    """The convolution with the attributes of `WINDOW`."""
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (0, 0)))
    windows = sliding_window_view(padded, filters.shape[2:], (2, 3))[:, :, ::2]
    result: Array = np.einsum("nchwij,ocij->nohw", windows, filters)
    return result


def test_conv2d() -> None:
    x, filters = noise(2, 3, 6, 5), noise(4, 3, 3, 3)
    expected = convolved(x, filters)
    check_equal(run_op("conv2d", [x, filters], WINDOW, tensor("float32", expected.shape)), expected)


def test_depthwise_conv2d() -> None:
    x, filters = noise(1, 2, 6, 5), noise(2, 1, 3, 3)
    expected = np.concatenate([convolved(x[:, n : n + 1], filters[n : n + 1]) for n in range(2)], 1)
    attrs = {**WINDOW, "groups": 2}
    check_equal(run_op("depthwise_conv2d", [x, filters], attrs, tensor("float32", expected.shape)), expected)


def test_conv3d_of_one_slice_is_conv2d() -> None:
    x, filters = noise(1, 3, 1, 6, 5), noise(4, 3, 1, 3, 3)
    expected = convolved(x[:, :, 0], filters[:, :, 0])[:, :, None]
    attrs = {**WINDOW, "strides": [1, 2, 1], "paddings": [0, 1, 0], "dilations": [1, 1, 1]}
    attrs["data_format"] = "NCDHW"
    check_equal(run_op("conv3d", [x, filters], attrs, tensor("float32", expected.shape)), expected)


@pytest.mark.parametrize(("output_size", "rows"), [([], 5), ([6, 4], 6)])
def test_conv2d_transpose_with_a_filter_of_one_element(output_size: list[int], rows: int) -> None:
    x, filters = noise(1, 2, 3, 4), noise(2, 3, 1, 1)
    builder = PirBuilder()
    operands = [builder.data("x", x), builder.data("f", filters), builder.ints(*output_size)]
    attrs = {**WINDOW, "paddings": [0, 0], "output_padding": []}
    result = tensor("float32", [1, 3, rows, 4])
    out = builder.one("conv2d_transpose", *operands, result=result, attrs=attrs)
    expected = np.zeros((1, 3, rows, 4), np.float32)
    expected[:, :, :5:2] = np.einsum("nchw,co->nohw", x, filters[:, :, 0, 0])
    check_equal(builder.fetch(out).run(x=x, f=filters)[0], expected)


def test_deformable_conv_passes_its_operands_by_position() -> None:
    builder = PirBuilder()
    operands = [builder.data(name, noise(1, 1, 1, 1)) for name in ("x", "offset", "filter", "mask")]
    attrs = {"strides": [1, 1], "paddings": [0, 0], "dilations": [1, 1], "deformable_groups": 2, "groups": 1}
    builder.fetch(builder.one("deformable_conv", *operands, attrs={**attrs, "im2col_step": 1}))
    (op,) = translated(builder)
    assert op.inputs == {"Input": ["x"], "Offset": ["offset"], "Filter": ["filter"], "Mask": ["mask"]}
    assert {name: attr.value for name, attr in op.attrs.items()} == attrs


_POOL: dict[str, object] = {
    "strides": [2, 2],
    "paddings": [0, 0],
    "ceil_mode": False,
    "exclusive": True,
    "data_format": "NCHW",
    "global_pooling": False,
    "adaptive": False,
    "padding_algorithm": "EXPLICIT",
}


@pytest.mark.parametrize(("kind", "function"), [("max", np.max), ("avg", np.mean)])
def test_pool2d(kind: str, function: np.ufunc) -> None:
    x = noise(1, 2, 4, 6)
    builder = PirBuilder()
    operands = [builder.data("x", x), builder.ints(2, 2)]
    attrs = {**_POOL, "pooling_type": kind}
    out = builder.one("pool2d", *operands, result=tensor("float32", [1, 2, 2, 3]), attrs=attrs)
    check_equal(builder.fetch(out).run(x=x)[0], function(x.reshape(1, 2, 2, 2, 3, 2), axis=(3, 5)))


def test_a_pooling_window_that_is_an_input_is_refused() -> None:
    builder = PirBuilder()
    size = builder.data("size", np.array([2, 2]))
    builder.one("pool2d", builder.data("x", noise(1, 2, 4, 6)), size, attrs=_POOL)
    with pytest.raises(ModelParseError, match="operand 'kernel_size': expected a constant"):
        builder.program()


def test_max_pool2d_with_index() -> None:
    x = noise(1, 1, 2, 2)
    builder = PirBuilder()
    attrs = {"kernel_size": [2, 2], "strides": [2, 2], "paddings": [0, 0], "global_pooling": False}
    results = [tensor("float32", [1, 1, 1, 1]), tensor("int32", [1, 1, 1, 1])]
    out, mask = builder.op("1.max_pool2d_with_index", [builder.data("x", x)], results, attrs)
    outputs = builder.fetch(out, mask).run(x=x)
    check_equal(outputs[0].reshape(()), np.asarray(x.max()))
    assert outputs[1].item() == x.argmax()


def test_batch_norm_reads_the_statistics_before_the_scale() -> None:
    x, mean, variance, scale, bias = (
        noise(2, 3, 2, 2),
        noise(3),
        noise(3) ** 2,
        noise(3, seed=1),
        noise(3, seed=2),
    )
    builder = PirBuilder()
    operands = [builder.data("x", x)]
    arrays = {"mean": mean, "variance": variance, "scale": scale, "bias": bias}
    operands += [builder.parameter(name, array) for name, array in arrays.items()]
    attrs = {"is_test": True, "momentum": 0.9, "epsilon": 1e-3, "data_format": "NCHW"}
    results = [builder.types[operands[0]], *[tensor("float32", [3])] * 4, tensor("float32", [-1])]
    out = builder.op("1.batch_norm_", operands, results, attrs)[0]
    shape = (3, 1, 1)
    normal = (x - mean.reshape(shape)) / np.sqrt(variance.reshape(shape) + 1e-3)
    expected = normal * scale.reshape(shape) + bias.reshape(shape)
    check_equal(builder.fetch(out).run(x=x)[0], expected, 1e-4)


def normalised(x: Array, axes: tuple[int, ...], epsilon: float) -> Array:
    """(x - mean) / deviation over axes."""
    result: Array = (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)
    return result


def test_layer_norm_with_its_statistics() -> None:
    x = noise(2, 3, 4)
    builder = PirBuilder()
    operands = [builder.data("x", x), builder.parameter("s", noise(12)), builder.parameter("b", noise(12))]
    results = [builder.types[operands[0]], tensor("float32", [2]), tensor("float32", [2])]
    attrs = {"epsilon": 1e-5, "begin_norm_axis": 1}
    out, mean, variance = builder.op("1.layer_norm", operands, results, attrs)
    outputs = builder.fetch(out, mean, variance).run(x=x)
    scale = noise(12).reshape(3, 4)
    check_equal(outputs[0], normalised(x, (1, 2), 1e-5) * scale + scale, 1e-4)
    check_equal(outputs[1], x.mean((1, 2)))
    check_equal(outputs[2], x.var((1, 2)))


def test_group_norm_and_instance_norm_without_scale() -> None:
    x = noise(2, 4, 3, 3)
    builder = PirBuilder()
    source = builder.data("x", x)
    like = builder.types[source]
    statistics = tensor("float32", [2, 2])
    attrs = {"epsilon": 1e-5, "groups": 2, "data_format": "NCHW"}
    group = builder.op("1.group_norm", [source, 0, 0], [like, statistics, statistics], attrs)[0]
    instance = builder.op(
        "1.instance_norm", [source, 0, 0], [like, statistics, statistics], {"epsilon": 1e-5}
    )[0]
    outputs = builder.fetch(group, instance).run(x=x)
    groups = normalised(x.reshape(2, 2, 2, 3, 3), (2, 3, 4), 1e-5).reshape(x.shape)
    check_equal(outputs[0], groups, 1e-4)
    check_equal(outputs[1], normalised(x, (2, 3), 1e-5), 1e-4)


@pytest.mark.parametrize(("mode", "factor"), [("upscale_in_train", 1.0), ("downgrade_in_infer", 0.75)])
def test_dropout_at_inference(mode: str, factor: float) -> None:
    x = noise(3, 4)
    builder = PirBuilder()
    source = builder.data("x", x)
    results = [builder.types[source], tensor("uint8", [3, 4])]
    attrs = {"is_test": True, "mode": mode, "seed": 0, "fix_seed": False}
    out = builder.op("1.dropout", [source, 0, builder.full(0.25)], results, attrs)[0]
    check_equal(builder.fetch(out).run(x=x)[0], x * np.float32(factor))


@pytest.mark.parametrize("form", ["attributes", "operand", "list", "scale"])
def test_nearest_interp(form: str) -> None:
    x = noise(1, 2, 2, 3)
    builder = PirBuilder()
    source = builder.data("x", x)
    operands = [source, 0, 0, 0]
    attrs: dict[str, object] = {"data_format": "NCHW", "out_d": -1, "out_h": -1, "out_w": -1, "scale": []}
    attrs |= {"interp_method": "nearest", "align_corners": False, "align_mode": 1}
    if form == "attributes":
        attrs |= {"out_h": 4, "out_w": 6}
    elif form == "operand":
        operands[1] = builder.ints(4, 6)
    elif form == "list":
        operands[2] = builder.combine(builder.full(4, [], "int32"), builder.full(6, [], "int32"))
    else:
        attrs["scale"] = [2.0, 2.0]
    out = builder.one("nearest_interp", *operands, result=tensor("float32", [1, 2, -1, -1]), attrs=attrs)
    check_equal(builder.fetch(out).run(x=x)[0], x.repeat(2, 2).repeat(2, 3))


def test_pixel_shuffle_and_shuffle_channel() -> None:
    x = noise(1, 4, 2, 2)
    attrs = {"upscale_factor": 2, "data_format": "NCHW"}
    shuffled = run_op("pixel_shuffle", [x], attrs, tensor("float32", [1, 1, 4, 4]))
    expected = x.reshape(1, 1, 2, 2, 2, 2).transpose(0, 1, 4, 2, 5, 3).reshape(1, 1, 4, 4)
    check_equal(shuffled, expected)
    check_equal(run_op("shuffle_channel", [x], {"group": 2}), x[:, [0, 2, 1, 3]])


@pytest.mark.parametrize("is_constant", [True, False])
def test_sampling_at_an_affine_grid_of_the_identity(is_constant: bool) -> None:
    x, theta = noise(1, 1, 3, 3), np.array([[[1, 0, 0], [0, 1, 0]]], np.float32)
    builder = PirBuilder()
    size = builder.ints(1, 1, 3, 3) if is_constant else builder.data("size", np.array([1, 1, 3, 3]))
    operands = [builder.data("theta", theta), size]
    grid = tensor("float32", [1, 3, 3, 2])
    grid_id = builder.one("affine_grid", *operands, result=grid, attrs={"align_corners": True})
    attrs = {"mode": "bilinear", "padding_mode": "zeros", "align_corners": True}
    out = builder.one(
        "grid_sample", builder.data("x", x), grid_id, attrs=attrs, result=tensor("float32", x.shape)
    )
    feeds = {"x": x, "theta": theta} | ({} if is_constant else {"size": np.array([1, 1, 3, 3])})
    check_equal(builder.fetch(out).run(**feeds)[0], x)


def test_unfold() -> None:
    x = noise(1, 2, 3, 3)
    attrs = {"kernel_sizes": [2, 2], "strides": [1, 1], "paddings": [0, 0, 0, 0], "dilations": [1, 1]}
    windows = sliding_window_view(x, (2, 2), (2, 3)).transpose(0, 1, 4, 5, 2, 3)
    check_equal(run_op("unfold", [x], attrs, tensor("float32", [1, 8, 4])), windows.reshape(1, 8, 4))
