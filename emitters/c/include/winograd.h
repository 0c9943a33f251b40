#include "conv.h"
#include "pad.h"
/* Convolutions of 3x3 by Winograd's algorithm F(4x4, 3x3), in NHWC: a tile of 4x4 outputs is the transform of 36
products, which are sums over the channels.  A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks",
CVPR 2016.

`tiles` of them run at once: their windows are transformed to [36][tile][channel], the 36 matrices are multiplied, and
the products [36][tile][output] are transformed. */
typedef struct {
    int images, height, width, channels; /* of the input */
    int top, left;                       /* rows and columns before the first window's first element */
    int rows, columns, outputs;          /* of the output */
    int tiles;
    ptrdiff_t weights;                   /* numbers of one of the 36 matrices */
} lb_winograd_sizes;

LB_INLINE void lb_winograd_to(const lb_vec d[6], lb_vec t[6]) {
    const lb_vec two = lb_set(2.0f), four = lb_set(4.0f), five = lb_set(-5.0f);
    const lb_vec even = d[4] - four * d[2], odd = d[3] - four * d[1], outer = d[4] - d[2], inner = two * (d[3] - d[1]);
    t[0] = lb_fma(five, d[2], lb_fma(four, d[0], d[4]));
    t[1] = even + odd;
    t[2] = even - odd;
    t[3] = outer + inner;
    t[4] = outer - inner;
    t[5] = lb_fma(five, d[3], lb_fma(four, d[1], d[5]));
}

LB_INLINE void lb_winograd_from(const lb_vec m[6], lb_vec t[4]) {
    const lb_vec two = lb_set(2.0f), four = lb_set(4.0f), eight = lb_set(8.0f);
    const lb_vec near = m[1] + m[2], apart = m[1] - m[2], far = m[3] + m[4], away = m[3] - m[4];
    t[0] = m[0] + near + far;
    t[1] = lb_fma(two, away, apart);
    t[2] = lb_fma(four, far, near);
    t[3] = lb_fma(eight, away, apart) + m[5];
}

/* The window of a tile to place `n` of the transformed windows; `window` is a copy of one at the border. */
LB_INLINE void lb_winograd_window(const lb_winograd_sizes s, const float *restrict x, float *restrict window, float *restrict v, int tile, int n) {
    const int down = (s.rows + 3) / 4, right = (s.columns + 3) / 4, c = s.channels;
    const int top = tile / right % down * 4 - s.top, left = tile % right * 4 - s.left;
    const float *image = x + (ptrdiff_t)(tile / (down * right)) * s.height * s.width * c;
    const int inside = top >= 0 && left >= 0 && top + 6 <= s.height && left + 6 <= s.width;
    if (!inside) lb_border(image, window, s.height, s.width, c, top, left, 6, 6, 0.0f);
    const float *from = inside ? image + ((ptrdiff_t)top * s.width + left) * c : window;
    const ptrdiff_t row = (ptrdiff_t)(inside ? s.width : 6) * c, element = (ptrdiff_t)s.tiles * c;
    for (int o = 0; o < c; o += LB_VL) {
        lb_vec t[6][6], d[6], r[6];
        LB_UNROLL for (int j = 0; j < 6; j++) {
            LB_UNROLL for (int i = 0; i < 6; i++) d[i] = lb_load_some(from + i * row + j * c + o, c - o);
            lb_winograd_to(d, r);
            LB_UNROLL for (int i = 0; i < 6; i++) t[i][j] = r[i];
        }
        LB_UNROLL for (int i = 0; i < 6; i++) {
            lb_winograd_to(t[i], r);
            LB_UNROLL for (int j = 0; j < 6; j++) lb_store_some(v + (i * 6 + j) * element + (ptrdiff_t)n * c + o, r[j], c - o);
        }
    }
}

/* The outputs of a tile from the products at place `n`. */
LB_INLINE void lb_winograd_outputs(
    const lb_winograd_sizes s, const float *restrict m, const lb_epilogue e, float (*function)(float), float *y, int tile, int n
) {
    const int down = (s.rows + 3) / 4, right = (s.columns + 3) / 4, c = s.outputs;
    const int top = tile / right % down * 4, left = tile % right * 4, image = tile / (down * right);
    const int rows = s.rows - top < 4 ? s.rows - top : 4, columns = s.columns - left < 4 ? s.columns - left : 4;
    const ptrdiff_t element = (ptrdiff_t)s.tiles * c, first = (((ptrdiff_t)image * s.rows + top) * s.columns + left) * c;
    for (int o = 0; o < c; o += LB_VL) {
        lb_vec t[4][6], d[6], r[4];
        LB_UNROLL for (int j = 0; j < 6; j++) {
            LB_UNROLL for (int i = 0; i < 6; i++) d[i] = lb_load_some(m + (i * 6 + j) * element + (ptrdiff_t)n * c + o, c - o);
            lb_winograd_from(d, r);
            LB_UNROLL for (int i = 0; i < 4; i++) t[i][j] = r[i];
        }
        for (int i = 0; i < rows; i++) {
            lb_winograd_from(t[i], r);
            for (int j = 0; j < columns; j++) {
                const ptrdiff_t at = first + ((ptrdiff_t)i * s.columns + j) * c + o;
                lb_store_some(y + at, lb_finish(e, function, r[j], o, at, c - o), c - o);
            }
        }
    }
}

/* `products` are the sizes of the product of one matrix; `v` and `m` have room for 36 matrices of `tiles` rows. */
LB_INLINE void lb_winograd(
    const lb_winograd_sizes s, const lb_conv_sizes products, const float *restrict x, const float *restrict w, float *restrict window,
    float *restrict v, float *restrict m, const lb_epilogue e, float (*function)(float), float *y
) {
    const int all = s.images * ((s.rows + 3) / 4) * ((s.columns + 3) / 4);
    const lb_epilogue none = {0};
    for (int first = 0; first < all; first += s.tiles) {
        const int count = all - first < s.tiles ? all - first : s.tiles;
        for (int n = 0; n < count; n++) lb_winograd_window(s, x, window, v, first + n, n);
        for (int k = 0; k < 36 && count < s.tiles; k++)
            memset(v + ((ptrdiff_t)k * s.tiles + count) * s.channels, 0, (size_t)(s.tiles - count) * (size_t)s.channels * sizeof(float));
        for (int k = 0; k < 36; k++)
            lb_conv(products, v + (ptrdiff_t)k * s.tiles * s.channels, w + k * s.weights, none, NULL, m + (ptrdiff_t)k * s.tiles * s.outputs);
        for (int n = 0; n < count; n++) lb_winograd_outputs(s, m, e, function, y, first + n, n);
    }
}
