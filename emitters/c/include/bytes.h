/* round(v / out_scale) + zero_point as a byte, where factor is 1 / out_scale: halves to even, saturated. */
#include "vector.h"
LB_INLINE uint8_t lb_byte(float v, float factor, float zero_point) {
    float code = v * factor;
    LB_ROUNDED(code);
    code = code > 1024.0f ? 1024.0f : code;
    code = code >= -1024.0f ? code : -1024.0f;
    code = ((code + 12582912.0f) - 12582912.0f) + zero_point;
    code = code < 0.0f ? 0.0f : code;
    return (uint8_t)(code > 255.0f ? 255.0f : code);
}
