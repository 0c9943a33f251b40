/* Pooling in NHWC: the maximum, or the average over the elements in the image or in the padded image. */
#include "vector.h"
LB_INLINE void lb_pool(
    int images, int height, int width, int channels, int rows, int columns, int kh, int kw, int down, int right,
    int top, int left, int exclusive, int is_max, const float *restrict x, float *restrict y
) {
    for (int n = 0; n < images; n++) for (int row = 0; row < rows; row++) for (int column = 0; column < columns; column++) {
        const int r = row * down - top, s = column * right - left;
        const int r0 = r < 0 ? 0 : r, s0 = s < 0 ? 0 : s;
        const int r1 = r + kh < height ? r + kh : height, s1 = s + kw < width ? s + kw : width;
        const int r2 = r + kh < height + top ? r + kh : height + top, s2 = s + kw < width + left ? s + kw : width + left;
        const int count = exclusive ? (r1 - r0) * (s1 - s0) : (r2 - r) * (s2 - s);
        float *restrict to = y + (((ptrdiff_t)n * rows + row) * columns + column) * channels;
        for (int c = 0; c < channels; c++) to[c] = !is_max ? 0.0f : r0 < r1 && s0 < s1 ? -INFINITY : -FLT_MAX;
        for (int i = r0; i < r1; i++) for (int j = s0; j < s1; j++) {
            const float *restrict from = x + (((ptrdiff_t)n * height + i) * width + j) * channels;
            if (is_max) for (int c = 0; c < channels; c++) to[c] = from[c] > to[c] ? from[c] : to[c];
            else for (int c = 0; c < channels; c++) to[c] += from[c];
        }
        const float factor = 1.0f / (float)count;
        if (!is_max) for (int c = 0; c < channels; c++) to[c] *= factor;
    }
}
/* Averages of bins from floor(i * size / count) up to ceil((i + 1) * size / count). */
LB_INLINE void lb_pool_bins(
    int images, int height, int width, int channels, int rows, int columns, const float *restrict x, float *restrict y
) {
    for (int n = 0; n < images; n++) for (int row = 0; row < rows; row++) for (int column = 0; column < columns; column++) {
        const int r0 = row * height / rows, r1 = ((row + 1) * height + rows - 1) / rows;
        const int s0 = column * width / columns, s1 = ((column + 1) * width + columns - 1) / columns;
        float *restrict to = y + (((ptrdiff_t)n * rows + row) * columns + column) * channels;
        for (int c = 0; c < channels; c++) to[c] = 0.0f;
        for (int i = r0; i < r1; i++) for (int j = s0; j < s1; j++) {
            const float *restrict from = x + (((ptrdiff_t)n * height + i) * width + j) * channels;
            for (int c = 0; c < channels; c++) to[c] += from[c];
        }
        const float factor = 1.0f / (float)((r1 - r0) * (s1 - s0));
        for (int c = 0; c < channels; c++) to[c] *= factor;
    }
}
