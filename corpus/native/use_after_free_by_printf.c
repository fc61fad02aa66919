//! what: a text is printed after it was freed
//! verdict: failed
//! finding: use-after-free at 11
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    char *text = strdup("gone");
    free(text), printf("%d %s\n", 1, text);
    return 0;
}
