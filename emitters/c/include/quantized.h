/* Integers: sums of uint8 * int8 in int32, four products of neighbours at a time.

Weights are in panels of up to 64 channels: [panel][tap][input channel / 4][channel of the panel][4]; taps end with
zeros where 4 does not divide their length.  `start` has minus zero_point * sum(weights) for each channel. */
#include "epilogue.h"
#include "bytes.h"
#if LB_VL == 16 && defined(__AVX512BW__)
#define LB_QL 16
typedef __m512i lb_ints;
LB_INLINE lb_ints lb_ints_load(const int32_t *p) { return _mm512_loadu_si512(p); }
LB_INLINE lb_vec lb_ints_to_floats(lb_ints v) { return (lb_vec)_mm512_cvtepi32_ps(v); }
#if defined(__AVX512VNNI__)
LB_INLINE lb_ints lb_dot(lb_ints sum, uint32_t x, const int8_t *w) { return _mm512_dpbusd_epi32(sum, _mm512_set1_epi32((int)x), _mm512_loadu_si512(w)); }
#else
LB_INLINE lb_ints lb_dot(lb_ints sum, uint32_t x, const int8_t *w) {
    const __m512i v = _mm512_loadu_si512(w);
    sum = _mm512_add_epi32(sum, _mm512_madd_epi16(_mm512_srai_epi16(_mm512_slli_epi16(v, 8), 8), _mm512_set1_epi32((int)(x & 0x00FF00FFu))));
    return _mm512_add_epi32(sum, _mm512_madd_epi16(_mm512_srai_epi16(v, 8), _mm512_set1_epi32((int)(x >> 8 & 0x00FF00FFu))));
}
#endif
#elif LB_VL == 8 && defined(__AVX2__)
#define LB_QL 8
typedef __m256i lb_ints;
LB_INLINE lb_ints lb_ints_load(const int32_t *p) { return _mm256_loadu_si256((const __m256i_u *)p); }
LB_INLINE lb_vec lb_ints_to_floats(lb_ints v) { return (lb_vec)_mm256_cvtepi32_ps(v); }
LB_INLINE lb_ints lb_dot(lb_ints sum, uint32_t x, const int8_t *w) {
    const __m256i v = _mm256_loadu_si256((const __m256i_u *)w);
    sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_srai_epi16(_mm256_slli_epi16(v, 8), 8), _mm256_set1_epi32((int)(x & 0x00FF00FFu))));
    return _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_srai_epi16(v, 8), _mm256_set1_epi32((int)(x >> 8 & 0x00FF00FFu))));
}
#elif LB_VL == 4 && defined(__SSE2__)
#define LB_QL 4
typedef __m128i lb_ints;
LB_INLINE lb_ints lb_ints_load(const int32_t *p) { return _mm_loadu_si128((const __m128i_u *)p); }
LB_INLINE lb_vec lb_ints_to_floats(lb_ints v) { return (lb_vec)_mm_cvtepi32_ps(v); }
LB_INLINE lb_ints lb_dot(lb_ints sum, uint32_t x, const int8_t *w) {
    const __m128i v = _mm_loadu_si128((const __m128i_u *)w);
    sum = _mm_add_epi32(sum, _mm_madd_epi16(_mm_srai_epi16(_mm_slli_epi16(v, 8), 8), _mm_set1_epi32((int)(x & 0x00FF00FFu))));
    return _mm_add_epi32(sum, _mm_madd_epi16(_mm_srai_epi16(v, 8), _mm_set1_epi32((int)(x >> 8 & 0x00FF00FFu))));
}
#else
/* One channel at a time; the floats after the sum are scalars, too. */
#define LB_QL 1
typedef int32_t lb_ints;
LB_INLINE lb_ints lb_ints_load(const int32_t *p) { return *p; }
#if defined(__ARM_FEATURE_SIMD32)
#include <arm_acle.h>
LB_INLINE lb_ints lb_dot(lb_ints sum, uint32_t x, const int8_t *w) {
    int32_t v;
    memcpy(&v, w, 4);
    sum = __smlad(__sxtb16((int8x4_t)v), (int16x2_t)__uxtb16((uint8x4_t)x), sum);
    return __smlad(__sxtb16((int8x4_t)((uint32_t)v >> 8 | (uint32_t)v << 24)), (int16x2_t)__uxtb16((uint8x4_t)(x >> 8 | x << 24)), sum);
}
#else
LB_INLINE lb_ints lb_dot(lb_ints sum, uint32_t x, const int8_t *w) {
    sum += (int32_t)(x & 255) * w[0] + (int32_t)(x >> 8 & 255) * w[1];
    return sum + (int32_t)(x >> 16 & 255) * w[2] + (int32_t)(x >> 24) * w[3];
}
#endif
#endif
#define LB_Q_SIDE (LB_QL == 16 ? 4 : LB_QL == 1 ? 4 : 2)
#define LB_Q_ROWS (LB_QL == 16 ? 6 : LB_QL == 1 ? 1 : 4)

/* Bytes in order of rising addresses, the first one lowest. */
LB_INLINE uint32_t lb_bytes(const uint8_t *p, int n) {
    uint32_t x = 0;
    if (n >= 4) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        memcpy(&x, p, 4);
        return x;
#endif
    }
    for (int i = 0; i < (n < 4 ? n : 4); i++) x |= (uint32_t)p[i] << 8 * i;
    return x;
}

typedef struct {
    int images, rows, columns;
    ptrdiff_t x_image, x_row, x_column, y_image, y_row, y_column;
    int kh, kw, channels;
    ptrdiff_t tap_row, tap_column;
    int outputs, panel;
    ptrdiff_t w_panel, w_step, w_last;
    float factor, zero_point; /* of a result in bytes; a factor of 0 for floats */
} lb_quantized_sizes;

/* The float steps after the sums of `count` channels; y is float or uint8_t. */
LB_INLINE void lb_quantized_finish(
    const lb_quantized_sizes s, const float *scale, const lb_epilogue e, float (*function)(float), lb_ints sum,
    void *y, int o, ptrdiff_t place, const int count
) {
    if (count <= 0) return;
#if LB_QL == LB_VL && LB_VL > 1
    lb_vec v = lb_ints_to_floats(sum) * lb_load_some(scale + o, count);
    LB_ROUNDED(v);
    v = lb_finish(e, function, v, o, place, count);
    if (s.factor == 0.0f) lb_store_some((float *)y + place, v, count);
    else {
        float lanes[LB_VL];
        uint8_t bytes[LB_VL];
        lb_store(lanes, v);
        for (int n = 0; n < LB_VL; n++) bytes[n] = lb_byte(lanes[n], s.factor, s.zero_point);
        memcpy((uint8_t *)y + place, bytes, (size_t)(count < LB_VL ? count : LB_VL));
    }
#else
    float v = (float)sum * scale[o];
    LB_ROUNDED(v);
#if LB_VL == 1
    v = lb_finish(e, function, v, o, place, 1);
#else
    v = lb_lane(lb_finish(e, function, lb_with_lane(lb_set(0.0f), 0, v), o, place, 1), 0);
#endif
    if (s.factor == 0.0f) ((float *)y)[place] = v;
    else ((uint8_t *)y)[place] = lb_byte(v, s.factor, s.zero_point);
#endif
}

LB_INLINE void lb_quantized_tile(
    const int P, const int V, const lb_quantized_sizes s, const uint8_t *restrict x, const int8_t *restrict w, const int32_t *start,
    const float *scale, const lb_epilogue e, float (*function)(float), void *y, const int o, ptrdiff_t place, const int count
) {
    lb_ints sum[LB_Q_ROWS][LB_Q_SIDE];
    const int quads = s.channels / 4, tail = s.channels % 4;
    LB_UNROLL for (int p = 0; p < P; p++) LB_UNROLL for (int v = 0; v < V; v++) sum[p][v] = lb_ints_load(start + o + v * LB_QL);
    for (int i = 0; i < s.kh; i++) for (int j = 0; j < s.kw; j++) {
        const uint8_t *restrict from = x + i * s.tap_row + j * s.tap_column;
        const int8_t *restrict wk = w + (ptrdiff_t)(i * s.kw + j) * (quads + (tail > 0)) * s.w_step * 4;
        for (int c = 0; c < quads; c++) LB_UNROLL for (int p = 0; p < P; p++) {
            const uint32_t four = lb_bytes(from + p * s.x_column + c * 4, 4);
            LB_UNROLL for (int v = 0; v < V; v++) sum[p][v] = lb_dot(sum[p][v], four, wk + ((ptrdiff_t)c * s.w_step + v * LB_QL) * 4);
        }
        if (tail) LB_UNROLL for (int p = 0; p < P; p++) {
            const uint32_t some = lb_bytes(from + p * s.x_column + quads * 4, tail);
            LB_UNROLL for (int v = 0; v < V; v++) sum[p][v] = lb_dot(sum[p][v], some, wk + ((ptrdiff_t)quads * s.w_step + v * LB_QL) * 4);
        }
    }
    LB_UNROLL for (int p = 0; p < P; p++) LB_UNROLL for (int v = 0; v < V; v++)
        lb_quantized_finish(s, scale, e, function, sum[p][v], y, o + v * LB_QL, place + p * s.y_column + v * LB_QL, count - v * LB_QL);
}

LB_INLINE void lb_quantized_line(
    const lb_quantized_sizes s, const uint8_t *restrict x, const int8_t *restrict w, const int32_t *start, const float *scale,
    const lb_epilogue e, float (*function)(float), void *y, const int o, ptrdiff_t place, const int count, const int V
) {
    const int P = s.columns < LB_Q_ROWS ? s.columns : LB_Q_ROWS, rest = s.columns % P;
    int column = 0;
    for (; column + P <= s.columns; column += P)
        lb_quantized_tile(P, V, s, x + column * s.x_column, w, start, scale, e, function, y, o, place + column * s.y_column, count);
    if (rest)
        lb_quantized_tile(rest, V, s, x + column * s.x_column, w, start, scale, e, function, y, o, place + column * s.y_column, count);
}

LB_INLINE void lb_quantized_panel(
    const lb_quantized_sizes s, const uint8_t *restrict x, const int8_t *restrict w, const int32_t *start, const float *scale,
    const lb_epilogue e, float (*function)(float), void *y, const int o, ptrdiff_t place, const int count
) {
    const int side = LB_Q_SIDE * LB_QL, whole = count / side * side, left = count - whole;
    for (int n = 0; n < whole; n += side)
        lb_quantized_line(s, x, w + n * 4, start, scale, e, function, y, o + n, place + n, side, LB_Q_SIDE);
    if (left)
        lb_quantized_line(s, x, w + whole * 4, start, scale, e, function, y, o + whole, place + whole, left, (left + LB_QL - 1) / LB_QL);
}

LB_INLINE void lb_quantized(
    const lb_quantized_sizes s, const uint8_t *restrict x, const int8_t *restrict w, const int32_t *start, const float *scale,
    const lb_epilogue e, float (*function)(float), void *y
) {
    const int panels = (s.outputs + s.panel - 1) / s.panel, last = s.outputs - (panels - 1) * s.panel;
    const int lines = s.images * s.rows;
    lb_quantized_sizes t = s;
    t.w_step = s.w_last;
    for (int panel = 0; panel < panels; panel++) for (int line = 0; line < lines; line++) {
        const int image = line / s.rows, row = line % s.rows;
        const uint8_t *restrict from = x + image * s.x_image + row * s.x_row;
        const int8_t *restrict weights = w + panel * s.w_panel;
        const ptrdiff_t place = image * s.y_image + row * s.y_row + (ptrdiff_t)panel * s.panel;
        if (panel < panels - 1) lb_quantized_panel(s, from, weights, start, scale, e, function, y, panel * s.panel, place, s.panel);
        else lb_quantized_panel(t, from, weights, start, scale, e, function, y, panel * s.panel, place, last);
    }
}

/* Depthwise: w is [kh][kw][channels]; windows are cut at the border, where the image has its zero point. */
LB_INLINE void lb_quantized_depthwise(
    int images, int height, int width, int channels, int rows, int columns, int kh, int kw, int stride_down, int stride_right,
    int dilation_down, int dilation_right, int top, int left, int zero, const lb_quantized_sizes s,
    const uint8_t *restrict x, const int8_t *restrict w, const float *scale, const lb_epilogue e, float (*function)(float), void *y
) {
    enum { SIDE = 16 };
    for (int n = 0; n < images; n++) for (int row = 0; row < rows; row++) for (int column = 0; column < columns; column++) {
        const int r = row * stride_down - top, q = column * stride_right - left;
        const int i0 = r < 0 ? (-r + dilation_down - 1) / dilation_down : 0, j0 = q < 0 ? (-q + dilation_right - 1) / dilation_right : 0;
        const int fi = r >= height ? 0 : (height - 1 - r) / dilation_down + 1, i1 = fi < kh ? fi : kh;
        const int fj = q >= width ? 0 : (width - 1 - q) / dilation_right + 1, j1 = fj < kw ? fj : kw;
        const ptrdiff_t place = (((ptrdiff_t)n * rows + row) * columns + column) * channels;
        for (int c = 0; c < channels; c += SIDE) {
            const int count = channels - c < SIDE ? channels - c : SIDE;
            int32_t sum[SIDE] = {0};
            for (int i = i0; i < i1; i++) for (int j = j0; j < j1; j++) {
                const uint8_t *from = x + (((ptrdiff_t)n * height + r + i * dilation_down) * width + q + j * dilation_right) * channels + c;
                const int8_t *weights = w + (ptrdiff_t)(i * kw + j) * channels + c;
                if (count == SIDE) for (int k = 0; k < SIDE; k++) sum[k] += (from[k] - zero) * weights[k];
                else for (int k = 0; k < count; k++) sum[k] += (from[k] - zero) * weights[k];
            }
#if LB_QL > 1
            if (count == SIDE) {
                LB_UNROLL for (int v = 0; v < SIDE / LB_QL; v++)
                    lb_quantized_finish(s, scale, e, function, lb_ints_load(sum + v * LB_QL), y, c + v * LB_QL, place + c + v * LB_QL, LB_QL);
                continue;
            }
            for (int k = 0; k < count; k += LB_QL)
                lb_quantized_finish(s, scale, e, function, lb_ints_load(sum + k), y, c + k, place + c + k, count - k);
#else
            for (int k = 0; k < count; k++) lb_quantized_finish(s, scale, e, function, sum[k], y, c + k, place + c + k, 1);
#endif
        }
    }
}

/* One image with a border of its zero point. */
LB_INLINE void lb_byte_border(
    const uint8_t *restrict x, uint8_t *restrict y, int height, int width, int channels, int top, int left, int rows, int columns, int fill
) {
    for (int r = 0; r < rows; r++) {
        const int from = r + top, first = left < 0 ? -left : 0, end = width - left < columns ? width - left : columns;
        uint8_t *line = y + (ptrdiff_t)r * columns * channels;
        memset(line, fill, (size_t)columns * (size_t)channels);
        if (from >= 0 && from < height && first < end)
            memcpy(line + first * channels, x + ((ptrdiff_t)from * width + first + left) * channels, (size_t)(end - first) * (size_t)channels);
    }
}
