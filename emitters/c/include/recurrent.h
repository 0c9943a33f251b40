/* One layer and direction of a recurrent network: x is [time, batch, size], y every `wide`-th row of hidden numbers.

w is [size, gates * hidden], u is [hidden, gates * hidden], bias has those of the input, then those of the state.
`now` holds the states, `gate` the sums of the input and those of the state, `steps` the lengths of the sequences or 0. */
#include "scalar.h"
enum { LB_LSTM, LB_GRU, LB_RNN_TANH, LB_RNN_RELU };
LB_INLINE void lb_add_product(const float *restrict x, const float *restrict w, float *restrict y, int count, int columns) {
    for (int k = 0; k < count; k++) for (int j = 0; j < columns; j++) y[j] += x[k] * w[(ptrdiff_t)k * columns + j];
}
LB_INLINE void lb_recurrent(
    int mode, int time, int batch, int size, int hidden, int backwards, int wide, const int32_t *steps,
    const float *x, const float *w, const float *u, const float *bias, const float *first, const float *first_cell, float *y, float *last, float *last_cell, float *now, float *gate
) {
    const int parts = mode == LB_LSTM ? 4 : mode == LB_GRU ? 3 : 1, all = parts * hidden;
    for (int b = 0; b < batch; b++) {
        float *h = now, *c = now + hidden, *g = gate, *s = gate + all;
        for (int j = 0; j < hidden; j++) {
            h[j] = first[b * hidden + j];
            c[j] = mode == LB_LSTM ? first_cell[b * hidden + j] : 0.0f;
        }
        for (int n = 0; n < time; n++) {
            const int t = backwards ? time - 1 - n : n;
            float *to = y + ((ptrdiff_t)t * batch + b) * wide;
            if (steps && t >= steps[b]) {
                for (int j = 0; j < hidden; j++) to[j] = 0.0f;
                continue;
            }
            for (int j = 0; j < all; j++) { g[j] = bias[j]; s[j] = bias[all + j]; }
            lb_add_product(x + ((ptrdiff_t)t * batch + b) * size, w, g, size, all);
            lb_add_product(h, u, s, hidden, all);
            for (int j = 0; j < hidden; j++) {
                if (mode == LB_LSTM) {
                    const float in = lb_sigmoidf(g[j] + s[j]), keep = lb_sigmoidf(g[hidden + j] + s[hidden + j]);
                    const float out = lb_sigmoidf(g[3 * hidden + j] + s[3 * hidden + j]);
                    c[j] = keep * c[j] + in * lb_tanhf(g[2 * hidden + j] + s[2 * hidden + j]);
                    h[j] = out * lb_tanhf(c[j]);
                } else if (mode == LB_GRU) {
                    const float reset = lb_sigmoidf(g[j] + s[j]), update = lb_sigmoidf(g[hidden + j] + s[hidden + j]);
                    const float candidate = lb_tanhf(g[2 * hidden + j] + reset * s[2 * hidden + j]);
                    h[j] = (h[j] - candidate) * update + candidate;
                } else if (mode == LB_RNN_TANH) h[j] = lb_tanhf(g[j] + s[j]);
                else h[j] = g[j] + s[j] > 0.0f ? g[j] + s[j] : 0.0f;
            }
            for (int j = 0; j < hidden; j++) to[j] = h[j];
        }
        for (int j = 0; j < hidden; j++) {
            if (last) last[b * hidden + j] = h[j];
            if (last_cell) last_cell[b * hidden + j] = c[j];
        }
    }
}
