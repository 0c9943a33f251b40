/* Functions of one float without branches or calls, so that compilers turn loops of them into vectors. */
#include "vector.h"
LB_INLINE float lb_of_bits(uint32_t bits) { float x; memcpy(&x, &bits, sizeof x); return x; }
LB_INLINE uint32_t lb_bits(float x) { uint32_t bits; memcpy(&bits, &x, sizeof bits); return bits; }
/* exp(x): the power of two of the integer part, and a polynomial for the rest; 0 below -87.3, infinite above 88.7. */
LB_INLINE float lb_expf(float x) {
    float c = x < -87.3f ? -87.3f : x;
    c = c > 88.7f ? 88.7f : c;
    const float shifted = c * 1.44269504f + 12582912.0f, n = shifted - 12582912.0f;
    const float r = (c - n * 0.693359375f) + n * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = (p * r) * r + r + 1.0f;
    /* Two factors, because 2**128 is no float. */
    const uint32_t whole = lb_bits(shifted) - 0x4B400000u, half = (uint32_t)((int32_t)whole >> 1);
    const float y = p * lb_of_bits((half + 127u) << 23) * lb_of_bits((whole - half + 127u) << 23);
    const float low = x < -87.3f ? 0.0f : y;
    return x > 88.72283f ? INFINITY : low;
}
LB_INLINE float lb_clampf(float x, float low, float high) { const float y = x < low ? low : x; return y > high ? high : y; }
LB_INLINE float lb_sigmoidf(float x) { return 1.0f / (1.0f + lb_expf(-x)); }
LB_INLINE float lb_tanhf(float x) {
    const float a = x < 0.0f ? -x : x, s = x * x;
    float p = -5.70498872745e-3f;
    p = p * s + 2.06390887954e-2f;
    p = p * s - 5.37397155531e-2f;
    p = p * s + 1.33314422036e-1f;
    p = p * s - 3.33332819422e-1f;
    const float small = p * s * x + x, big = 1.0f - 2.0f / (lb_expf(2.0f * a) + 1.0f), large = x < 0.0f ? -big : big;
    return a < 0.625f ? small : large;
}
/* log(1 + exp(-|x|)) */
LB_INLINE float lb_softplus_tail(float x) { return log1pf(lb_expf(x < 0.0f ? x : -x)); }
LB_INLINE float lb_maxf(float a, float b) { return a > b ? a : b; }
LB_INLINE float lb_minf(float a, float b) { return a < b ? a : b; }
LB_INLINE float lb_modf(float a, float b) { const float r = fmodf(a, b); return r != 0.0f && (r < 0.0f) != (b < 0.0f) ? r + b : r; }
/* Truncated; 0 for NaN, and the nearest integer for numbers out of range. */
LB_INLINE int64_t lb_integer(double x) {
    if (!(x > -9223372036854775808.0)) return x != x ? 0 : INT64_MIN;
    return x >= 9223372036854775808.0 ? INT64_MAX : (int64_t)x;
}
/* The nearest integer, halves to even; numbers from 2**22 on are integers for the callers, who saturate. */
LB_INLINE float lb_rint(float x) {
    const float c = x > 4194304.0f ? 4194304.0f : x, d = c < -4194304.0f ? -4194304.0f : c;
    return (d + 12582912.0f) - 12582912.0f;
}
