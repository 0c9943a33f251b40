/* Arm semihosting: files, text and the exit code of a program that runs under a debugger or an emulator. */
#ifndef SEMIHOSTING_H
#define SEMIHOSTING_H
#include <stddef.h>
#include <stdint.h>

enum { OPEN = 1, CLOSE = 2, WRITE_TEXT = 4, WRITE = 5, READ = 6, EXIT_EXTENDED = 32 };
enum { MODE_READ = 1, MODE_WRITE = 5 };

static inline uint32_t semihosting(uint32_t operation, const void *argument) {
    register uint32_t r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static inline void say(const char *text) { (void)semihosting(WRITE_TEXT, text); }

static inline void leave(int code) {
    const uint32_t block[2] = {0x20026u, (uint32_t)code};
    (void)semihosting(EXIT_EXTENDED, block);
    for (;;) {
    }
}

/* Reads or writes a whole file; whether it has exactly these bytes. */
static inline int transfer(const char *name, uint32_t mode, const void *bytes, size_t count) {
    uint32_t block[3] = {(uint32_t)name, mode, 0}, file, left;
    while (name[block[2]]) block[2]++;
    file = semihosting(OPEN, block);
    if (file == UINT32_MAX) return 0;
    block[0] = file;
    block[1] = (uint32_t)bytes;
    block[2] = (uint32_t)count;
    left = semihosting(mode == MODE_READ ? READ : WRITE, block);
    block[0] = file;
    (void)semihosting(CLOSE, block);
    return left == 0;
}
#endif
