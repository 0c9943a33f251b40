"""The public names of ``paddle`` 3.3.1 itself (its ``__all__``)."""

from __future__ import annotations

_TEXT = """
BFloat16Tensor BoolTensor ByteTensor CPUPlace CUDAPinnedPlace CUDAPlace CharTensor DataParallel
DoubleTensor FloatTensor Generator HalfTensor IntTensor LazyGuard LongTensor MmapStorage Model ParamAttr
ShortTensor Size Tensor XPUPinnedPlace abs abs_ acos acos_ acosh adaptive_avg_pool1d add add_n addmm
addmm_ all allclose amax amin angle any arange argmax argmin argsort argwhere as_complex as_real
as_strided as_tensor asarray asin asinh assign atan atan2 atan_ atanh atleast_1d atleast_2d atleast_3d
autocast baddbmm baddbmm_ batch bernoulli bernoulli_ bfloat16 bincount binomial bitwise_and bitwise_and_
bitwise_invert bitwise_invert_ bitwise_left_shift bitwise_left_shift_ bitwise_not bitwise_not_ bitwise_or
bitwise_or_ bitwise_right_shift bitwise_right_shift_ bitwise_xor bitwise_xor_ block_diag bmm bool
broadcast_shape broadcast_shapes broadcast_tensors broadcast_to bucketize cartesian_prod cast cast_ cat
cauchy_ cdist cdouble ceil cfloat check_shape chunk clamp clip clone column_stack combinations complex
complex128 complex64 concat concatenate conj conv1d conv2d conv3d copysign copysign_ cos cos_ cosh
count_nonzero create_parameter crop cross cummax cummin cumprod cumprod_ cumsum cumsum_
cumulative_trapezoid deg2rad diag diag_embed diagflat diagonal diagonal_scatter diff digamma digamma_
disable_compat disable_signal_handler disable_static dist div div_ divide divide_ dot double dsplit dstack
dtype e einsum empty empty_like enable_compat enable_grad enable_static eq equal equal_ equal_all erf erf_
erfinv exp expand expand_as expm1 expm1_ eye finfo flatten flatten_ flip float float16 float32 float64
float8_e4m3fn float8_e5m2 floor floor_divide floor_divide_ floor_mod floor_mod_ flops fmax fmin frac frac_
frexp from_dlpack from_numpy full full_like gammainc gammainc_ gammaincc gammaincc_ gammaln gammaln_
gather gather_nd gcd gcd_ ge geometric_ ger get_autocast_cpu_dtype get_autocast_dtype
get_autocast_gpu_dtype get_cuda_rng_state get_default_dtype get_flags get_rng_state grad greater
greater_equal greater_equal_ greater_than greater_than_ group_norm gt half heaviside histogram
histogram_bin_edges histogramdd hsplit hstack hypot hypot_ i0 i0_ i0e i1 i1e iinfo imag in_dynamic_mode
increment index_add index_add_ index_fill index_fill_ index_put index_put_ index_sample index_select inf
inner int16 int32 int64 int8 is_autocast_enabled is_complex is_empty is_floating_point is_grad_enabled
is_integer is_tensor isclose isfinite isin isinf isnan isneginf isposinf isreal kron kthvalue layer_norm
lcm lcm_ ldexp ldexp_ le lerp less less_ less_equal less_equal_ less_than less_than_ lgamma lgamma_
linspace load log log10 log10_ log1p log2 log2_ log_ log_normal log_normal_ logaddexp logcumsumexp
logical_and logical_and_ logical_not logical_not_ logical_or logical_or_ logical_xor logit logit_ logspace
logsumexp lt manual_seed masked_fill masked_fill_ masked_scatter masked_scatter_ masked_select matmul
matrix_transpose max maximum mean median meshgrid min minimum mm mod mod_ mode moveaxis msort mul
multigammaln multigammaln_ multinomial multiplex multiply multiply_ mv nan nan_to_num nan_to_num_ nanmean
nanmedian nanquantile nansum narrow ne neg neg_ negative newaxis nextafter no_grad nonzero normal normal_
not_equal numel ones ones_like outer pdist permute pi poisson polar polygamma polygamma_ positive pow pow_
prod pstring put_along_axis quantile rad2deg rand rand_like randint randint_like randn randn_like randperm
range rank ravel raw real reciprocal reduce_as remainder remainder_ renorm renorm_ repeat_interleave
reshape reshape_ reverse roll rot90 round row_stack rsqrt save scale scatter scatter_ scatter_add
scatter_add_ scatter_nd scatter_nd_add scatter_reduce searchsorted seed select_scatter set_cuda_rng_state
set_default_dtype set_flags set_grad_enabled set_printoptions set_rng_state sgn shape shard_index sign
signbit sin sin_ sinc sinc_ sinh sinh_ slice slice_scatter softmax sort split sqrt square square_ squeeze
squeeze_ stack standard_gamma standard_normal stanh std strided_slice sub sub_ subtract subtract_ sum
summary swapaxes swapdims t t_ take take_along_axis take_along_dim tan tan_ tanh tanh_ tensor_split
tensordot tile to_dlpack to_tensor tolist topk trace transpose transpose_ trapezoid tril tril_
tril_indices triu triu_ triu_indices true_divide trunc trunc_ uint16 uint32 uint64 uint8 unbind unflatten
unfold uniform unique unique_consecutive unsqueeze unsqueeze_ unstack vander var vecdot view view_as
view_as_complex view_as_real vsplit vstack where where_ zeros zeros_like
"""
NAMES = frozenset(_TEXT.split())
