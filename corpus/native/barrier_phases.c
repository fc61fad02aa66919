//! what: two threads meet at a barrier twice; what one wrote before it the other may read after it
//! verdict: exhausted
#include <assert.h>
#include <pthread.h>

static pthread_barrier_t barrier;
static int part[2];

static void *work(void *number)
{
    long me = (long)number;
    part[me] = 1;
    pthread_barrier_wait(&barrier);
    assert(part[1 - me] == 1);
    pthread_barrier_wait(&barrier);
    part[me] = 2;
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    pthread_barrier_init(&barrier, NULL, 2);
    for (long i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&barrier);
    return 0;
}
