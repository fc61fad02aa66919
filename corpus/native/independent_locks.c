//! what: two threads with a lock of their own each have nothing to do with each other: one trace
//! verdict: exhausted
//! runs: optimal-dpor 1
//! blocked: optimal-dpor 0
#include <pthread.h>

static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int counter[2];

static void *work(void *number)
{
    long me = (long)number;
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock[me]);
        counter[me]++;
        pthread_mutex_unlock(&lock[me]);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (long i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return counter[0] + counter[1] != 6;
}
