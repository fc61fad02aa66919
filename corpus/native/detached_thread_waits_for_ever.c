//! what: main leaves by pthread_exit, so the program ends with its last thread: a detached one that waits for ever
//! verdict: failed
//! finding: deadlock at 17
//! isolation: inline
//! flags: --keep-going
//! runs: optimal-dpor 2
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static sem_t ready;
static atomic_int late;

static void *work(void *argument)
{
    if (atomic_load(&late))
        sem_wait(&ready);
    return argument;
}

int main(void)
{
    pthread_t thread;
    sem_init(&ready, 0, 0);
    pthread_create(&thread, 0, work, 0);
    pthread_detach(thread);
    atomic_store(&late, 1);
    pthread_exit(0);
}
