"""Operators that pnnx leaves as ``aten::``: the inputs are the arguments of torch's schema, in its order."""

from __future__ import annotations

from lite.model_parser.pnnx.call import Call
from lite.model_parser.pnnx.translations import TRANSLATIONS, pnnx_op
from lite.model_parser.pnnx.value import Results, Value

_SCHEMAS = """
instance_norm | F.instance_norm | input weight bias running_mean running_var use_input_stats _ eps
channel_shuffle | F.channel_shuffle | input groups
_upsample_nearest_exact1d | F.interpolate mode=nearest-exact | input size
_upsample_nearest_exact2d | F.interpolate mode=nearest-exact | input size
_upsample_nearest_exact3d | F.interpolate mode=nearest-exact | input size
avg_pool1d | F.avg_pool1d | input kernel_size stride padding ceil_mode count_include_pad
avg_pool2d | F.avg_pool2d | input kernel_size stride padding ceil_mode count_include_pad divisor_override
avg_pool3d | F.avg_pool3d | input kernel_size stride padding ceil_mode count_include_pad divisor_override
max_pool1d | F.max_pool1d | input kernel_size stride padding dilation ceil_mode
max_pool2d | F.max_pool2d | input kernel_size stride padding dilation ceil_mode
max_pool3d | F.max_pool3d | input kernel_size stride padding dilation ceil_mode
broadcast_to | Tensor.expand | input sizes
clamp_min | torch.clamp_min | input min
clamp_max | torch.clamp_max | input max
cosine_similarity | F.cosine_similarity | x1 x2 dim eps
pairwise_distance | F.pairwise_distance | x1 x2 p eps keepdim
cdist | torch.cdist | x1 x2 p
dist | torch.dist | x1 x2 p
isclose | torch.isclose | input other rtol atol
ravel | torch.flatten | input
flipud | torch.flip dims=(0) | input
fliplr | torch.flip dims=(1) | input
index_add | torch.index_add | input dim index src alpha
index_copy | torch.index_copy | input dim index src
index_fill | torch.index_fill | input dim index src
scatter | torch.scatter | input dim index src reduce
scatter_add | torch.scatter_add | input dim index src
scatter_reduce | torch.scatter_reduce | input dim index src reduce include_self
take_along_dim | torch.take_along_dim | input index dim
movedim | torch.movedim | input source destination
mT | torch.transpose dim0=-2 dim1=-1 | input
numpy_T | torch.numpy_T | input
linspace | torch.linspace | start end steps
tril | torch.tril | input diagonal
triu | torch.triu | input diagonal
diagonal | torch.diagonal | input offset dim1 dim2
diag_embed | torch.diag_embed | input diagonal
trace | torch.trace | input
one_hot | F.one_hot | input num_classes
median | torch.median | input dim keepdim
kthvalue | torch.kthvalue | input k dim keepdim
count_nonzero | torch.count_nonzero | input dim
aminmax | torch.aminmax | input dim keepdim
nansum | torch.nansum | input dim keepdim
nanmean | torch.nanmean | input dim keepdim
linalg_norm | torch.linalg_norm | input p dim keepdim
linalg_vector_norm | torch.linalg_norm | input p dim keepdim
linalg_matrix_norm | torch.linalg_norm | input p dim keepdim
dot | torch.matmul | input other
vdot | torch.matmul | input other
addmv | torch.addmm | input mat1 mat2 beta alpha
addbmm | torch.addbmm | input batch1 batch2 beta alpha
outer | torch.outer | input other
inner | torch.inner | input other
addr | torch.addr | input vec1 vec2 beta alpha
tensordot | torch.tensordot | input other dims_self dims_other
linalg_multi_dot | torch.multi_dot | tensors
linalg_matrix_power | torch.matrix_power | input n
linalg_inv | torch.inverse | input
linalg_det | torch.det | input
unfold | Tensor.unfold | input dimension size step
bilinear | F.bilinear | input1 input2 weight bias
mse_loss | F.mse_loss | input target reduction
l1_loss | F.l1_loss | input target reduction
smooth_l1_loss | F.smooth_l1_loss | input target reduction beta
huber_loss | F.huber_loss | input target reduction delta
sort | torch.sort | input dim descending
argsort | torch.argsort | input dim descending
std | torch.std | input dim unbiased keepdim
var | torch.var | input dim unbiased keepdim
std_mean | torch.std_mean | input dim unbiased keepdim
var_mean | torch.var_mean | input dim unbiased keepdim
all | torch.all | input dim keepdim
any | torch.any | input dim keepdim
prod | torch.prod | input dim keepdim
"""
"""Operator | the type that it is read as, with parameters | the names of its inputs."""

_OVERLOADS = {
    ("sort", 4): "input _ dim descending",
    ("argsort", 4): "input _ dim descending",
    **{(name, 2): "input unbiased" for name in ("std", "var", "std_mean", "var_mean")},
    ("prod", 2): "input _",
}
"""The names of the inputs of an operator where there are so many."""


def _rows() -> dict[str, tuple[str, str]]:
    table = (line.split("|") for line in _SCHEMAS.strip().splitlines())
    return {f"aten::{name.strip()}": (target.strip(), names.strip()) for name, target, names in table}


_OPERATORS = _rows()


@pnnx_op(*_OPERATORS)
def by_schema(call: Call) -> Value | Results:
    """The translation of another type, whose names the inputs get."""
    target, names = _OPERATORS[call.type]
    names = _OVERLOADS.get((call.type.removeprefix("aten::"), len(call.inputs)), names)
    type_name, *params = target.split()
    renamed = call.as_type(type_name, names.split(), dict(param.split("=") for param in params))
    return TRANSLATIONS.get(type_name)(renamed)
