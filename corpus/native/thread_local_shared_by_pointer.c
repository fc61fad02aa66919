//! what: a thread-local variable is handed to another thread by pointer, and then both use it
//! verdict: failed
//! finding: data-race
#include <pthread.h>

static _Thread_local int own;

static void *work(void *pointer)
{
    *(int *)pointer += 1;
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, &own);
    own += 1;
    pthread_join(thread, NULL);
    return 0;
}
