//! what: each thread holds a lock, but not the same one
//! verdict: failed
//! finding: data-race at 12
#include <pthread.h>

static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int shared;

static void *work(void *number)
{
    pthread_mutex_lock(&lock[(long)number]);
    shared++;
    pthread_mutex_unlock(&lock[(long)number]);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
