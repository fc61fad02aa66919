//! what: writes garbage to every descriptor, the one to the tester among them
//! ending: exhausted | untrusted | stopped
#include <string.h>
#include <unistd.h>

int main(void)
{
    char garbage[64];
    memset(garbage, 0xff, sizeof garbage);
    for (int i = 1; i < 64; i++)
        if (write(i, garbage, sizeof garbage) < 0)
            continue;
    return 0;
}
