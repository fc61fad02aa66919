//! what: forks children that fork, at most 30 in all, and waits for none of them
//! ending: untrusted
#include <unistd.h>

int main(void)
{
    // Each process has at most one child, and the chain ends after thirty.
    for (int i = 0; i < 30; i++)
        if (fork() != 0)
            break;
    return 0;
}
