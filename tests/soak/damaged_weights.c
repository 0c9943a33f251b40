/* Loads damaged copies of weights.bin in one process: damaged_weights FILE FIRST COUNT

Prints how often `init` returned each status. Ends with 1 where it takes a file that differs, or where a run of
a file that does not differ has other results. */
#include "model.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNREAD_FROM = 56, UNREAD_TO = 64, MOST_ELEMENTS = 1 << 16 };

static uint64_t state;

static uint64_t draw(uint64_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return below ? state % below : 0;
}

/* Damages `bytes` of `p`, which has space for `most`; returns the new size. */
static size_t damage(unsigned char *p, size_t bytes, size_t most) {
    const size_t at = draw(draw(2) ? 64 : bytes), other = draw(bytes), left = bytes - (at > other ? at : other);
    const size_t count = left ? 1 + draw(left < 64 ? left : 64) : 0;
    unsigned char block[64];
    switch (draw(10)) {
    case 0: p[at] ^= (unsigned char)(1u << draw(8)); break;
    case 1: for (uint64_t n = 1 + draw(8); n; n--) p[draw(bytes)] = (unsigned char)draw(256); break;
    case 2: return draw(bytes);
    case 3: return draw(64);
    case 4: {
        const size_t longer = bytes + 1 + draw(most - bytes);
        for (size_t n = bytes; n < longer; n++) p[n] = (unsigned char)draw(256);
        return longer;
    }
    case 5: memset(p + at, draw(2) ? 0 : 255, count); break;
    case 6: memmove(p + at, p + other, count); break;
    case 7:
        memcpy(block, p + at, count);
        memmove(p + at, p + other, count);
        memcpy(p + other, block, count);
        break;
    case 8: {
        static const uint64_t numbers[] = {0, 1, 0xFFFFFFFFu, 0x7FFFFFFFu, 0xFFFFFFFFFFFFFFFFu, 0x8000000000000000u};
        const uint64_t number = numbers[draw(6)];
        memcpy(p + draw(7) * 8, &number, 8);
        break;
    }
    default:
        for (size_t n = 0; n + 4 <= count; n += 4) {
            unsigned char *word = p + at + n, first = word[0];
            word[0] = word[3];
            word[3] = first;
        }
    }
    return bytes;
}

int main(int argc, char **argv) {
    static unsigned char *inputs[LB_MODEL_INPUTS], *outputs[LB_MODEL_OUTPUTS], *expected[LB_MODEL_OUTPUTS];
    size_t bytes, most, seen[16] = {0}, same = 0;
    lb_model_context context;
    FILE *file = argc == 4 ? fopen(argv[1], "rb") : NULL;
    if (!file || fseek(file, 0, SEEK_END)) return 2;
    bytes = (size_t)ftell(file);
    most = bytes + 256;
    rewind(file);
    static unsigned char *whole, *changed, *arena;
    whole = malloc(bytes);
    changed = malloc(most);
    if (!whole || !changed || fread(whole, 1, bytes, file) != bytes) return 2;
    fclose(file);
    if (posix_memalign((void **)&arena, LB_MODEL_ALIGNMENT, LB_MODEL_ARENA_BYTES)) return 2;
    for (int n = 0; n < LB_MODEL_INPUTS; n++) inputs[n] = calloc(MOST_ELEMENTS, 8);
    for (int n = 0; n < LB_MODEL_OUTPUTS; n++) outputs[n] = calloc(MOST_ELEMENTS, 8), expected[n] = calloc(MOST_ELEMENTS, 8);
    const unsigned long first = strtoul(argv[2], NULL, 10), count = strtoul(argv[3], NULL, 10);
    for (unsigned long number = first; number <= first + count; number++) {
        unsigned char *exact = NULL;
        size_t size = bytes;
        memcpy(changed, whole, bytes);
        state = number * 0x9E3779B97F4A7C15u + 1;
        if (number > first) size = damage(changed, bytes, most);
        /* A block of exactly this size: sanitizers see each access outside of it. */
        if (posix_memalign((void **)&exact, LB_MODEL_ALIGNMENT, size ? size : 1)) return 2;
        memcpy(exact, changed, size);
        const int status = lb_model_init(&context, arena, LB_MODEL_ARENA_BYTES, exact, size);
        const int equal = size == bytes && !memcmp(exact, whole, UNREAD_FROM)
            && !memcmp(exact + UNREAD_TO, whole + UNREAD_TO, bytes - UNREAD_TO);
        if ((status == LB_OK) != equal) {
            printf("file %lu of %zu bytes: status %d\n", number, size, status);
            return 1;
        }
        seen[status]++;
        if (status == LB_OK) {
            unsigned char **results = number == first ? expected : outputs;
            const int ended = lb_model_run(&context, (const void *const *)inputs, (void *const *)results);
            for (int n = 0; n < LB_MODEL_OUTPUTS; n++) {
                if (!ended && (number == first || !memcmp(outputs[n], expected[n], MOST_ELEMENTS * 8))) continue;
                printf("file %lu: the run ended with %d, output %d differs\n", number, ended, n);
                return 1;
            }
            same++;
        } else if (lb_model_run(&context, (const void *const *)inputs, (void *const *)outputs) != LB_NOT_READY) {
            printf("file %lu: a run without weights\n", number);
            return 1;
        }
        free(exact);
    }
    printf("%lu files: %zu without a change", count, same - 1);
    for (int n = 1; n < 16; n++) if (seen[n]) printf(", %zu %s", seen[n], lb_model_message(n));
    printf("\n");
    return 0;
}
