/* One image in NHWC with a border, or without rows and columns: rows [top, top + rows) and columns likewise. */
#include "vector.h"
LB_INLINE void lb_border(
    const float *restrict x, float *restrict y, int height, int width, int channels, int top, int left, int rows, int columns, float fill
) {
    for (int r = 0; r < rows; r++) {
        const int from = r + top;
        float *line = y + (ptrdiff_t)r * columns * channels;
        const int first = left < 0 ? -left : 0, end = width - left < columns ? width - left : columns;
        const int has = from >= 0 && from < height && first < end;
        const ptrdiff_t before = has ? (ptrdiff_t)first * channels : (ptrdiff_t)columns * channels;
        for (ptrdiff_t n = 0; n < before; n++) line[n] = fill;
        if (!has) continue;
        memcpy(line + before, x + ((ptrdiff_t)from * width + first + left) * channels, (size_t)(end - first) * (size_t)channels * sizeof(float));
        for (ptrdiff_t n = (ptrdiff_t)end * channels; n < (ptrdiff_t)columns * channels; n++) line[n] = fill;
    }
}
