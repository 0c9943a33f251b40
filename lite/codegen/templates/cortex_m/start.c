/* Reset of a Cortex-M: the vector table, the floating point unit, .data and .bss, then main. */
#include "semihosting.h"

extern uint32_t data_from, data_begin, data_end, bss_begin, bss_end, stack_end;
int main(void);
void reset(void);

static void fault(void) {
    say("fault\n");
    leave(99);
}

void reset(void) {
    const uint32_t *from = &data_from;
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
    /* CPACR: full access to the coprocessors 10 and 11. */
    *(volatile uint32_t *)0xE000ED88u |= 0xF00000u;
    __asm__ volatile("dsb\n isb");
#endif
    for (uint32_t *to = &data_begin; to < &data_end; to++) *to = *from++;
    for (uint32_t *to = &bss_begin; to < &bss_end; to++) *to = 0;
    leave(main());
}

#define V (const void *)
__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    V &stack_end, V reset, V fault, V fault, V fault, V fault, V fault, V fault, 0, 0, 0, V fault, V fault, 0, V fault, V fault};
