//! what: both threads read before they write: each waits for the other's pipe
//! verdict: failed
//! finding: deadlock
#include <pthread.h>
#include <unistd.h>

static int there[2], back[2];

static void *echo(void *unused)
{
    char byte;
    if (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
        return unused;
    return (void *)1;
}

int main(void)
{
    pthread_t thread;
    char byte = 'x';
    if (pipe(there) != 0 || pipe(back) != 0)
        return 1;
    pthread_create(&thread, NULL, echo, NULL);
    if (read(back[0], &byte, 1) != 1 || write(there[1], &byte, 1) != 1)
        return 1;
    pthread_join(thread, NULL);
    return 0;
}
