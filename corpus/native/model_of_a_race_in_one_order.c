//! what: two threads write without a lock, one of them only if it came between two others; no value that anybody reads tells
//! verdict: failed
//! finding: data-race
//! flags: --strategy unfolding
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int begun, ended, result;

static void *first(void *unused)
{
    pthread_mutex_lock(&lock);
    begun = 1;
    pthread_mutex_unlock(&lock);
    result = 1;
    pthread_mutex_lock(&lock);
    ended = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused)
{
    pthread_mutex_lock(&lock);
    int between = begun && !ended;
    pthread_mutex_unlock(&lock);
    if (between)
        result = 2;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
}
