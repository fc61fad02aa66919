//! what: the byte before an allocation is read
//! verdict: failed
//! finding: out-of-bounds at 10
#include <stdlib.h>
#include <string.h>

static int is_blank(const char *text)
{
    const char *end = text + strlen(text);
    while (*--end == ' ')
        ;
    return end < text;
}

int main(void)
{
    char *text = malloc(4);
    memset(text, ' ', 3);
    text[3] = 0;
    int blank = is_blank(text);
    free(text);
    return !blank;
}
