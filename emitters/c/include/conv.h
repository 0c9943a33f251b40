#include "epilogue.h"
/* Convolutions of images in NHWC, and products of matrices: tiles of pixels by channels in registers.

Weights are in panels of up to 64 channels: [panel][kh][kw][input channel][channel of the panel], where the last
panel is padded with zeros.  All sizes are constants of the call, so that loops over tiles are unrolled. */
typedef struct {
    int images, rows, columns;              /* of the output */
    ptrdiff_t x_image, x_row, x_column;     /* steps of the input from one output position to the next */
    ptrdiff_t y_image, y_row, y_column;
    int kh, kw, channels;                   /* taps, and numbers next to each other in a tap */
    ptrdiff_t tap_row, tap_column, step;    /* steps of the input between taps, and between numbers */
    int outputs, panel;                     /* channels of the output, and of a panel */
    ptrdiff_t w_panel, w_step, w_last;      /* steps of the weights: between panels, numbers, numbers of the last panel */
    int exact;                              /* whether the weights end with the last channel */
} lb_conv_sizes;

LB_INLINE void lb_conv_tile(
    const int P, const int V, const lb_conv_sizes s, const float *restrict x, const float *restrict w,
    const lb_epilogue e, float (*function)(float), float *y, const int o, ptrdiff_t place, const int count
) {
    lb_vec sum[LB_MOST_ROWS][LB_SIDE];
    LB_UNROLL for (int p = 0; p < P; p++) LB_UNROLL for (int v = 0; v < V; v++) sum[p][v] = lb_set(0.0f);
    for (int i = 0; i < s.kh; i++) for (int j = 0; j < s.kw; j++) {
        const float *restrict from = x + i * s.tap_row + j * s.tap_column;
        const float *restrict wk = w + (ptrdiff_t)(i * s.kw + j) * s.channels * s.w_step;
        for (int c = 0; c < s.channels; c++) {
            lb_vec line[LB_SIDE];
            LB_UNROLL for (int v = 0; v < V; v++)
                line[v] = s.exact ? lb_load_some(wk + c * s.w_step + v * LB_VL, count - v * LB_VL) : lb_load(wk + c * s.w_step + v * LB_VL);
            LB_UNROLL for (int p = 0; p < P; p++) {
                const lb_vec a = lb_set(from[p * s.x_column + c * s.step]);
                LB_UNROLL for (int v = 0; v < V; v++) sum[p][v] = lb_fma(a, line[v], sum[p][v]);
            }
        }
    }
    LB_UNROLL for (int p = 0; p < P; p++) LB_UNROLL for (int v = 0; v < V; v++) {
        const int n = count - v * LB_VL;
        const ptrdiff_t at = p * s.y_column + v * LB_VL;
        if (n > 0) lb_store_some(y + at, lb_finish(e, function, sum[p][v], o + v * LB_VL, place + at, n), n);
    }
}

/* One line of outputs, `count` channels from `o` on: one row of tiles. */
LB_INLINE void lb_conv_line(
    const lb_conv_sizes s, const float *restrict x, const float *restrict w, const lb_epilogue e, float (*function)(float),
    float *y, const int o, ptrdiff_t place, const int count, const int V
) {
    const int most = LB_ACCUMULATORS / V < LB_MOST_ROWS ? LB_ACCUMULATORS / V : LB_MOST_ROWS;
    const int P = s.columns < most ? s.columns : most, rest = s.columns % P;
    int column = 0;
    for (; column + P <= s.columns; column += P)
        lb_conv_tile(P, V, s, x + column * s.x_column, w, e, function, y + column * s.y_column, o, place + column * s.y_column, count);
    if (rest)
        lb_conv_tile(rest, V, s, x + column * s.x_column, w, e, function, y + column * s.y_column, o, place + column * s.y_column, count);
}

/* All channels of one panel of one line: groups of LB_SIDE vectors, then the vectors that are left. */
LB_INLINE void lb_conv_panel(
    const lb_conv_sizes s, const float *restrict x, const float *restrict w, const lb_epilogue e, float (*function)(float),
    float *y, const int o, ptrdiff_t place, const int count
) {
    const int side = LB_SIDE * LB_VL, whole = count / side * side, left = count - whole;
    for (int n = 0; n < whole; n += side)
        lb_conv_line(s, x, w + n, e, function, y + n, o + n, place + n, side, LB_SIDE);
    if (left)
        lb_conv_line(s, x, w + whole, e, function, y + whole, o + whole, place + whole, left, (left + LB_VL - 1) / LB_VL);
}

/* The lines of an image for each panel, or the panels for each line where all weights stay in a cache. */
LB_INLINE void lb_conv(
    const lb_conv_sizes s, const float *restrict x, const float *restrict w, const lb_epilogue e, float (*function)(float), float *y
) {
    const int panels = (s.outputs + s.panel - 1) / s.panel, last = s.outputs - (panels - 1) * s.panel;
    const int lines = s.images * s.rows;
    lb_conv_sizes t = s;
    t.w_step = s.w_last;
    const int lines_first = (ptrdiff_t)panels * s.w_panel * 4 <= 1 << 18;
    for (int a = 0; a < (lines_first ? lines : panels); a++) for (int b = 0; b < (lines_first ? panels : lines); b++) {
        const int panel = lines_first ? b : a, line = lines_first ? a : b;
        const int image = line / s.rows, row = line % s.rows;
        const float *restrict from = x + image * s.x_image + row * s.x_row;
        const float *restrict weights = w + panel * s.w_panel;
        const ptrdiff_t place = image * s.y_image + row * s.y_row + (ptrdiff_t)panel * s.panel;
        if (panel < panels - 1) lb_conv_panel(s, from, weights, e, function, y + place, panel * s.panel, place, s.panel);
        else lb_conv_panel(t, from, weights, e, function, y + place, panel * s.panel, place, last);
    }
}
