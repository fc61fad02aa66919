//! what: memory that is not freed at exit is no finding unless leaks are asked for
//! verdict: exhausted
//! runs: optimal-dpor 1
#include <stdlib.h>

static int *table;

int main(void)
{
    table = malloc(64);
    table[0] = 1;
    return 0;
}
