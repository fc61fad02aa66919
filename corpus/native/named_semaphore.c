//! what: a named semaphore opened twice under its name is one semaphore
//! verdict: exhausted
//! runs: optimal-dpor 2
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>

static int counter;

static void *work(void *unused)
{
    sem_t *permit = sem_open("/raddle-corpus", O_CREAT, 0600, 1);
    assert(permit != SEM_FAILED);
    sem_wait(permit);
    counter++;
    sem_post(permit);
    sem_close(permit);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(counter == 2);
    sem_unlink("/raddle-corpus");
    return 0;
}
