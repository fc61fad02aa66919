//! what: a copy is longer than the memory that it is written to
//! verdict: failed
//! finding: out-of-bounds at 12
#include <stdlib.h>
#include <string.h>

static const char greeting[24] = "good morning to you all";

int main(void)
{
    char *copy = malloc(16);
    memcpy(copy, greeting, sizeof greeting);
    free(copy);
    return 0;
}
