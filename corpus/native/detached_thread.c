//! what: a detached thread, made by an attribute or by pthread_detach, ends by itself; semaphores tell main that it is done
//! verdict: exhausted
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t done;
static int sum[2];

static void *work(void *number)
{
    sum[(long)number] = 1;
    sem_post(&done);
    return NULL;
}

int main(void)
{
    pthread_attr_t attributes;
    pthread_t a, b;
    int state;
    sem_init(&done, 0, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 256 * 1024);
    pthread_attr_getdetachstate(&attributes, &state);
    assert(state == PTHREAD_CREATE_DETACHED);
    pthread_create(&a, &attributes, work, (void *)0L);
    pthread_attr_destroy(&attributes);
    pthread_create(&b, NULL, work, (void *)1L);
    pthread_detach(b);
    sem_wait(&done);
    sem_wait(&done);
    assert(sum[0] + sum[1] == 2);
    return 0;
}
