//! what: asks for 100 GB at once, gets nothing, and uses it without looking
//! ending: crash
#include <stdlib.h>

static volatile char *volatile kept;

int main(void)
{
    kept = malloc(100000000000UL);
    kept[0] = 1;
    return 0;
}
