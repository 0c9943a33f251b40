/* Depthwise convolution in NHWC, a filter [kh][kw][channels] for each channel; windows are cut at the border. */
#include "epilogue.h"
LB_INLINE void lb_depthwise_tile(
    const int P, const int V, const float *restrict x, ptrdiff_t column, ptrdiff_t tap_row, ptrdiff_t tap_column,
    const float *restrict w, int kw, int channels, int i0, int i1, int j0, int j1,
    const lb_epilogue e, float (*function)(float), float *y, int c, ptrdiff_t place, const int count
) {
    lb_vec sum[8][2];
    LB_UNROLL for (int p = 0; p < P; p++) LB_UNROLL for (int v = 0; v < V; v++) sum[p][v] = lb_set(0.0f);
    for (int i = i0; i < i1; i++) for (int j = j0; j < j1; j++) {
        const float *from = x + i * tap_row + j * tap_column, *weights = w + (ptrdiff_t)(i * kw + j) * channels;
        LB_UNROLL for (int v = 0; v < V; v++) {
            const lb_vec line = lb_load_some(weights + v * LB_VL, count - v * LB_VL);
            LB_UNROLL for (int p = 0; p < P; p++)
                sum[p][v] = lb_fma(lb_load_some(from + p * column + v * LB_VL, count - v * LB_VL), line, sum[p][v]);
        }
    }
    LB_UNROLL for (int p = 0; p < P; p++) LB_UNROLL for (int v = 0; v < V; v++) {
        const int n = count - v * LB_VL;
        const ptrdiff_t at = (ptrdiff_t)p * channels + v * LB_VL;
        if (n > 0) lb_store_some(y + at, lb_finish(e, function, sum[p][v], c + v * LB_VL, place + at, n), n);
    }
}

/* One line of outputs: all channels of a few pixels, then of the next ones. */
LB_INLINE void lb_depthwise_row(
    int width, int channels, int columns, int kw, int stride, int dilation, int left,
    ptrdiff_t tap_row, const float *restrict x, const float *restrict w, int i0, int i1,
    const lb_epilogue e, float (*function)(float), float *y, ptrdiff_t place
) {
    const int P = LB_VL == 1 ? 2 : 4, side = 2 * LB_VL, rest = channels % side, last = (rest + LB_VL - 1) / LB_VL;
    const ptrdiff_t step = (ptrdiff_t)stride * channels, tap_column = (ptrdiff_t)dilation * channels;
    const int reach = (kw - 1) * dilation;
    int column = 0;
    while (column < columns) {
        const int at = column * stride - left;
        const float *from = x + (ptrdiff_t)at * channels;
        const ptrdiff_t there = (ptrdiff_t)column * channels;
        if (at >= 0 && column + P <= columns && at + (P - 1) * stride + reach < width) {
            for (int c = 0; c < channels; c += side) {
                if (!rest || c + side <= channels)
                    lb_depthwise_tile(P, 2, from + c, step, tap_row, tap_column, w + c, kw, channels, i0, i1, 0, kw, e, function, y + there + c, c, place + there + c, side);
                else
                    lb_depthwise_tile(P, last, from + c, step, tap_row, tap_column, w + c, kw, channels, i0, i1, 0, kw, e, function, y + there + c, c, place + there + c, rest);
            }
            column += P;
            continue;
        }
        const int j0 = at < 0 ? (-at + dilation - 1) / dilation : 0;
        const int fit = at >= width ? 0 : (width - 1 - at) / dilation + 1, j1 = fit < kw ? fit : kw;
        for (int c = 0; c < channels; c += side) {
            if (!rest || c + side <= channels)
                lb_depthwise_tile(1, 2, from + c, step, tap_row, tap_column, w + c, kw, channels, i0, i1, j0, j1, e, function, y + there + c, c, place + there + c, side);
            else
                lb_depthwise_tile(1, last, from + c, step, tap_row, tap_column, w + c, kw, channels, i0, i1, j0, j1, e, function, y + there + c, c, place + there + c, rest);
        }
        column++;
    }
}

LB_INLINE void lb_depthwise(
    int images, int height, int width, int channels, int rows, int columns, int kh, int kw,
    int stride_down, int stride_right, int dilation_down, int dilation_right, int top, int left,
    const float *restrict x, const float *restrict w, const lb_epilogue e, float (*function)(float), float *y
) {
    const ptrdiff_t tap_row = (ptrdiff_t)dilation_down * width * channels;
    for (int n = 0; n < images; n++) for (int row = 0; row < rows; row++) {
        const int at = row * stride_down - top;
        const int i0 = at < 0 ? (-at + dilation_down - 1) / dilation_down : 0;
        const int fit = at >= height ? 0 : (height - 1 - at) / dilation_down + 1, i1 = fit < kh ? fit : kh;
        const float *from = x + ((ptrdiff_t)n * height + at) * width * channels;
        const ptrdiff_t place = ((ptrdiff_t)n * rows + row) * columns * channels;
        lb_depthwise_row(width, channels, columns, kw, stride_right, dilation_right, left, tap_row, from, w, i0, i1, e, function, y + place, place);
    }
}
