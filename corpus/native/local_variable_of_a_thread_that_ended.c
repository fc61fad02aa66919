//! what: a thread hands out the address of a local variable, and it is used after the thread has ended
//! verdict: failed
//! finding: use-after-free at 21
#include <pthread.h>

static int *volatile handed_out;

static void *hand_out(void *unused)
{
    int local = 3;
    handed_out = &local;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, hand_out, NULL);
    pthread_join(thread, NULL);
    int *address = handed_out;
    *address = 4;
    return 0;
}
