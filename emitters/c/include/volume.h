/* Convolution of volumes in NCDHW: each row of the result is a sum of rows of the volume, times one weight each. */
#include "vector.h"
typedef struct {
    int batch, channels, outputs, groups;
    int in[3], out[3], kernel[3], stride[3], before[3], dilation[3];
} lb_volume;
/* The first output whose tap at `shift` is at 0 or more, and the first whose tap is at `size` or more. */
LB_INLINE int lb_first_inside(int shift, int stride) { return shift >= 0 ? 0 : (stride - 1 - shift) / stride; }
LB_INLINE int lb_first_outside(int shift, int stride, int size, int count) {
    const int n = shift >= size ? 0 : (size - 1 - shift) / stride + 1;
    return n < count ? n : count;
}
LB_INLINE void lb_conv3d(const lb_volume *s, const float *restrict x, const float *restrict w, const float *bias, float *restrict y) {
    const int inputs = s->channels / s->groups, outputs = s->outputs / s->groups;
    const ptrdiff_t volume = (ptrdiff_t)s->out[0] * s->out[1] * s->out[2];
    for (int n = 0; n < s->batch; n++) for (int o = 0; o < s->outputs; o++) {
        float *restrict result = y + ((ptrdiff_t)n * s->outputs + o) * volume;
        for (ptrdiff_t i = 0; i < volume; i++) result[i] = bias ? bias[o] : 0.0f;
        for (int k = 0; k < inputs; k++) {
            const ptrdiff_t image = (ptrdiff_t)n * s->channels + o / outputs * inputs + k;
            const float *weight = w + ((ptrdiff_t)o * inputs + k) * s->kernel[0] * s->kernel[1] * s->kernel[2];
            for (int a = 0; a < s->kernel[0]; a++) for (int b = 0; b < s->kernel[1]; b++) for (int c = 0; c < s->kernel[2]; c++) {
                const float factor = *weight++;
                const int da = a * s->dilation[0] - s->before[0], db = b * s->dilation[1] - s->before[1];
                const int dc = c * s->dilation[2] - s->before[2], right = s->stride[2];
                const int low = lb_first_inside(dc, right), high = lb_first_outside(dc, right, s->in[2], s->out[2]);
                for (int i = lb_first_inside(da, s->stride[0]); i < lb_first_outside(da, s->stride[0], s->in[0], s->out[0]); i++)
                for (int j = lb_first_inside(db, s->stride[1]); j < lb_first_outside(db, s->stride[1], s->in[1], s->out[1]); j++) {
                    const ptrdiff_t line = (image * s->in[0] + i * s->stride[0] + da) * s->in[1] + j * s->stride[1] + db;
                    const float *restrict from = x + line * s->in[2];
                    float *restrict to = result + ((ptrdiff_t)i * s->out[1] + j) * s->out[2];
                    if (right == 1) for (int l = low; l < high; l++) to[l] += factor * from[l + dc];
                    else for (int l = low; l < high; l++) to[l] += factor * from[l * right + dc];
                }
            }
        }
    }
}
