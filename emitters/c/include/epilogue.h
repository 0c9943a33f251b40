/* The last steps of a convolution or product: act(sum + bias + residual) * post_scale + post_shift. */
#include "vector.h"
enum { LB_IDENTITY, LB_CLAMP, LB_GATED, LB_FUNCTION };
typedef struct {
    const float *bias, *residual, *post_scale, *post_shift;
    int activation;
    float slope, offset, low, high, factor;
    int scalars; /* post_scale and post_shift have one number for all channels */
} lb_epilogue;
LB_INLINE lb_vec lb_activate(const lb_epilogue e, float (*function)(float), lb_vec v, int count) {
    if (e.activation == LB_CLAMP || e.activation == LB_GATED) {
        lb_vec t = v;
        if (e.slope != 1.0f) { t = t * lb_set(e.slope); LB_ROUNDED(t); }
        if (e.offset != 0.0f) t = t + lb_set(e.offset);
        if (e.low > -INFINITY) t = lb_max(t, lb_set(e.low));
        if (e.high < INFINITY) t = lb_min(t, lb_set(e.high));
        if (e.factor != 1.0f) { t = t * lb_set(e.factor); LB_ROUNDED(t); }
        if (e.activation == LB_GATED) { t = v * t; LB_ROUNDED(t); }
        return t;
    }
    if (e.activation == LB_FUNCTION) {
        float lanes[LB_VL];
        lb_store(lanes, v);
        if (count >= LB_VL) for (int n = 0; n < LB_VL; n++) lanes[n] = function(lanes[n]);
        else for (int n = 0; n < count; n++) lanes[n] = function(lanes[n]);
        return lb_load(lanes);
    }
    return v;
}
/* The result for `count` channels from channel `o` on; `residual` has the place of the output. */
LB_INLINE lb_vec lb_finish(const lb_epilogue e, float (*function)(float), lb_vec v, int o, ptrdiff_t place, int count) {
    if (e.bias) v = v + lb_load_some(e.bias + o, count);
    if (e.residual) v = v + lb_load_some(e.residual + place, count);
    v = lb_activate(e, function, v, count);
    if (e.post_scale) { v = v * (e.scalars & 1 ? lb_set(*e.post_scale) : lb_load_some(e.post_scale + o, count)); LB_ROUNDED(v); }
    if (e.post_shift) v = v + (e.scalars & 2 ? lb_set(*e.post_shift) : lb_load_some(e.post_shift + o, count));
    return v;
}
/* The same steps for channels from `o` on, and outputs from `place` on. */
LB_INLINE lb_epilogue lb_shifted(lb_epilogue e, int o, ptrdiff_t place) {
    if (e.bias) e.bias += o;
    if (e.residual) e.residual += place;
    if (e.post_scale && !(e.scalars & 1)) e.post_scale += o;
    if (e.post_shift && !(e.scalars & 2)) e.post_shift += o;
    return e;
}
