/* Models as shared libraries: the same functions and structures for every model and every later version.

A program links one library, or loads several by dlopen with RTLD_LOCAL and looks up the functions by name. */
#ifndef LITEBRIDGE_H
#define LITEBRIDGE_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#define LB_API __attribute__((visibility("default")))
#else
#define LB_API
#endif

/* Grows by one when a function or field is added; existing ones stay as they are. */
#define LB_ABI_VERSION 1

/* A model with its memory.  One thread at a time may run it; each thread may load its own, which share the weights. */
typedef struct lb_model lb_model;

/* An input or output: arrays are in C order.  `type` is float32, float64, int64, int32, int16, int8, uint8 or bool. */
typedef struct {
    const char *name;
    const char *type;
    int32_t rank;
    const int64_t *shape;
    size_t bytes;
} lb_tensor;

LB_API int lb_abi_version(void);

/* Checks the weights and allocates the memory of runs; 0, or a status, with no model. */
LB_API int lb_load(lb_model **model);

/* Runs the model on inputs and outputs of the sizes in lb_input and lb_output; allocates nothing.  0, or a status. */
LB_API int lb_run(lb_model *model, const void *const *inputs, void *const *outputs);

LB_API void lb_free(lb_model *model);

LB_API int lb_inputs(void);
LB_API int lb_outputs(void);

/* The description of an input or output; null for a number that there is not. */
LB_API const lb_tensor *lb_input(int number);
LB_API const lb_tensor *lb_output(int number);

/* The name of the model, the version of litebridge that wrote it, and the bytes of arena and weights, as JSON. */
LB_API const char *lb_metadata(void);

/* A status as text. */
LB_API const char *lb_message(int status);

#ifdef __cplusplus
}
#endif
#endif
