//! what: allocates and touches memory until there is no more, at most 64 GB, and then gives up in order
//! ending: livelock | exhausted | crash | stopped
#include <stdlib.h>
#include <string.h>

int main(void)
{
    for (int i = 0; i < 1024; i++) {
        char *block = malloc(64UL * 1024 * 1024);
        if (!block)
            break;
        memset(block, 1, 64UL * 1024 * 1024);
    }
    return 0;
}
