//! what: memccpy up to a byte that comes later than the block ends
//! verdict: failed
//! finding: out-of-bounds at 10
//! isolation: inline
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *copy = malloc(4);
    memccpy(copy, "name=value", '=', 10);
    free(copy);
    return 0;
}
