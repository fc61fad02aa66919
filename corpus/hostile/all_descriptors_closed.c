//! what: closes every descriptor, the one to the tester among them
//! ending: exhausted | untrusted | stopped
#include <unistd.h>

int main(void)
{
    for (int i = 0; i < 1024; i++)
        close(i);
    return 0;
}
