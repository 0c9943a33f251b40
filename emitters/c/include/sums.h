/* Sums and maxima of neighbouring floats, in 16 parts that vectors hold. */
#include "scalar.h"
LB_INLINE float lb_sum(const float *restrict x, int n) {
    float part[16] = {0}, sum = 0.0f;
    int i = 0;
    for (; i + 16 <= n; i += 16) for (int l = 0; l < 16; l++) part[l] += x[i + l];
    for (; i < n; i++) sum += x[i];
    for (int l = 0; l < 16; l++) sum += part[l];
    return sum;
}
LB_INLINE float lb_sum_of_squares(const float *restrict x, int n, float mean) {
    float part[16] = {0}, sum = 0.0f;
    int i = 0;
    for (; i + 16 <= n; i += 16) for (int l = 0; l < 16; l++) part[l] += (x[i + l] - mean) * (x[i + l] - mean);
    for (; i < n; i++) sum += (x[i] - mean) * (x[i] - mean);
    for (int l = 0; l < 16; l++) sum += part[l];
    return sum;
}
LB_INLINE float lb_greatest(const float *restrict x, int n) {
    float part[16], most = x[0];
    int i = 0;
    for (int l = 0; l < 16; l++) part[l] = most;
    for (; i + 16 <= n; i += 16) for (int l = 0; l < 16; l++) part[l] = x[i + l] > part[l] ? x[i + l] : part[l];
    for (; i < n; i++) most = x[i] > most ? x[i] : most;
    for (int l = 0; l < 16; l++) most = part[l] > most ? part[l] : most;
    return most;
}
/* exp(x) divided by its sum, or the logarithm of that; y may be x. */
LB_INLINE void lb_softmax(const float *x, float *y, int n, int logarithm) {
    const float most = lb_greatest(x, n);
    for (int i = 0; i < n; i++) y[i] = x[i] - most;
    if (logarithm) {
        float sum = 0.0f;
        for (int i = 0; i < n; i++) sum += expf(y[i]);
        const float shift = logf(sum);
        for (int i = 0; i < n; i++) y[i] -= shift;
        return;
    }
    for (int i = 0; i < n; i++) y[i] = lb_expf(y[i]);
    const float factor = 1.0f / lb_sum(y, n);
    for (int i = 0; i < n; i++) y[i] *= factor;
}
LB_INLINE void lb_layer_norm(const float *restrict x, const float *scale, const float *bias, float *restrict y, int n, float epsilon) {
    const float mean = lb_sum(x, n) / (float)n, factor = 1.0f / sqrtf(lb_sum_of_squares(x, n, mean) / (float)n + epsilon);
    if (scale) for (int i = 0; i < n; i++) y[i] = (x[i] - mean) * factor * scale[i];
    else for (int i = 0; i < n; i++) y[i] = (x[i] - mean) * factor;
    if (bias) for (int i = 0; i < n; i++) y[i] += bias[i];
}
