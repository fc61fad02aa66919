//! what: a text is copied into a block that has no room for the zero at its end
//! verdict: failed
//! finding: out-of-bounds at 10
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    char *block = malloc(strlen("seven77"));
    strcpy(block, argc > 1 ? argv[1] : "seven77");
    free(block);
    return 0;
}
