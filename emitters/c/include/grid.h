/* Pixels at fractional positions; padding is 0 for zeros, 1 for the border, 2 for reflection. */
#include "scalar.h"
LB_INLINE float lb_grid_position(float at, int size, int padding, int corners) {
    const float last = (float)(size - 1), shift = corners ? 0.0f : 0.5f;
    const float position = corners ? (at + 1.0f) * 0.5f * last : ((at + 1.0f) * (float)size - 1.0f) * 0.5f;
    float p = position;
    if (padding == 0) return p;
    if (padding == 2) {
        const float period = corners ? 2.0f * last : 2.0f * (float)size;
        if (period == 0.0f) return 0.0f;
        const float distance = fmodf(fabsf(p + shift), period);
        p = lb_minf(distance, period - distance) - shift;
    }
    return lb_clampf(p, 0.0f, last);
}
/* 0 outside; positions far outside, and NaN, are outside, too. */
LB_INLINE float lb_grid_pixel(const float *image, int height, int width, float row, float column) {
    if (!(row >= 0.0f && row < (float)height && column >= 0.0f && column < (float)width)) return 0.0f;
    return image[(ptrdiff_t)row * width + (ptrdiff_t)column];
}
LB_INLINE void lb_grid_sampler(
    int images, int channels, int height, int width, int points, int nearest, int padding, int corners,
    const float *restrict x, const float *restrict grid, float *restrict y
) {
    for (int n = 0; n < images; n++) for (int p = 0; p < points; p++) {
        const float *at = grid + ((ptrdiff_t)n * points + p) * 2;
        const float row = lb_grid_position(at[1], height, padding, corners);
        const float column = lb_grid_position(at[0], width, padding, corners);
        const float top = floorf(nearest ? row + 0.5f : row), left = floorf(nearest ? column + 0.5f : column);
        const float down = row - top, right = column - left;
        for (int c = 0; c < channels; c++) {
            const float *image = x + ((ptrdiff_t)n * channels + c) * height * width;
            float v = lb_grid_pixel(image, height, width, top, left);
            if (!nearest) {
                v *= (1.0f - down) * (1.0f - right);
                v += lb_grid_pixel(image, height, width, top, left + 1.0f) * ((1.0f - down) * right);
                v += lb_grid_pixel(image, height, width, top + 1.0f, left) * (down * (1.0f - right));
                v += lb_grid_pixel(image, height, width, top + 1.0f, left + 1.0f) * (down * right);
            }
            y[((ptrdiff_t)n * channels + c) * points + p] = v;
        }
    }
}
