// WRITERS threads store to one variable once each: every order is a trace of its own, WRITERS! of them.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int variable;

static void *write_once(void *number)
{
    atomic_store(&variable, (int)(long)number);
    return NULL;
}

int main(void)
{
    pthread_t thread[WRITERS];
    for (long i = 0; i < WRITERS; i++)
        pthread_create(&thread[i], NULL, write_once, (void *)(i + 1));
    for (long i = 0; i < WRITERS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
