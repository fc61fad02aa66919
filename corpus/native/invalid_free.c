//! what: a pointer into the middle of an allocation is freed
//! verdict: failed
//! finding: misuse at 9
#include <stdlib.h>

int main(void)
{
    char *text = malloc(16);
    free(text + 4);
    return 0;
}
