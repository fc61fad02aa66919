//! what: prints 256 MB in one run
//! ending: exhausted | crash | stopped
#include <string.h>
#include <unistd.h>

static char block[1 << 20];

int main(void)
{
    memset(block, 'x', sizeof block);
    for (int i = 0; i < 256; i++)
        if (write(1, block, sizeof block) < 0)
            return 1;
    return 0;
}
