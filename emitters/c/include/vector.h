/* Vectors of floats, in the registers that the compiler has; LB_VL is 1 without vector extensions. */
#if defined(__GNUC__)
#define LB_INLINE static inline __attribute__((always_inline, unused))
#if defined(__clang__)
#define LB_UNROLL _Pragma("clang loop unroll(full)")
#else
#define LB_UNROLL _Pragma("GCC unroll 64")
#endif
#else
#define LB_INLINE static inline
#define LB_UNROLL
#endif
#ifndef LB_VL
#if !defined(__GNUC__)
#define LB_VL 1
#elif defined(__AVX512F__)
#define LB_VL 16
#elif defined(__AVX__)
#define LB_VL 8
#elif defined(__SSE2__) || defined(__ARM_NEON) || (defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2))
#define LB_VL 4
#else
#define LB_VL 1
#endif
#endif
/* Keeps a product from being fused with a sum: the result is rounded, as in the engine that wrote this file. */
#if !defined(__GNUC__)
#define LB_ROUNDED(v)
#elif defined(__x86_64__) || defined(__i386__)
#if defined(__AVX512F__)
#define LB_ROUNDED(v) __asm__("" : "+v"(v))
#elif defined(__SSE2__)
#define LB_ROUNDED(v) __asm__("" : "+x"(v))
#else
#define LB_ROUNDED(v)
#endif
#elif defined(__aarch64__)
#define LB_ROUNDED(v) __asm__("" : "+w"(v))
#elif defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#define LB_ROUNDED(v) __asm__("" : "+w"(v))
#elif defined(__ARM_FP) && defined(__ARM_FEATURE_FMA)
#define LB_ROUNDED(v) __asm__("" : "+t"(v))
#else
#define LB_ROUNDED(v)
#endif
/* Accumulators of a tile, and the most vectors of them side by side. */
#if LB_VL == 16
#define LB_ACCUMULATORS 28
#define LB_SIDE 4
#elif defined(__ARM_NEON) && LB_VL == 4
#define LB_ACCUMULATORS 24
#define LB_SIDE 4
#elif LB_VL == 1
#define LB_ACCUMULATORS 8
#define LB_SIDE 4
#elif defined(__ARM_FEATURE_MVE)
#define LB_ACCUMULATORS 4
#define LB_SIDE 2
#else
#define LB_ACCUMULATORS 12
#define LB_SIDE 2
#endif
#define LB_MOST_ROWS 14
#if LB_VL == 1
typedef float lb_vec;
LB_INLINE lb_vec lb_set(float x) { return x; }
LB_INLINE lb_vec lb_load(const float *p) { return *p; }
LB_INLINE void lb_store(float *p, lb_vec v) { *p = v; }
LB_INLINE lb_vec lb_load_some(const float *p, int n) { return n > 0 ? *p : 0.0f; }
LB_INLINE void lb_store_some(float *p, lb_vec v, int n) { if (n > 0) *p = v; }
LB_INLINE lb_vec lb_max(lb_vec a, lb_vec b) { return a < b ? b : a; }
LB_INLINE lb_vec lb_min(lb_vec a, lb_vec b) { return a > b ? b : a; }
LB_INLINE float lb_lane(lb_vec v, int n) { (void)n; return v; }
LB_INLINE lb_vec lb_with_lane(lb_vec v, int n, float x) { (void)v; (void)n; return x; }
#if defined(__ARM_FEATURE_FMA) || defined(__FMA__)
LB_INLINE lb_vec lb_fma(lb_vec a, lb_vec b, lb_vec c) { return __builtin_fmaf(a, b, c); }
#else
LB_INLINE lb_vec lb_fma(lb_vec a, lb_vec b, lb_vec c) { return a * b + c; }
#endif
#else
typedef float lb_vec __attribute__((vector_size(LB_VL * 4)));
typedef float lb_unaligned __attribute__((vector_size(LB_VL * 4), aligned(4), may_alias));
LB_INLINE lb_vec lb_set(float x) { return x - (lb_vec){0.0f}; }
LB_INLINE lb_vec lb_load(const float *p) { return *(const lb_unaligned *)p; }
LB_INLINE void lb_store(float *p, lb_vec v) { *(lb_unaligned *)p = v; }
LB_INLINE lb_vec lb_load_some(const float *p, int n) {
    lb_vec v = {0.0f};
    if (n >= LB_VL) return lb_load(p);
    if (n > 0) memcpy(&v, p, (size_t)n * sizeof(float));
    return v;
}
LB_INLINE void lb_store_some(float *p, lb_vec v, int n) {
    if (n >= LB_VL) lb_store(p, v);
    else if (n > 0) memcpy(p, &v, (size_t)n * sizeof(float));
}
LB_INLINE float lb_lane(lb_vec v, int n) { return v[n]; }
LB_INLINE lb_vec lb_with_lane(lb_vec v, int n, float x) { v[n] = x; return v; }
#if LB_VL == 16
#include <immintrin.h>
LB_INLINE lb_vec lb_max(lb_vec a, lb_vec b) { return (lb_vec)_mm512_max_ps((__m512)a, (__m512)b); }
LB_INLINE lb_vec lb_min(lb_vec a, lb_vec b) { return (lb_vec)_mm512_min_ps((__m512)a, (__m512)b); }
LB_INLINE lb_vec lb_fma(lb_vec a, lb_vec b, lb_vec c) { return (lb_vec)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c); }
#elif LB_VL == 8
#include <immintrin.h>
LB_INLINE lb_vec lb_max(lb_vec a, lb_vec b) { return (lb_vec)_mm256_max_ps((__m256)a, (__m256)b); }
LB_INLINE lb_vec lb_min(lb_vec a, lb_vec b) { return (lb_vec)_mm256_min_ps((__m256)a, (__m256)b); }
#if defined(__FMA__)
LB_INLINE lb_vec lb_fma(lb_vec a, lb_vec b, lb_vec c) { return (lb_vec)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c); }
#else
LB_INLINE lb_vec lb_fma(lb_vec a, lb_vec b, lb_vec c) { return a * b + c; }
#endif
#elif defined(__SSE2__)
#include <immintrin.h>
LB_INLINE lb_vec lb_max(lb_vec a, lb_vec b) { return (lb_vec)_mm_max_ps((__m128)a, (__m128)b); }
LB_INLINE lb_vec lb_min(lb_vec a, lb_vec b) { return (lb_vec)_mm_min_ps((__m128)a, (__m128)b); }
LB_INLINE lb_vec lb_fma(lb_vec a, lb_vec b, lb_vec c) { return a * b + c; }
#elif defined(__aarch64__)
#include <arm_neon.h>
LB_INLINE lb_vec lb_max(lb_vec a, lb_vec b) { return (lb_vec)vmaxq_f32((float32x4_t)a, (float32x4_t)b); }
LB_INLINE lb_vec lb_min(lb_vec a, lb_vec b) { return (lb_vec)vminq_f32((float32x4_t)a, (float32x4_t)b); }
LB_INLINE lb_vec lb_fma(lb_vec a, lb_vec b, lb_vec c) { return (lb_vec)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b); }
#else
LB_INLINE lb_vec lb_max(lb_vec a, lb_vec b) { for (int n = 0; n < LB_VL; n++) a[n] = a[n] < b[n] ? b[n] : a[n]; return a; }
LB_INLINE lb_vec lb_min(lb_vec a, lb_vec b) { for (int n = 0; n < LB_VL; n++) a[n] = a[n] > b[n] ? b[n] : a[n]; return a; }
#if defined(__ARM_FEATURE_MVE)
#include <arm_mve.h>
LB_INLINE lb_vec lb_fma(lb_vec a, lb_vec b, lb_vec c) { return (lb_vec)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b); }
#else
LB_INLINE lb_vec lb_fma(lb_vec a, lb_vec b, lb_vec c) { return a * b + c; }
#endif
#endif
#endif
