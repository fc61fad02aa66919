//! what: leaves twenty dead children behind without waiting for them
//! ending: untrusted
#include <unistd.h>

int main(void)
{
    for (int i = 0; i < 20; i++)
        if (fork() == 0)
            _exit(0);
    return 0;
}
