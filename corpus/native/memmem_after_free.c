//! what: memmem looks through a block that was freed
//! verdict: failed
//! finding: use-after-free at 12
//! isolation: inline
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *block = calloc(1, 64);
    free(block);
    return memmem(block, 64, "ab", 2) != 0;
}
