//! what: writes 256 MB into a file in the folder where it runs
//! ending: livelock | exhausted | crash | stopped | untrusted
#include <stdio.h>
#include <string.h>

static char block[1 << 20];

int main(void)
{
    FILE *file = fopen("hostile.tmp", "w");
    if (!file)
        return 1;
    memset(block, 'x', sizeof block);
    for (int i = 0; i < 256; i++)
        if (fwrite(block, sizeof block, 1, file) != 1)
            break;
    fclose(file);
    remove("hostile.tmp");
    return 0;
}
