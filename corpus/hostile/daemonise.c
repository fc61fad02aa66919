//! what: forks twice, makes a session of its own and goes on in the background for two seconds
//! ending: untrusted
#include <unistd.h>

int main(void)
{
    if (fork() != 0)
        return 0;
    setsid();
    if (fork() != 0)
        _exit(0);
    sleep(2);
    return 0;
}
