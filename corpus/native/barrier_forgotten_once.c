//! what: there is no second barrier between reading and writing again, so a fast thread overwrites what a slow one reads
//! verdict: failed
//! finding: data-race
#include <pthread.h>

static pthread_barrier_t barrier;
static int part[2], sum[2];

static void *work(void *number)
{
    long me = (long)number;
    for (int round = 0; round < 2; round++) {
        part[me] = round;
        pthread_barrier_wait(&barrier);
        sum[me] += part[1 - me];
    }
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
    return 0;
}
